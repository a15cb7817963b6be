/** A row taken out, and an empty one put in, which moves the rows between by one. */
export interface RowShift {
  readonly remove: number;
  /** Where the empty row is afterwards; never the first row. */
  readonly insert: number;
}

/** The rows after a shift. */
export function shifted(rows: readonly string[], { remove, insert }: RowShift): string[] {
  return rows.toSpliced(remove, 1).toSpliced(insert, 0, '');
}

/** The shift that leaves the fewest rows to be written, if it saves any. Panels are small enough to try them all. */
export function bestShift(
  before: readonly string[],
  after: readonly string[],
): RowShift | undefined {
  // A shift has a cost of its own, and leaves at least the inserted row to be written.
  let fewest = differences(before, after) - 1;
  let best: RowShift | undefined;
  for (let remove = before.length - 1; remove >= 0 && fewest > 1; remove--) {
    for (let insert = 1; insert < before.length; insert++) {
      if (before[remove] === after[remove] || insert === remove) continue;
      const count = differences(shifted(before, { remove, insert }), after);
      if (count >= fewest) continue;
      fewest = count;
      best = { remove, insert };
    }
  }
  return best;
}

function differences(before: readonly string[], after: readonly string[]): number {
  return after.filter((row, index) => row !== before[index]).length;
}
