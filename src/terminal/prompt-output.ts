import { Writable } from 'node:stream';
import { ERASE_BELOW, up } from './escapes.ts';
import type { Screen } from './screen.ts';

/** The part of a `readline.Interface` that says where its cursor is. */
export interface LineEditor {
  readonly line: string;
  cursor: number;
  getCursorPos(): { rows: number; cols: number };
  /** The rows of the input above the cursor when it was last drawn; readline goes up so far to draw it again. */
  prevRows?: number;
}

/**
 * What a `readline.Interface` takes for the terminal, where a screen has it.
 *
 *     const output = new PromptOutput(screen);
 *     const editor = readline.createInterface({ input, output, terminal: true });
 *     output.editor = editor;
 *
 * The editor moves about in several small writes; they reach the screen as one, once the editor has done its key.
 */
export class PromptOutput extends Writable {
  readonly isTTY = true;
  /** Whose input is shown; until it is set, it is taken to be a single row. */
  editor: LineEditor | undefined;
  /** While it is set, what the editor writes is dropped: a command has the screen. */
  isMuted = false;
  readonly #screen: Screen;
  #pending = '';
  /** The rows of the input above and below the cursor when it was last shown. */
  #row = 0;
  #below = 0;

  constructor(screen: Screen) {
    super({ decodeStrings: false });
    this.#screen = screen;
  }

  get columns(): number {
    return this.#screen.columns;
  }

  get rows(): number {
    return this.#screen.rows;
  }

  override _write(chunk: string | Uint8Array, _encoding: string, done: () => void): void {
    if (this.isMuted) {
      done();
      return;
    }
    if (this.#pending === '') queueMicrotask(() => this.flush());
    this.#pending += String(chunk);
    // The line is entered: a command may now write its output, and must find the cursor below the input.
    if (this.#pending.endsWith('\r\n')) this.flush();
    done();
  }

  /** Shows at once what the editor has written so far. */
  flush(): void {
    const text = this.#pending;
    this.#pending = '';
    if (text === '') return;
    if (this.editor === undefined || text.endsWith('\n')) {
      this.#screen.writePrompt(text);
      this.#row = 0;
    } else {
      this.#showInput(text, this.editor);
    }
  }

  #showInput(text: string, editor: LineEditor): void {
    const { rows, cols } = editor.getCursorPos();
    const below = rowsBelow(editor);
    const isTyped = !/[\x00-\x1f]/.test(text) && rows === this.#row && below === this.#below;
    if (isTyped) this.#screen.writeTyped(text);
    // Input that ends with its row has the cursor in the next row, but a pasted text leaves it to wrap.
    else this.#screen.writePrompt(cols === 0 && below === 0 ? `${text} \r` : text, below);
    // The editor forgets to count the rows of a pasted text.
    editor.prevRows = rows;
    this.#row = rows;
    this.#below = below;
  }

  /** Takes the prompt and its input off the screen, so that output can come in their place. */
  clear(): void {
    this.flush();
    if (this.editor === undefined) return;
    const { rows } = this.editor.getCursorPos();
    this.#screen.writePrompt(`\r${up(rows)}${ERASE_BELOW}`);
    this.editor.prevRows = 0;
  }

  /** Tells the editor of a new size, so that it lays out its input anew. Call it after the screen has been redrawn. */
  resize(): void {
    // Where the terminal wraps the input anew with all the rest, readline must go up to where it now begins.
    if (this.editor && this.#screen.reflowsInput) {
      this.editor.prevRows = this.editor.getCursorPos().rows;
    }
    this.emit('resize');
    this.flush();
  }
}

function rowsBelow(editor: LineEditor): number {
  const { cursor, line } = editor;
  const { rows } = editor.getCursorPos();
  try {
    editor.cursor = line.length;
    return editor.getCursorPos().rows - rows;
  } finally {
    editor.cursor = cursor;
  }
}
