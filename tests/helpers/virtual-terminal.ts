import { EventEmitter } from 'node:events';
import xterm from '@xterm/headless';
import { eastAsianWidth } from 'get-east-asian-width';

const WIDE_EMOJI = /^\p{Emoji_Presentation}$/u;

/** xterm.js's widths predate most emoji. Bit 0: the character joins the last one; bits 1 and 2: its width. */
const widths: xterm.IUnicodeVersionProvider = {
  version: 'wide emoji',
  wcwidth: (codePoint) => {
    const character = String.fromCodePoint(codePoint);
    if (codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0)) return 0;
    if (/[\p{Mn}\p{Me}]|\p{Default_Ignorable_Code_Point}/u.test(character)) return 0;
    return WIDE_EMOJI.test(character) || eastAsianWidth(codePoint) === 2 ? 2 : 1;
  },
  charProperties: (codePoint, preceding) => {
    const width = widths.wcwidth(codePoint);
    const base = (preceding >> 1) & 3;
    return width === 0 && base > 0 ? (base << 1) | 1 : width << 1;
  },
};

/** A terminal without a window, as the stream of a program. */
export class VirtualTerminal extends EventEmitter {
  isTTY = true;
  /** For counting; tests look at the screen, not at bytes. */
  readonly writes: string[] = [];
  readonly #terminal: xterm.Terminal;

  /** @param wideEmoji whether emoji are two columns wide, as on most terminals. */
  constructor(columns = 80, rows = 24, { wideEmoji = false } = {}) {
    super();
    this.#terminal = new xterm.Terminal({
      cols: columns,
      rows,
      scrollback: 10_000,
      allowProposedApi: true,
    });
    if (wideEmoji) {
      this.#terminal.unicode.register(widths);
      this.#terminal.unicode.activeVersion = widths.version;
    }
    this.columns = this.#terminal.cols;
    this.rows = this.#terminal.rows;
  }

  columns: number;
  rows: number;

  write(chunk: string | Uint8Array): boolean {
    this.writes.push(typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk));
    this.#terminal.write(chunk);
    return true;
  }

  /** Waits until everything written has been processed. */
  async settle(): Promise<void> {
    await new Promise<void>((resolve) => this.#terminal.write('', resolve));
  }

  /** Resizes the terminal, then tells the program, as with SIGWINCH. */
  async resize(columns: number, rows: number): Promise<void> {
    await this.settle();
    this.#terminal.resize(columns, rows);
    // At least two.
    this.columns = this.#terminal.cols;
    this.rows = this.#terminal.rows;
    this.emit('resize');
  }

  /** Without trailing blanks and trailing empty rows. */
  async screen(): Promise<string[]> {
    await this.settle();
    const { baseY, length } = this.#terminal.buffer.active;
    return this.#rows(baseY, length);
  }

  /** Scrollback and screen down to the cursor's row, with wrapped lines joined. */
  async linesToCursor(): Promise<string[]> {
    await this.settle();
    const buffer = this.#terminal.buffer.active;
    const last = buffer.baseY + buffer.cursorY;
    const lines: string[] = [];
    for (let y = 0; y <= last; y++) {
      const row = buffer.getLine(y);
      const wraps = y < last && buffer.getLine(y + 1)?.isWrapped;
      const text = row?.translateToString(!wraps) ?? '';
      if (row?.isWrapped && y > 0) lines.push(`${lines.pop()}${text}`);
      else lines.push(text);
    }
    return lines;
  }

  /** Without trailing blanks and trailing empty rows. */
  async rowsBelowCursor(): Promise<string[]> {
    await this.settle();
    const { baseY, cursorY, length } = this.#terminal.buffer.active;
    return this.#rows(baseY + cursorY + 1, length);
  }

  /** From 0. */
  async cursor(): Promise<{ x: number; y: number }> {
    await this.settle();
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { x: cursorX, y: cursorY };
  }

  /** As of the last `settle`. */
  cell(x: number, y: number): xterm.IBufferCell | undefined {
    const buffer = this.#terminal.buffer.active;
    return buffer.getLine(buffer.baseY + y)?.getCell(x);
  }

  get modes(): xterm.IModes {
    return this.#terminal.modes;
  }

  #rows(from: number, to: number): string[] {
    const rows: string[] = [];
    for (let y = from; y < to; y++) {
      rows.push(this.#terminal.buffer.active.getLine(y)?.translateToString(true).trimEnd() ?? '');
    }
    return withoutEmptyEnd(rows);
  }
}

function withoutEmptyEnd(rows: string[]): string[] {
  while (rows.at(-1) === '') rows.pop();
  return rows;
}
