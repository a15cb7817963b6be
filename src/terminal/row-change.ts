import { ERASE_LINE_RIGHT, RESET_STYLE, toColumn } from './escapes.ts';

const STYLE_OR_CHARACTER = /\x1b\[([\d;]*)m|(.)/gsu;
const CLOSING_STYLE = /^(0|2[2-9]|[34]9)?$/;

/** A character of one column, with the sequences that set its style. */
interface Cell {
  readonly character: string;
  readonly style: string;
}

/** What turns one row into another, where all characters of both are one column wide: the cells that differ. */
export function changedPart(before: string, after: string): string {
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
