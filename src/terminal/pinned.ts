import { eraseBelow } from './below.ts';
import {
  BEGIN_FRAME,
  END_FRAME,
  ERASE_LINE_RIGHT,
  makeRoom,
  NEXT_ROW,
  RESET_STYLE,
  RESTORE_CURSOR,
  SAVE_CURSOR,
  scrollTo,
  toRow,
  up,
} from './escapes.ts';
import { wholeRow } from './rows.ts';

/** More than any screen has: a terminal then moves to its last row, whatever its size has become meanwhile. */
const LAST_ROW = 9998;
/** The fewest rows that a terminal scrolls. */
const LEAST_SCROLLED = 2;

/**
 * Draws rows at the bottom of a screen and scrolls only what is above them, so that whatever is written at the cursor
 * leaves them alone. The cursor stays at its text, which moves up if it is in the way.
 *
 * @param screenRows the height of the screen.
 * @returns the empty string if there is nothing to draw, or no room.
 */
export function pinned(rows: readonly string[], screenRows: number): string {
  const scrolled = screenRows - rows.length;
  if (rows.length === 0 || scrolled < LEAST_SCROLLED) return '';
  return (
    BEGIN_FRAME +
    atCursor(scrollTo()) +
    makeRoom(rows.length) +
    atCursor(
      RESET_STYLE +
        toRow(LAST_ROW) +
        up(rows.length - 1) +
        rows.map((row) => ERASE_LINE_RIGHT + wholeRow(row)).join(NEXT_ROW) +
        scrollTo(scrolled),
    ) +
    END_FRAME
  );
}

/** Removes pinned rows, and everything below the cursor's row. */
export function unpinned(): string {
  return atCursor(scrollTo()) + eraseBelow();
}

function atCursor(text: string): string {
  return SAVE_CURSOR + text + RESTORE_CURSOR;
}
