import {
  AUTOWRAP_OFF,
  AUTOWRAP_ON,
  down,
  ERASE_LINE_RIGHT,
  RESET_STYLE,
  toColumn,
} from './escapes.ts';
import { displayWidth } from './text.ts';

/** Rows of one-column characters on whose width no terminal disagrees: ASCII, and what the theme is made of. */
const SURE = /^[\x20-\x7e\x1b─│┌┐└┘✓●○…]*$/;
const STYLE_OR_CHARACTER = /\x1b\[([\d;]*)m|(.)/gsu;
const CLOSING_STYLE = /^(0|2[2-9]|[34]9)?$/;

/**
 * A row as it is written at the start of an empty one. Where terminals may disagree on the width of its text, its last
 * character, which closes the box, is put at its column, and nothing can wrap.
 */
export function wholeRow(row: string): string {
  if (SURE.test(row)) return row;
  const text = row.replace(/\x1b\[[\d;]*m/g, '');
  const border = /\x1b/.test(row.slice(-1)) ? '' : (/ (\S)$/.exec(text)?.[1] ?? '');
  const head = border === '' ? row : row.slice(0, -border.length);
  const close = border === '' ? '' : toColumn(displayWidth(text)) + border + ERASE_LINE_RIGHT;
  return AUTOWRAP_OFF + head + ERASE_LINE_RIGHT + close + AUTOWRAP_ON;
}

/** What turns the rows `before` into as many rows `after`, from a cursor that is `skip` + 1 rows above the first. */
export function changedRows(
  before: readonly string[],
  after: readonly string[],
  skip: number,
): string {
  let cursor = -1 - skip;
  let changes = '';
  after.forEach((row, index) => {
    const old = before[index] ?? '';
    if (row === old) return;
    const change = SURE.test(row) && SURE.test(old) ? changedPart(old, row) : `\r${wholeRow(row)}`;
    changes += down(index - cursor) + change;
    cursor = index;
  });
  return changes;
}

interface Cell {
  readonly character: string;
  readonly style: string;
}

function changedPart(before: string, after: string): string {
  const old = cells(before);
  const now = cells(after);
  let start = 0;
  while (start < now.length && equal(old[start], now[start])) start++;
  let end = 0;
  if (old.length === now.length) while (equal(old.at(-1 - end), now.at(-1 - end))) end++;
  const part = toColumn(start + 1) + written(now.slice(start, now.length - end));
  return now.length < old.length ? part + ERASE_LINE_RIGHT : part;
}

function equal(a: Cell | undefined, b: Cell | undefined): boolean {
  return a?.character === b?.character && a?.style === b?.style;
}

function cells(row: string): Cell[] {
  const found: Cell[] = [];
  let style = '';
  for (const [sequence, parameters, character] of row.matchAll(STYLE_OR_CHARACTER)) {
    if (character !== undefined) found.push({ character, style });
    else style = CLOSING_STYLE.test(parameters ?? '') ? '' : style + sequence;
  }
  return found;
}

function written(row: readonly Cell[]): string {
  let text = '';
  let current = '';
  for (const { character, style } of row) {
    if (style !== current) text += RESET_STYLE + style;
    current = style;
    text += character;
  }
  return current === '' ? text : text + RESET_STYLE;
}
