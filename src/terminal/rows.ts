import { AUTOWRAP_OFF, AUTOWRAP_ON, down, ERASE_LINE_RIGHT, toColumn } from './escapes.ts';
import { displayWidth } from './text.ts';

/** Rows of characters that are one column wide on every terminal: ASCII, and the theme's own. */
const SURE = /^[\x20-\x7e\x1b─│┌┐└┘✓●○…]*$/;

/**
 * A row as written at the start of an empty one. Only its first character can wrap, which it may have to, to get into the
 * row. If terminals may disagree on the width of the text, the border is placed at its column.
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

/** Turns the rows `before` into as many rows `after`, with the cursor in the row above the first. */
export function changedRows(before: readonly string[], after: readonly string[]): string {
  let cursor = -1;
  let changes = '';
  after.forEach((row, index) => {
    if (row === before[index]) return;
    changes += `${down(index - cursor)}\r${wholeRow(row)}${ERASE_LINE_RIGHT}`;
    cursor = index;
  });
  return changes;
}
