import {
  BEGIN_FRAME,
  down,
  END_FRAME,
  ERASE_BELOW,
  makeRoom,
  RESET_STYLE,
  RESTORE_CURSOR,
  SAVE_CURSOR,
} from './escapes.ts';

/** What a panel is drawn on: `process.stdout`, or anything like it. */
export interface PanelStream {
  write(chunk: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
}

/**
 * Output with a panel that stays below it.
 *
 * The panel is drawn below the cursor, and after each frame the cursor is back where it was. So nothing above or left
 * of the cursor can ever be erased, whatever the terminal did in between.
 */
export class Screen {
  readonly #stream: PanelStream;
  #panel: readonly string[] = [];

  constructor(stream: PanelStream) {
    this.#stream = stream;
  }

  get columns(): number {
    return this.#stream.columns || 80;
  }

  get rows(): number {
    return this.#stream.rows || 24;
  }

  /** Shows these lines as the panel, in place of the earlier ones. */
  setPanel(lines: readonly string[]): void {
    if (same(lines, this.#panel)) return;
    this.#panel = lines;
    this.#stream.write(BEGIN_FRAME + this.#draw() + END_FRAME);
  }

  #draw(): string {
    const rows = this.#panel.map((line) => `\r\n${line}`).join('');
    return (
      makeRoom(Math.max(1, this.#panel.length)) +
      SAVE_CURSOR +
      RESET_STYLE +
      `${down(1)}\r${ERASE_BELOW}\x1b[A` +
      rows +
      RESTORE_CURSOR
    );
  }
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}
