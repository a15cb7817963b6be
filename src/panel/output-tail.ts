import { RESET_STYLE, toColumn } from './escapes.ts';
import { characterWidth } from './text.ts';

const PLAIN = /^[ -~]*$/;
/** Text, one control character, or one of the sequences that the output filter lets pass. */
const TOKEN = /[^\x00-\x1f\x7f]+|\x1b\[([\d;:]*)([mKHJ])|[\x00-\x1f\x7f]/g;
/** Characters whose width hangs on their neighbours, or on the terminal. */
const DOUBTFUL = /[\p{M}\p{Default_Ignorable_Code_Point}\p{Regional_Indicator}\p{Emoji_Modifier}]/u;
const MAX_STYLE = 256;

/**
 * Follows where a terminal's cursor is in the last line of the output.
 *
 * A terminal that has just filled a row wraps only when the next character comes, and forgets about it when the cursor
 * moves. So whoever moves the cursor there must print the row's last character again.
 */
export class OutputTail {
  /** The columns left of the cursor in its row, and the columns of the row that have text. */
  column = 0;
  filled = 0;
  /** Whether the numbers above can be relied on. */
  certain = true;
  /** The colours and the like that are on, as the sequences that turned them on. */
  style = '';
  #wrapped = false;
  #last = '';
  #lastStyle = '';

  /** Follows filtered output. */
  push(text: string, columns: number): void {
    const lastLine = text.lastIndexOf('\n');
    for (const match of text.matchAll(TOKEN)) {
      const [token, parameters = '', final] = match;
      if (final === 'm') this.#restyle(parameters);
      else if (match.index < lastLine) continue;
      else if (final === 'K') this.#last = '';
      else if (final === 'H' || token === '\n') this.newLine();
      else if (token === '\r') this.column = 0;
      else if (token === '\b') this.column = Math.max(0, Math.min(this.column, columns - 1) - 1);
      else if (token === '\t') this.#tab(columns);
      else if (token >= ' ') this.#print(token, columns);
    }
  }

  /** The cursor is at the start of an empty row. */
  newLine(): void {
    this.column = 0;
    this.filled = 0;
    this.certain = true;
    this.#wrapped = false;
    this.#last = '';
  }

  /** The terminal has a new width, and has perhaps laid out the line anew. */
  resize(columns: number): void {
    if (this.#wrapped || this.filled > columns) this.certain = false;
  }

  /** Whether nothing has been printed in the line yet. */
  get isEmpty(): boolean {
    return this.filled === 0 && !this.#wrapped;
  }

  /** Whether the row is full and the cursor waits behind its last character. */
  isFull(columns: number): boolean {
    return this.certain && this.column === columns && this.#last !== '';
  }

  /** Brings the terminal back to waiting behind the last character of a full row. */
  refill(columns: number): string {
    const place = toColumn(columns - characterWidth(this.#last) + 1);
    return this.#lastStyle === this.style
      ? place + this.#last
      : place + RESET_STYLE + this.#lastStyle + this.#last + RESET_STYLE + this.style;
  }

  #print(text: string, columns: number): void {
    if (PLAIN.test(text)) this.#advance(text.length, columns);
    else {
      for (const character of text) {
        if (DOUBTFUL.test(character)) this.certain = false;
        const width = characterWidth(character);
        if (this.column + width > columns) this.#advance(columns - this.column, columns);
        this.#advance(width, columns);
      }
    }
    this.#last = [...text.slice(-2)].at(-1) ?? '';
    this.#lastStyle = this.style;
  }

  #advance(width: number, columns: number): void {
    const end = this.column + width;
    if (end > columns) {
      this.#wrapped = true;
      this.filled = 0;
    }
    this.column = end <= columns ? end : ((end - 1) % columns) + 1;
    this.filled = Math.max(this.filled, this.column);
  }

  #tab(columns: number): void {
    if (this.column < columns) this.column = Math.min(columns - 1, (this.column >> 3) * 8 + 8);
    this.filled = Math.max(this.filled, this.column);
    this.#last = '';
  }

  #restyle(parameters: string): void {
    if (/^0*$/.test(parameters)) this.style = '';
    else if (/^0*;/.test(parameters)) this.style = `\x1b[${parameters}m`;
    else this.style = `${this.style}\x1b[${parameters}m`.slice(-MAX_STYLE).replace(/^[^\x1b]+/, '');
  }
}
