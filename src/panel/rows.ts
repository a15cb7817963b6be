import {
  AUTOWRAP_OFF,
  AUTOWRAP_ON,
  DELETE_ROW,
  down,
  ERASE_LINE_RIGHT,
  INSERT_ROW,
  toColumn,
  up,
} from './escapes.ts';
import { changedPart } from './row-change.ts';
import { bestShift, shifted } from './row-shift.ts';
import { displayWidth } from './text.ts';

/** Rows of one-column characters on whose width no terminal disagrees: ASCII, and what the theme is made of. */
const SURE = /^[\x20-\x7e\x1b─│┌┐└┘✓●○…]*$/;

/**
 * A row as it is written at the start of an empty one. Where terminals may disagree on the width of its text, its last
 * character, which closes the box, is put at its column, and nothing can wrap.
 */
export function wholeRow(row: string): string {
  if (SURE.test(row)) return row;
  const text = row.replace(/\x1b\[[\d;]*m/g, '');
  const border = / ([│|])$/.exec(row)?.[1] ?? '';
  // The first character may have to wrap, to get into the row.
  const first = /^(\x1b\[[\d;]*m)*./u.exec(row)?.[0] ?? '';
  const rest = row.slice(first.length, row.length - border.length);
  const close = border === '' ? '' : toColumn(displayWidth(text)) + border + ERASE_LINE_RIGHT;
  return first + AUTOWRAP_OFF + rest + ERASE_LINE_RIGHT + close + AUTOWRAP_ON;
}

/** Fills the last column of a row, so that the next character wraps. */
export function wrap(columns: number): string {
  // In a single column it would fill what the row consists of.
  return columns > 1 ? `${toColumn(columns)} ` : '\r\n';
}

/** What turns the rows `before` into as many rows `after`, from a cursor that is `skip` + 1 rows above the first. */
export function changedRows(
  before: readonly string[],
  after: readonly string[],
  columns: number,
  skip: number,
): string {
  let cursor = -1 - skip;
  let changes = '';
  const change = (row: number, sequence: string) => {
    changes += up(cursor - row) + down(row - cursor) + sequence;
    cursor = row;
  };
  const shift = bestShift(before, after);
  if (shift) {
    change(shift.remove, DELETE_ROW);
    change(shift.insert, INSERT_ROW);
  }
  const old = shift ? shifted(before, shift) : before;
  after.forEach((row, index) => {
    const was = old[index] ?? '';
    if (index === shift?.insert) {
      // Entered as `drawBelow` enters it: by wrapping.
      change(index - 1, wrap(columns) + wholeRow(row));
      cursor = index;
    } else if (row !== was) {
      const isSure = SURE.test(row + was);
      const whole = `\r${wholeRow(row)}${ERASE_LINE_RIGHT}`;
      change(index, isSure ? changedPart(was, row) : whole);
    }
  });
  return changes;
}
