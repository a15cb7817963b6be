import {
  down,
  ERASE_BELOW,
  makeRoom,
  RESET_STYLE,
  RESTORE_CURSOR,
  SAVE_CURSOR,
  up,
} from './escapes.ts';
import { wrap } from './rows.ts';

/** How to get from the row above a panel into its first row, and how to remove the traces of that afterwards. */
export interface Joint {
  readonly enter: string;
  readonly leave?: string;
}

/**
 * Draws rows below the cursor, in place of all that is there, and comes back to it.
 *
 * The rows are entered by wrapping, not by newlines. xterm.js, when it narrows, lays out anew every line but the one
 * that the cursor is in, and counts rows that this adds below the cursor as if they were above; so all are one line.
 *
 * @param skip Rows below the cursor that are not the panel's, but of the input that the cursor is in.
 */
export function drawBelow(
  rows: readonly string[],
  { enter, leave = '' }: Joint,
  columns: number,
  skip: number,
): string {
  return (
    makeRoom(skip + rows.length) +
    SAVE_CURSOR +
    RESET_STYLE +
    down(skip + 1) +
    `\r${ERASE_BELOW}${up(1)}` +
    enter +
    rows.join(wrap(columns)) +
    RESTORE_CURSOR +
    (leave === '' ? '' : RESET_STYLE + down(skip) + leave + RESTORE_CURSOR)
  );
}

/** Erases all that is below the cursor but for `skip` rows. Never touches the cursor's own row. */
export function eraseBelow(skip: number): string {
  return (
    makeRoom(skip + 1) +
    SAVE_CURSOR +
    RESET_STYLE +
    `${down(skip + 1)}\r${ERASE_BELOW}` +
    RESTORE_CURSOR
  );
}
