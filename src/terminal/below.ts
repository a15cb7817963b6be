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

/** Into the next row by a line end. */
export const NEW_ROW = '\r\n';
/** Into the next row by wrapping: the last column is filled, so that the next character wraps. */
export const WRAP_ROW = `${TO_LAST_COLUMN} `;

/** How to get from the cursor's row into the first of a panel, and how to remove the traces of that afterwards. */
export interface Joint {
  readonly enter: string;
  readonly leave?: string;
}

/**
 * Draws rows below the cursor, in place of everything that is there, and comes back to it.
 *
 * The rows are best entered by wrapping. xterm.js, when it narrows, lays out again every line but the one that the
 * cursor is in, and counts the rows which this adds below the cursor as if they were above. So all are one line.
 *
 * @param intoNext How to get from each row into the next.
 * @param skip Rows below the cursor that are not the panel's, but of the prompt to be written there.
 */
export function drawBelow(
  rows: readonly string[],
  { enter, leave = '' }: Joint,
  intoNext: string,
  skip = 0,
): string {
  return (
    makeRoom(skip + rows.length) +
    SAVE_CURSOR +
    RESET_STYLE +
    down(skip + 1) +
    `\r${ERASE_BELOW}${up(1)}` +
    enter +
    rows.join(intoNext) +
    RESTORE_CURSOR +
    (leave === '' ? '' : RESET_STYLE + down(skip) + leave + RESTORE_CURSOR)
  );
}

/**
 * Erases everything that is below the cursor.
 *
 * @param lineEnd What erases the cursor's row behind its text: a terminal that has become wider may have put the first
 *   row of the panel there.
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
