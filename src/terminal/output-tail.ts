import { RESET_STYLE, toColumn } from './escapes.ts';
import { characterWidth } from './text.ts';

const PLAIN = /^[ -~]*$/;
/** Text, one control character, or one of the sequences that the output filter lets pass. */
const TOKEN = /[^\x00-\x1f\x7f]+|\x1b\[([\d;:]*)([mKHJ])|[\x00-\x1f\x7f]/g;
/** Characters whose width depends on their neighbours or on the terminal. */
const DOUBTFUL = /[\p{M}\p{Default_Ignorable_Code_Point}\p{Regional_Indicator}\p{Emoji_Modifier}]/u;
const MAX_STYLE = 256;

/**
 * Follows the last line of the output: where the cursor is in its row, and which colours are on.
 *
 * A terminal that has just filled a row wraps only when the next character comes, and forgets about that when the
 * cursor moves. So whoever moves the cursor there must print the row's last character again.
 */
export class OutputTail {
  /** The colours and other attributes that are on, as the sequences that turned them on. */
  style = '';
  /** How the cursor's row may look. After a resize there are two answers, as not all terminals lay out lines again. */
  #rows = [new OutputRow()];
  /** The line's columns in the rows above the cursor's. */
  #above = 0;
  #isCertain = true;
  #last = '';
  #lastStyle = '';

  /** Follows filtered output. */
  push(text: string, columns: number): void {
    const lastLine = text.lastIndexOf('\n');
    for (const match of text.matchAll(TOKEN)) {
      const [token, parameters = '', final] = match;
      if (final === 'm') this.#restyle(parameters);
      else if (match.index < lastLine) continue;
      else if (final === 'H' || token === '\n') this.newLine();
      else if (final === 'K') this.#erased(parameters);
      else if (token < ' ') this.#control(token, columns);
      else this.#print(token, columns);
    }
  }

  /** The cursor is at the start of an empty line. */
  newLine(): void {
    this.#rows = [new OutputRow()];
    this.#above = 0;
    this.#isCertain = true;
    this.#last = '';
  }

  /** The terminal has a new width. */
  resize(columns: number): void {
    const [kept = new OutputRow()] = this.#rows;
    const length = this.#above + kept.filled;
    if (this.#above === 0 && length <= columns) return;
    if (kept.column !== kept.filled) this.#isCertain = false;
    const clipped = kept.clip(columns);
    const reflowed = new OutputRow();
    reflowed.advance(length, columns);
    this.#above = length - clipped.filled;
    this.#rows = [clipped, reflowed];
  }

  /** Whether nothing has been printed in the line yet. */
  get isEmpty(): boolean {
    return this.#above + this.filled === 0 && this.#last === '';
  }

  /** Whether the line takes a single row. */
  get isOneRow(): boolean {
    return this.#above === 0;
  }

  /** Whether the cursor is after all text of the line, not moved back into it. */
  get isAtEnd(): boolean {
    return this.#rows.every((row) => row.column === row.filled);
  }

  /** Whether the row is full and the cursor waits after its last character. */
  isFull(columns: number): boolean {
    const isFull = this.#rows.every((row) => row.column === columns);
    return isFull && this.#isCertain && this.#last !== '';
  }

  /** Whether the last column of the row is empty. */
  isLastColumnFree(columns: number): boolean {
    return this.#isCertain && this.filled < columns;
  }

  /** The columns of the row that have text. */
  get filled(): number {
    return Math.max(...this.#rows.map((row) => row.filled));
  }

  /** Makes the terminal wait after the last character of a full row again. */
  refill(columns: number): string {
    const place = toColumn(columns - characterWidth(this.#last) + 1);
    return this.#lastStyle === this.style
      ? place + this.#last
      : place + RESET_STYLE + this.#lastStyle + this.#last + RESET_STYLE + this.style;
  }

  /** Erasing to the right leaves a full row alone. If it did not, the last character must not come back. */
  #erased(parameters: string): void {
    if (parameters !== '' && parameters !== '0') this.#last = '';
  }

  #control(token: string, columns: number): void {
    for (const row of this.#rows) {
      if (token === '\r') row.column = 0;
      if (token === '\b') row.back(columns);
      if (token === '\t') row.tab(columns);
    }
  }

  #print(text: string, columns: number): void {
    if (PLAIN.test(text)) this.#advance(text.length, columns);
    else for (const character of text) this.#printCharacter(character, columns);
    this.#last = [...text.slice(-2)].at(-1) ?? '';
    this.#lastStyle = this.style;
  }

  #printCharacter(character: string, columns: number): void {
    if (DOUBTFUL.test(character)) this.#isCertain = false;
    const width = characterWidth(character);
    const room = columns - (this.#rows[0]?.column ?? 0);
    this.#advance(room > 0 && room < width ? room + width : width, columns);
  }

  #advance(width: number, columns: number): void {
    const end = (this.#rows[0]?.column ?? 0) + width;
    this.#above += columns * Math.max(0, Math.ceil(end / columns) - 1);
    for (const row of this.#rows) row.advance(width, columns);
  }

  #restyle(parameters: string): void {
    const sequence = `\x1b[${parameters}m`;
    if (/^0*$/.test(parameters)) this.style = '';
    else if (/^0*;/.test(parameters)) this.style = sequence;
    else this.style = (this.style + sequence).slice(-MAX_STYLE).replace(/^[^\x1b]+/, '');
  }
}

/** The row that output goes to: where the cursor is in it, and how much of it is filled. */
class OutputRow {
  /** The columns left of the cursor; as many as the terminal has when the row is full. */
  column = 0;
  /** The columns up to the last one that has text. */
  filled = 0;

  /** Prints this many columns, continuing in new rows if they do not fit. */
  advance(width: number, columns: number): void {
    const end = this.column + width;
    if (end > columns) this.filled = 0;
    this.column = end > columns ? ((end - 1) % columns) + 1 : end;
    this.filled = Math.max(this.filled, this.column);
  }

  back(columns: number): void {
    this.column = Math.max(0, Math.min(this.column, columns - 1) - 1);
  }

  tab(columns: number): void {
    if (this.column < columns) this.column = Math.min(columns - 1, (this.column >> 3) * 8 + 8);
    this.filled = Math.max(this.filled, this.column);
  }

  /** The same row after a narrower terminal has cut it. */
  clip(columns: number): OutputRow {
    const clipped = new OutputRow();
    clipped.column = Math.min(this.column, columns);
    clipped.filled = Math.min(this.filled, columns);
    return clipped;
  }
}
