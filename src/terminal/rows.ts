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
 * A row as it is written at the start of an empty one. Only its first character can wrap, which may have to, to get
 * into the row. Where terminals may disagree on the width of the text, the border is put at its column.
 */
export function wholeRow(row: string): string {
  const first = /^(\x1b\[[\d;]*m)*./u.exec(row)?.[0] ?? '';
  const rest = row.slice(first.length);
  return first + AUTOWRAP_OFF + (SURE.test(row) ? rest : withPlacedBorder(row, rest)) + AUTOWRAP_ON;
}

function withPlacedBorder(row: string, rest: string): string {
  const border = / ([│|])$/.exec(row)?.[1] ?? '';
  if (border === '') return rest;
  const column = displayWidth(row.replace(/\x1b\[[\d;]*m/g, ''));
  return rest.slice(0, -1) + ERASE_LINE_RIGHT + toColumn(column) + border + ERASE_LINE_RIGHT;
}

/**
 * What turns the rows `before` into as many rows `after`, from a cursor that is `skip` + 1 rows above the first.
 *
 * @param intoNext How to get from a row into the next; see `drawBelow`.
 */
export function changedRows(
  before: readonly string[],
  after: readonly string[],
  intoNext: string,
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
      change(index - 1, intoNext + wholeRow(row));
      cursor = index;
    } else if (row !== was) {
      const isSure = SURE.test(row + was);
      const whole = `\r${wholeRow(row)}${ERASE_LINE_RIGHT}`;
      change(index, isSure ? changedPart(was, row) : whole);
    }
  });
  return changes;
}
