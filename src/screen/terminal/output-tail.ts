import { RESET_STYLE, toColumn } from './escapes.ts';
import { characterWidth } from './text.ts';

const ONE_COLUMN_EACH = /^[ -~]*$/;
/** Text, a control character, or a sequence that OutputFilter passes. */
const OUTPUT_TOKEN = /[^\x00-\x1f\x7f]+|\x1b\[([\d;:]*)([mKHJ])|[\x00-\x1f\x7f]/g;
/** Characters whose width depends on their neighbours or on the terminal. */
const DOUBTFUL = /[\p{M}\p{Default_Ignorable_Code_Point}\p{Regional_Indicator}\p{Emoji_Modifier}]/u;
const MAX_STYLE = 256;

/**
 * Tracks the last line of the output: the cursor's place in its row, and the active colours.
 *
 * A terminal that has just filled a row wraps at the next character, unless the cursor moves in between. So whoever moves
 * the cursor there must print the row's last character again.
 */
export class OutputTail {
  /** The active colours and attributes, as the sequences that turned them on. */
  style = '';
  /** The columns left of the cursor; all of the terminal's if the row is full. */
  #column = 0;
  /** The columns of the row up to its last text. */
  filled = 0;
  isOneRow = true;
  /** False if a width is doubtful, or the terminal may have reflowed the line. */
  #isCertain = true;
  #last = '';
  #lastStyle = '';

  push(text: string, columns: number): void {
    const lastLine = text.lastIndexOf('\n');
    for (const match of text.matchAll(OUTPUT_TOKEN)) {
      const [token, parameters = '', final] = match;
      if (final === 'm') this.#restyle(parameters);
      else if (match.index < lastLine) continue;
      else if (final === 'H' || token === '\n') this.#newLine();
      else if (final === 'K') this.#erased(parameters);
      else if (token < ' ') this.#control(token, columns);
      else this.#print(token, columns);
    }
  }

  /** Not all terminals reflow, so a line that does not fit may look either way. */
  resize(columns: number): void {
    if (!this.isOneRow || this.filled > columns) this.#isCertain = false;
  }

  get isEmpty(): boolean {
    return this.#last === '' && this.filled === 0 && this.isOneRow;
  }

  get isAtEnd(): boolean {
    return this.#column === this.filled;
  }

  isFull(columns: number): boolean {
    return this.#column === columns && this.#isCertain && this.#last !== '';
  }

  isLastColumnFree(columns: number): boolean {
    return this.#isCertain && this.filled < columns;
  }

  /** Makes the terminal wait after the last character of a full row again. */
  refill(columns: number): string {
    const place = toColumn(columns - characterWidth(this.#last) + 1);
    return this.#lastStyle === this.style
      ? place + this.#last
      : place + RESET_STYLE + this.#lastStyle + this.#last + RESET_STYLE + this.style;
  }

  #newLine(): void {
    this.#column = this.filled = 0;
    this.isOneRow = this.#isCertain = true;
    this.#last = '';
  }

  /** Erasing to the right keeps a full row. Where it does not, the last character must not come back. */
  #erased(parameters: string): void {
    if (parameters !== '' && parameters !== '0') this.#last = '';
  }

  #control(token: string, columns: number): void {
    const column = this.#column;
    if (token === '\r') this.#column = 0;
    if (token === '\b') this.#column = Math.max(0, Math.min(column, columns - 1) - 1);
    if (token === '\t' && column < columns) {
      this.#column = Math.min(columns - 1, (column >> 3) * 8 + 8);
      this.filled = Math.max(this.filled, this.#column);
    }
  }

  #print(text: string, columns: number): void {
    if (ONE_COLUMN_EACH.test(text)) this.#advance(text.length, columns);
    else for (const character of text) this.#printCharacter(character, columns);
    this.#last = [...text.slice(-2)].at(-1) ?? '';
    this.#lastStyle = this.style;
  }

  #printCharacter(character: string, columns: number): void {
    if (DOUBTFUL.test(character)) this.#isCertain = false;
    const width = characterWidth(character);
    const room = columns - this.#column;
    this.#advance(room > 0 && room < width ? room + width : width, columns);
  }

  #advance(width: number, columns: number): void {
    const end = this.#column + width;
    if (end > columns) {
      this.filled = 0;
      this.isOneRow = false;
    }
    this.#column = ((end - 1) % columns) + 1;
    this.filled = Math.max(this.filled, this.#column);
  }

  #restyle(parameters: string): void {
    const sequence = `\x1b[${parameters}m`;
    if (/^0*$/.test(parameters)) this.style = '';
    else if (/^0*;/.test(parameters)) this.style = sequence;
    else this.style = (this.style + sequence).slice(-MAX_STYLE).replace(/^[^\x1b]+/, '');
  }
}
