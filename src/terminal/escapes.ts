/** The control sequences that the panel needs. All except synchronized output are as old as the VT220. */

export const BEGIN_FRAME = '\x1b[?2026h';
export const END_FRAME = '\x1b[?2026l';
export const SAVE_CURSOR = '\x1b7';
export const RESTORE_CURSOR = '\x1b8';
export const RESET_STYLE = '\x1b[0m';
export const ERASE_LINE_RIGHT = '\x1b[K';
export const ERASE_BELOW = '\x1b[J';
/** To the start of the next row. */
export const NEXT_ROW = '\x1bE';
export const AUTOWRAP_ON = '\x1b[?7h';
export const AUTOWRAP_OFF = '\x1b[?7l';

export const up = (rows: number): string => (rows > 0 ? `\x1b[${rows}A` : '');
export const down = (rows: number): string => (rows > 0 ? `\x1b[${rows}B` : '');
/** Moves within the row, to a column counted from 1. */
export const toColumn = (column: number): string => `\x1b[${column}G`;

/** Moves to the last column, even if the terminal has just become wider than we know. */
export const TO_LAST_COLUMN = toColumn(9999);

/** Makes sure there are `rows` rows below the cursor, scrolling if necessary. Unlike newlines, it keeps the column. */
export const makeRoom = (rows: number): string => '\x1bD'.repeat(rows) + up(rows);

/** Scrolls only these rows of the screen, or all of them, and moves to its first row. */
export const scrollTo = (rows?: number): string => `\x1b[${rows === undefined ? '' : `1;${rows}`}r`;

/** To the start of a row of the screen, counted from 0. */
export const toRow = (row: number): string => `\x1b[${row + 1};1H`;
