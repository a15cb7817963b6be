import { EventEmitter } from 'node:events';
import xterm from '@xterm/headless';

/** A terminal without a window, and the stream of a program that runs on it. */
export class VirtualTerminal extends EventEmitter {
  readonly isTTY = true;
  /** All that was written, for counting; tests look at the screen, not at bytes. */
  readonly writes: string[] = [];
  readonly #terminal: xterm.Terminal;

  constructor(columns = 80, rows = 24, options: xterm.ITerminalOptions = {}) {
    super();
    this.#terminal = new xterm.Terminal({
      cols: columns,
      rows,
      scrollback: 10_000,
      allowProposedApi: true,
      ...options,
    });
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

  /** Waits until all that was written has been carried out. */
  async settle(): Promise<void> {
    await new Promise<void>((resolve) => this.#terminal.write('', resolve));
  }

  /** The terminal takes its new size, and then the program hears of it, as with SIGWINCH. */
  async resize(columns: number, rows: number): Promise<void> {
    await this.settle();
    this.#terminal.resize(columns, rows);
    // It takes no less than two columns.
    this.columns = this.#terminal.cols;
    this.rows = this.#terminal.rows;
    this.emit('resize');
  }

  /** The rows of the screen, without blanks at their ends and without empty rows at the end. */
  async screen(): Promise<string[]> {
    await this.settle();
    const { baseY, length } = this.#terminal.buffer.active;
    return this.#rows(baseY, length);
  }

  /** The rows that have left the screen at its top. */
  async scrollback(): Promise<string[]> {
    await this.settle();
    return this.#rows(0, this.#terminal.buffer.active.baseY);
  }

  /** Scrollback and screen down to the cursor's row, each line that the terminal had to wrap in one piece again. */
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

  /** The rows below the cursor, without blanks at their ends and without empty rows at the end. */
  async rowsBelowCursor(): Promise<string[]> {
    await this.settle();
    const { baseY, cursorY, length } = this.#terminal.buffer.active;
    return this.#rows(baseY + cursorY + 1, length);
  }

  /** Where the cursor is: column and row of the screen, from 0. */
  async cursor(): Promise<{ x: number; y: number }> {
    await this.settle();
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { x: cursorX, y: cursorY };
  }

  /** One cell of the screen, with its colours. */
  async cell(x: number, y: number): Promise<xterm.IBufferCell | undefined> {
    await this.settle();
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
