/** All except synchronized output (2026) are as old as the VT220. */

export const BEGIN_FRAME = '\x1b[?2026h';
export const END_FRAME = '\x1b[?2026l';
export const SAVE_CURSOR = '\x1b7';
export const RESTORE_CURSOR = '\x1b8';
export const RESET_STYLE = '\x1b[0m';
export const ERASE_LINE_RIGHT = '\x1b[K';
export const ERASE_BELOW = '\x1b[J';
export const NEXT_ROW = '\x1bE';
export const AUTOWRAP_ON = '\x1b[?7h';
export const AUTOWRAP_OFF = '\x1b[?7l';

export const up = (rows: number): string => (rows > 0 ? `\x1b[${rows}A` : '');
export const down = (rows: number): string => (rows > 0 ? `\x1b[${rows}B` : '');
/** Columns count from 1. */
export const toColumn = (column: number): string => `\x1b[${column}G`;

/** Correct even if the terminal has just become wider. */
export const TO_LAST_COLUMN = toColumn(9999);

/** Makes sure there are `rows` rows below the cursor, scrolling if necessary. Unlike newlines, it keeps the column. */
export const makeRoom = (rows: number): string => '\x1bD'.repeat(rows) + up(rows);

/** Limits scrolling to these rows of the screen, or to none, and moves to the first row. */
export const scrollTo = (rows?: number): string => `\x1b[${rows === undefined ? '' : `1;${rows}`}r`;

/** Rows count from 0. */
export const toRow = (row: number): string => `\x1b[${row + 1};1H`;
