/** The row that output goes to: where the cursor is in it, and how much of it is filled. */
export class OutputRow {
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
