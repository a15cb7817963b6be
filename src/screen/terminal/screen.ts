import {
  BEGIN_FRAME,
  END_FRAME,
  ERASE_LINE_RIGHT,
  RESET_STYLE,
  RESTORE_CURSOR,
  SAVE_CURSOR,
  TO_LAST_COLUMN,
  toColumn,
} from './escapes.ts';
import { OutputFilter } from './output-filter.ts';
import { OutputTail } from './output-tail.ts';
import {
  changedRows,
  drawBelow,
  eraseBelow,
  NEW_ROW,
  type RowsJoint,
  WRAP_ROW,
  wholeRow,
} from './rows.ts';

/** The stream that a panel is drawn on: `process.stdout`, or anything like it. */
export interface PanelStream {
  write(chunk: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
}

/**
 * A terminal with output and a panel below it.
 *
 * The panel is below the cursor, and after each frame the cursor is back at the end of the output. So no frame can erase
 * anything above or left of the cursor, whatever the terminal or another program did in between. When a terminal shrinks,
 * it drops rows below the cursor first.
 *
 * All output must go through this class. Without a panel, only the output itself is written.
 */
export class Screen {
  readonly #stream: PanelStream;
  readonly #filters: boolean;
  readonly #wrapsRows: boolean;
  readonly #filter = new OutputFilter();
  readonly #tail = new OutputTail();
  /** The panel's rows, and those on the terminal now; undefined if unknown. */
  #panel: readonly string[] = [];
  #shown: readonly string[] | undefined = [];
  #isHidden = false;

  /**
   * @param options.filters whether to filter output, which a panel needs.
   * @param options.wrapsRows whether to draw for a terminal that may lose its cursor when it reflows; see `drawBelow`. On
   *   others, plain rows take less room when it narrows.
   */
  constructor(stream: PanelStream, { filters = true, wrapsRows = true } = {}) {
    this.#stream = stream;
    this.#filters = filters;
    this.#wrapsRows = wrapsRows;
  }

  get columns(): number {
    return this.#stream.columns || 80;
  }

  get rows(): number {
    return this.#stream.rows || 24;
  }

  /** Shows these rows as the panel, each at most `columns` wide. Writes only changes. */
  setPanel(rows: readonly string[]): void {
    this.#panel = rows;
    const fitting = this.#fitting();
    const shown = this.#shown;
    if (shown && sameRows(fitting, shown)) return;
    if (shown?.length !== fitting.length) {
      this.#frame(this.#draw());
      return;
    }
    this.#shown = fitting;
    const changes = changedRows(shown, fitting);
    this.#frame(SAVE_CURSOR + RESET_STYLE + changes + RESTORE_CURSOR + this.#refill());
  }

  /** Writes command output where the last output ended, filtered so that it cannot break the panel. */
  writeOutput(chunk: Uint8Array | string): void {
    const text = this.#filter.push(chunk);
    if (this.#filters) {
      this.#writeText(text);
    } else {
      this.#tail.push(text, this.columns);
      this.#stream.write(chunk);
    }
  }

  /** Drops incomplete sequences and turns off colours that a command left on. */
  endCommand(): void {
    const rest = this.#filter.end();
    if (this.#filters) this.#writeText(this.#tail.style === '' ? rest : rest + RESET_STYLE);
  }

  startLine(): void {
    if (!this.#tail.isEmpty) this.writeOutput('\n');
  }

  /** Removes the panel until `redraw`, for example while the program is suspended. */
  hide(): void {
    this.#isHidden = true;
    this.#frame(this.#erase());
  }

  /** Draws the whole panel again, after a resize or a suspension. */
  redraw(rows: readonly string[] = this.#panel): void {
    this.#panel = rows;
    this.#isHidden = false;
    this.#tail.resize(this.columns);
    this.#frame(this.#erase() + this.#draw());
  }

  /** Leaves the panel as ordinary text after the output, and the cursor below it. */
  close(): void {
    const rows = this.#panel;
    this.setPanel([]);
    if (rows.length === 0) return;
    this.startLine();
    this.#stream.write(rows.map((row) => `${wholeRow(row)}\r\n`).join(''));
  }

  #writeText(text: string): void {
    if (text === '') return;
    const erased = this.#erase();
    this.#tail.push(text, this.columns);
    this.#frame(erased + text + this.#draw());
  }

  /** One write, which terminals with synchronized output show all at once. */
  #frame(body: string): void {
    if (body === '') return;
    const plain = this.#shown?.length === 0 && !body.includes(SAVE_CURSOR);
    this.#stream.write(plain ? body : BEGIN_FRAME + body + END_FRAME);
  }

  #fitting(): readonly string[] {
    const room = this.#isHidden ? 0 : Math.max(0, this.rows - 1);
    return this.#panel.slice(0, room);
  }

  #erase(): string {
    if (this.#shown?.length === 0) return '';
    this.#shown = [];
    // With a single row, making room would scroll the cursor's own row away.
    return this.rows > 1 ? eraseBelow(this.#lineEnd()) + this.#refill() : '';
  }

  #draw(): string {
    const rows = this.#fitting();
    if (rows.length === 0) return this.#erase();
    this.#shown = rows;
    return drawBelow(rows.map(wholeRow), this.#joint(), this.#intoNext()) + this.#refill();
  }

  #intoNext(): string {
    // In a single column, filling the last one would overwrite the row's content.
    return this.#wrapsRows && this.columns > 1 ? WRAP_ROW : NEW_ROW;
  }

  #joint(): RowsJoint {
    const { columns } = this;
    if (this.#intoNext() === NEW_ROW) return { enter: NEW_ROW };
    if (this.#tail.isFull(columns)) return { enter: this.#tail.refill(columns) + RESET_STYLE };
    if (!this.#tail.isLastColumnFree(columns)) return { enter: NEW_ROW };
    return { enter: WRAP_ROW, leave: TO_LAST_COLUMN + ERASE_LINE_RIGHT };
  }

  #refill(): string {
    return this.#tail.isFull(this.columns) ? this.#tail.refill(this.columns) : '';
  }

  #lineEnd(): string {
    const { columns } = this;
    if (this.#tail.isFull(columns)) return '';
    if (this.#tail.isAtEnd) return ERASE_LINE_RIGHT;
    const isKnown = this.#tail.isOneRow && this.#tail.isLastColumnFree(columns);
    return isKnown ? toColumn(this.#tail.filled + 1) + ERASE_LINE_RIGHT : '';
  }
}

function sameRows(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((row, index) => row === b[index]);
}
