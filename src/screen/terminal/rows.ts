import {
  AUTOWRAP_OFF,
  AUTOWRAP_ON,
  BEGIN_FRAME,
  down,
  END_FRAME,
  ERASE_BELOW,
  ERASE_LINE_RIGHT,
  makeRoom,
  NEXT_ROW,
  RESET_STYLE,
  RESTORE_CURSOR,
  SAVE_CURSOR,
  scrollTo,
  TO_LAST_COLUMN,
  toColumn,
  toRow,
  up,
} from './escapes.ts';
import { displayWidth } from './text.ts';

/** Characters that are one column wide on every terminal: ASCII and the theme's own. */
const SURE = /^[\x20-\x7e\x1b─│┌┐└┘✓●○…·−]*$/;

/**
 * Writes a row into an empty one. Only its first character may wrap: that may be the way into the row. If terminals may
 * disagree on the text's width, the border is placed at its column.
 */
export function wholeRow(row: string): string {
  const first = /^(\x1b\[[\d;]*m)*./u.exec(row)?.[0] ?? '';
  const rest = row.slice(first.length);
  return first + AUTOWRAP_OFF + (SURE.test(row) ? rest : withPlacedBorder(row, rest)) + AUTOWRAP_ON;
}

function withPlacedBorder(row: string, rest: string): string {
  const border = / ((?:\x1b\[[\d;]*m)*[│|](?:\x1b\[[\d;]*m)*)$/.exec(row)?.[1] ?? '';
  if (border === '') return rest;
  const column = displayWidth(row.replace(/\x1b\[[\d;]*m/g, ''));
  return (
    rest.slice(0, -border.length) + ERASE_LINE_RIGHT + toColumn(column) + border + ERASE_LINE_RIGHT
  );
}

/** Turns `before` into `after`, as many rows, with the cursor in the row above the first. */
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

export const NEW_ROW = '\r\n';
/** Fills the last column, so that the next character wraps. */
export const WRAP_ROW = `${TO_LAST_COLUMN} `;

/** How to get from the cursor's row to a panel's first row, and how to remove the traces of that. */
export interface RowsJoint {
  readonly enter: string;
  readonly leave?: string;
}

/**
 * Draws rows below the cursor, replacing everything there, and moves the cursor back.
 *
 * Rows are best entered by wrapping, which makes them one line: when xterm.js gets narrower, it reflows every line except
 * the cursor's, and counts rows added below the cursor as if they were above.
 *
 * @param intoNext how to get from each row to the next.
 */
export function drawBelow(
  rows: readonly string[],
  { enter, leave = '' }: RowsJoint,
  intoNext: string,
): string {
  return (
    makeRoom(rows.length) +
    SAVE_CURSOR +
    RESET_STYLE +
    down(1) +
    `\r${ERASE_BELOW}${up(1)}` +
    enter +
    rows.join(intoNext) +
    RESTORE_CURSOR +
    (leave === '' ? '' : RESET_STYLE + leave + RESTORE_CURSOR)
  );
}

/**
 * @param lineEnd erases the cursor's row after its text: a terminal that got wider may have put the panel's first row
 *   there.
 */
export function eraseBelow(lineEnd = ''): string {
  return (
    makeRoom(1) +
    SAVE_CURSOR +
    RESET_STYLE +
    lineEnd +
    `${down(1)}\r${ERASE_BELOW}` +
    RESTORE_CURSOR
  );
}

/** More than any screen has, so terminals move to their last row, whatever their size is by now. */
const LAST_ROW = 9998;
/** The fewest rows that a terminal scrolls. */
const LEAST_SCROLLED = 2;

/**
 * Draws rows at the bottom of the screen and scrolls only what is above them, so that output at the cursor leaves them
 * alone. The cursor stays at its text, which moves up if it is in the way, and what is below it is erased: a terminal that got
 * narrower may have put pieces of older rows there.
 *
 * @returns nothing if there is nothing to draw, or no room.
 */
export function pinned(rows: readonly string[], screenRows: number): string {
  const drawn = atBottom(rows, screenRows);
  return drawn && BEGIN_FRAME + unpinned() + makeRoom(rows.length) + drawn + END_FRAME;
}

function atBottom(rows: readonly string[], screenRows: number): string {
  const scrolled = screenRows - rows.length;
  if (rows.length === 0 || scrolled < LEAST_SCROLLED) return '';
  return atCursor(
    RESET_STYLE +
      toRow(LAST_ROW) +
      up(rows.length - 1) +
      rows.map((row) => ERASE_LINE_RIGHT + wholeRow(row)).join(NEXT_ROW) +
      scrollTo(scrolled),
  );
}

/** Replaces pinned rows and erases nothing else: what is typed may go on below the cursor. */
export function repinned(rows: readonly string[], screenRows: number): string {
  const drawn = atBottom(rows, screenRows);
  // The cursor stops in the last row that scrolls. Typed text leaves the end of that row free: from there, readline wraps.
  const rest = RESET_STYLE + down(LAST_ROW) + TO_LAST_COLUMN + ERASE_BELOW;
  const room = drawn === '' ? '' : makeRoom(rows.length);
  return BEGIN_FRAME + atCursor(rest) + atCursor(scrollTo()) + room + drawn + END_FRAME;
}

/** Removes pinned rows, and everything below the cursor's row. */
function unpinned(): string {
  return atCursor(scrollTo()) + eraseBelow();
}

function atCursor(text: string): string {
  return SAVE_CURSOR + text + RESTORE_CURSOR;
}
