import {
  AUTOWRAP_OFF,
  AUTOWRAP_ON,
  BEGIN_FRAME,
  END_FRAME,
  ERASE_LINE_RIGHT,
  RESET_STYLE,
  toColumn,
  toRow,
} from './escapes.ts';
import type { PanelStream } from './screen.ts';

const ALTERNATE_SCREEN = '\x1b[?1049h';
const NORMAL_SCREEN = '\x1b[?1049l';
/** Save and restore the terminal's title. */
const KEEP_TITLE = '\x1b[22;2t';
const OLD_TITLE = '\x1b[23;2t';
const BELL = '\x07';
const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
/** Bracketed paste. */
const MARK_PASTES = '\x1b[?2004h';
const DO_NOT_MARK_PASTES = '\x1b[?2004l';

/** With the parts of Node's stream that keep a stalled terminal from blocking the program. */
type ScreenStream = PanelStream & {
  once?(event: 'drain', listener: () => void): unknown;
  readonly writableLength?: number;
  readonly _handle?: { setBlocking?(isBlocking: boolean): void };
};

/** Node would block in each write to a terminal that nobody reads, and handle no signal meanwhile. */
export function writeWithoutWaiting(stream: object): void {
  (stream as ScreenStream)._handle?.setBlocking?.(false);
}

export interface Frame {
  /** From the top, each narrower than the screen. */
  readonly rows: readonly string[];
  /** Without control characters. */
  readonly title?: string;
  /** Counted from 0; hidden if undefined. */
  readonly cursor?: { readonly x: number; readonly y: number } | undefined;
}

/**
 * Uses the whole terminal, on its alternate screen.
 *
 * Each frame is one write, with only the changed rows. Each row is placed and never wraps, so if a terminal disagrees on a
 * character's width, no other row moves.
 */
export class FullScreen {
  readonly #stream: ScreenStream;
  /** The frame to show once the terminal has read the last one; true if there is none yet. */
  #late: Frame | true | undefined;
  #shown: readonly string[] = [];
  #cursor: string | undefined;
  #title: string | undefined;
  #isUnknown = true;
  #isLeft = false;

  constructor(stream: ScreenStream) {
    this.#stream = stream;
    writeWithoutWaiting(stream);
  }

  /** The size of the terminal, or 80 by 24 if unknown. */
  get columns(): number {
    return this.#stream.columns || 80;
  }

  get rows(): number {
    return this.#stream.rows || 24;
  }

  enter(): void {
    this.#stream.write(KEEP_TITLE + ALTERNATE_SCREEN + HIDE_CURSOR + AUTOWRAP_OFF + MARK_PASTES);
    this.#isLeft = false;
    this.forget();
  }

  /** Frames are dropped from now on, until `enter`. */
  leave(): void {
    this.#isLeft = true;
    this.#stream.write(
      DO_NOT_MARK_PASTES + RESET_STYLE + AUTOWRAP_ON + SHOW_CURSOR + NORMAL_SCREEN + OLD_TITLE,
    );
  }

  /** True if the terminal has not yet read everything. */
  get isBehind(): boolean {
    return (this.#stream.writableLength ?? 0) > 0;
  }

  /** Call this if the terminal was resized or used by others: the next frame is drawn completely. */
  forget(): void {
    this.#isUnknown = true;
    this.#cursor = undefined;
    this.#title = undefined;
  }

  ring(): void {
    this.#stream.write(BELL);
  }

  show(frame: Frame): void {
    if (this.#isLeft) return;
    if (this.#late) {
      this.#late = frame;
      return;
    }
    const { rows, cursor, title } = frame;
    const height = this.rows;
    let changes = '';
    if (title !== undefined && title !== this.#title) changes += `\x1b]2;${title}\x1b\\`;
    this.#title = title;
    for (let y = 0; y < height; y++) {
      const row = rows[y] ?? '';
      if (!this.#isUnknown && row === (this.#shown[y] ?? '')) continue;
      changes += toRow(y) + RESET_STYLE + row + RESET_STYLE + ERASE_LINE_RIGHT;
    }
    const place = cursor ? toRow(cursor.y) + toColumn(cursor.x + 1) + SHOW_CURSOR : HIDE_CURSOR;
    const isMoved = place !== this.#cursor;
    this.#isUnknown = false;
    this.#shown = rows.slice(0, height);
    this.#cursor = place;
    if (changes === '' && !isMoved) return;
    // A visible cursor would flicker through the rows.
    const isRead = this.#stream.write(BEGIN_FRAME + HIDE_CURSOR + changes + place + END_FRAME);
    if (isRead !== false || !this.#stream.once) return;
    this.#late = true;
    this.#stream.once('drain', () => {
      const late = this.#late;
      this.#late = undefined;
      if (late && late !== true) this.show(late);
    });
  }
}
