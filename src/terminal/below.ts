import {
  down,
  ERASE_BELOW,
  makeRoom,
  RESET_STYLE,
  RESTORE_CURSOR,
  SAVE_CURSOR,
  TO_LAST_COLUMN,
  up,
} from './escapes.ts';

/** Goes to the next row with a line end. */
export const NEW_ROW = '\r\n';
/** Goes to the next row by wrapping: fills the last column, so that the next character wraps. */
export const WRAP_ROW = `${TO_LAST_COLUMN} `;

/** How to get from the cursor's row to a panel's first row, and how to remove the traces of that. */
export interface Joint {
  readonly enter: string;
  readonly leave?: string;
}

/**
 * Draws rows below the cursor, replacing everything there, and moves the cursor back.
 *
 * It is best to enter the rows by wrapping. When xterm.js gets narrower, it lays out every line again except the cursor's,
 * and counts rows added below the cursor as if they were above. By wrapping, they are all one line.
 *
 * @param intoNext How to get from each row to the next.
 */
export function drawBelow(
  rows: readonly string[],
  { enter, leave = '' }: Joint,
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
 * Erases everything below the cursor.
 *
 * @param lineEnd Erases the cursor's row after its text: a terminal that got wider may have put the panel's first row
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
