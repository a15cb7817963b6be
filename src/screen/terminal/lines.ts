import { displayWidth, truncate, wrap } from './text.ts';

/** A painted line and its width in columns. */
export interface Line {
  readonly text: string;
  readonly width: number;
}

export type Paint = (text: string) => string;

export const EMPTY_LINE: Line = { text: '', width: 0 };

export function line(text: string, paint: Paint = (same) => same): Line {
  return { text: text === '' ? '' : paint(text), width: displayWidth(text) };
}

export function join(...parts: readonly Line[]): Line {
  return {
    text: parts.map(({ text }) => text).join(''),
    width: parts.reduce((sum, { width }) => sum + width, 0),
  };
}

export function padded({ text, width }: Line, columns: number): Line {
  return { text: text + ' '.repeat(Math.max(0, columns - width)), width: Math.max(width, columns) };
}

/** `left`, cut to fit, with `right` at the end of the row. Without enough room, `right` is dropped. */
export function spread(
  left: string,
  right: string,
  columns: number,
  { ellipsis, paint = (same: string) => same, paintRight = (same: string) => same } = {} as {
    ellipsis: string;
    paint?: Paint;
    paintRight?: Paint;
  },
): Line {
  const room = columns - displayWidth(right) - 2;
  if (right === '' || room < Math.min(displayWidth(left), columns / 2)) {
    return line(truncate(left, columns, ellipsis), paint);
  }
  const start = padded(line(truncate(left, room, ellipsis), paint), room + 2);
  return join(start, line(right, paintRight));
}

export function beside(
  columns: readonly (readonly Line[])[],
  width: number,
  height: number,
  separator: Line,
): Line[] {
  return Array.from({ length: height }, (_, y) =>
    join(
      ...columns.flatMap((lines, x) => [
        ...(x > 0 ? [separator] : []),
        padded(lines[y] ?? EMPTY_LINE, width),
      ]),
    ),
  );
}

const COLUMN_GAP = '  ';

/**
 * Rows as lines with columns. The last column gets the rest of `width` and wraps; the others are truncated if they would
 * leave it less than a third.
 *
 * @param rows texts without control characters, the same number in each row.
 * @param width of the screen; default: no truncation, no wrapping.
 */
export function table(
  rows: readonly (readonly string[])[],
  { width = Number.POSITIVE_INFINITY, ellipsis = '…' } = {},
  paint: (row: number, column: number) => Paint = () => (text) => text,
): string[] {
  const count = rows[0]?.length ?? 0;
  const widths = Array.from({ length: count - 1 }, (_, column) =>
    Math.max(...rows.map((row) => displayWidth(row[column] ?? ''))),
  );
  // The widest gives way first.
  const taken = () => widths.reduce((sum, each) => sum + each + COLUMN_GAP.length, 0);
  const lastWidth = Math.max(...rows.map((row) => displayWidth(row[count - 1] ?? '')));
  const kept = width - Math.min(Math.floor(width / 3), lastWidth);
  for (let most = Math.max(...widths); most > 1 && taken() > kept; most--) {
    widths.forEach((each, column) => {
      widths[column] = Math.min(each, most);
    });
  }
  const room = Math.max(1, width - taken());
  return rows.flatMap((row, y) => {
    const last = row[count - 1] ?? '';
    const lines = room === Number.POSITIVE_INFINITY ? [last] : wrap(last, room);
    return lines.map((line, index) => {
      const cells = widths.map((each, x) => {
        const text = index === 0 ? truncate(row[x] ?? '', each, ellipsis) : '';
        const pad = ' '.repeat(each - displayWidth(text));
        return (text === '' ? '' : paint(y, x)(text)) + pad;
      });
      return [...cells, paint(y, count - 1)(line)].join(COLUMN_GAP).trimEnd();
    });
  });
}

/** Blocks of lines to scroll through; `focus` is the block that must be visible. */
export interface Body {
  readonly blocks: readonly (readonly Line[])[];
  /** Undefined if nothing is selected: then only `top` counts. */
  readonly focus?: number | undefined;
  /** How many things begin in each block, to count what is hidden. Default: one in each with text. */
  readonly things?: readonly number[];
  /** True if the focus moves by itself; then it is shown with lines around it. */
  readonly follows?: boolean;
}

export interface Sight {
  readonly lines: readonly Line[];
  readonly top: number;
  /** How many things are in blocks that are at least partly hidden. */
  readonly above: number;
  readonly below: number;
  /** True if the selected block continues off screen. */
  readonly focusGoesUp: boolean;
  readonly focusGoesDown: boolean;
}

/** Scrolls from `top` no further than necessary. */
export function sightOf(
  { blocks, focus, follows, things }: Body,
  height: number,
  top: number,
): Sight {
  const starts: number[] = [];
  let length = 0;
  for (const block of blocks) {
    starts.push(length);
    length += block.length;
  }
  const most = Math.max(0, length - height);
  const start = starts[focus ?? 0] ?? 0;
  const end = start + (blocks[focus ?? 0]?.length ?? 0);
  let first = Math.min(top, length - 1);
  if (focus !== undefined) {
    const isInSight = first <= start && end <= first + height;
    if (follows && !isInSight) {
      // Never cut a block at the top, even if rows at the bottom stay empty.
      const middle = Math.min(Math.floor((start + end - height) / 2), most);
      first = end - start < height ? (starts.find((at) => at >= middle) ?? 0) : start;
    }
    // The first bound is for a block that fits, the second for one taller than the screen.
    first = Math.max(first, Math.min(end - height, start));
    first = Math.min(first, Math.max(end - height, start));
  }
  if (!follows) first = Math.min(first, most);
  first = Math.max(0, first);
  const last = first + height;
  const endOf = (index: number) => (starts[index] ?? 0) + (blocks[index]?.length ?? 0);
  const counts = things ?? blocks.map((block) => (block.some(({ width }) => width > 0) ? 1 : 0));
  const countIf = (isHidden: (index: number) => boolean) =>
    counts.reduce((sum, count, index) => (isHidden(index) ? sum + count : sum), 0);
  return {
    lines: blocks.flat().slice(first, last),
    top: first,
    above: countIf((index) => (starts[index] ?? 0) < first),
    below: countIf((index) => endOf(index) > last),
    focusGoesUp: focus !== undefined && start < first,
    focusGoesDown: focus !== undefined && end > last,
  };
}
