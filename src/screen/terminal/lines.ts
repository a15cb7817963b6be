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
  look: { readonly ellipsis: string; readonly paint?: Paint; readonly paintRight?: Paint },
): Line {
  const { ellipsis, paint, paintRight } = look;
  const room = columns - displayWidth(right) - 2;
  if (right === '' || room < Math.min(displayWidth(left), columns / 2)) {
    return line(truncate(left, columns, ellipsis), paint);
  }
  const start = padded(line(truncate(left, room, ellipsis), paint), room + 2);
  return join(start, line(right, paintRight));
}

const COLUMN_GAP = '  ';

/**
 * Rows as lines with columns. The last column gets the rest of `width` and wraps, and so do the others, the widest first, if they
 * would leave it less than a third.
 *
 * @param rows texts without control characters, the same number in each row.
 * @param width of the screen; default: no wrapping.
 */
export function table(
  rows: readonly (readonly string[])[],
  width = Number.POSITIVE_INFINITY,
  paint: (row: number, column: number) => Paint = () => (text) => text,
): string[] {
  const all = (rows[0] ?? []).map((_, x) =>
    Math.max(...rows.map((row) => displayWidth(row[x] ?? ''))),
  );
  const lastWidth = all.at(-1) ?? 0;
  let widths = all.slice(0, -1);
  const taken = () => widths.reduce((sum, each) => sum + each + COLUMN_GAP.length, 0);
  const kept = width - Math.min(Math.floor(width / 3), lastWidth);
  // A column has room for a wide character.
  for (let most = Math.max(...widths); most > 2 && taken() > kept; most--) {
    widths = widths.map((each) => Math.min(each, most));
  }
  const room = Math.max(2, width - taken());
  return rows.flatMap((row, y) => {
    const cells = row.map((text, x) => wrap(text, widths[x] ?? room));
    return Array.from({ length: Math.max(...cells.map(({ length }) => length)) }, (_, at) =>
      cells
        .map((lines, x) => {
          const text = lines[at] ?? '';
          const pad = ' '.repeat(Math.max(0, (widths[x] ?? 0) - displayWidth(text)));
          return (text === '' ? '' : paint(y, x)(text)) + pad;
        })
        .join(COLUMN_GAP)
        .trimEnd(),
    );
  });
}

/** Lines to scroll through, and which of them each thing takes: an item, a list. */
export interface Body {
  readonly lines: readonly Line[];
  readonly things: readonly { readonly start: number; readonly end: number }[];
}

/** Things below each other. */
export function stacked(blocks: readonly (readonly Line[])[]): Body {
  return below(blocks.map((lines) => ({ lines, things: [{ start: 0, end: lines.length }] })));
}

/** Lines that belong to no thing. */
export function plain(...lines: readonly Line[]): Body {
  return { lines, things: [] };
}

export function below(bodies: readonly Body[]): Body {
  let top = 0;
  const things = bodies.flatMap(({ lines, things }) => {
    const at = top;
    top += lines.length;
    return things.map(({ start, end }) => ({ start: at + start, end: at + end }));
  });
  return { lines: bodies.flatMap(({ lines }) => lines), things };
}

/** Bodies next to each other, each in `width` columns. */
export function beside(bodies: readonly Body[], width: number, separator: Line): Body {
  const height = Math.max(...bodies.map(({ lines }) => lines.length));
  const lines = Array.from({ length: height }, (_, y) => {
    const cells = bodies.map(({ lines }) => padded(lines[y] ?? EMPTY_LINE, width));
    return join(...cells.flatMap((cell, x) => (x > 0 ? [separator, cell] : [cell])));
  });
  return { lines, things: bodies.flatMap(({ things }) => things) };
}

export interface Sight {
  readonly lines: readonly Line[];
  readonly top: number;
  /** How many things are at least partly hidden. */
  readonly above: number;
  readonly below: number;
  /** True if the selected thing continues off screen. */
  readonly focusGoesUp: boolean;
  readonly focusGoesDown: boolean;
}

/**
 * Scrolls from `top` no further than necessary.
 *
 * @param focus the thing that must be visible. Without it only `top` counts.
 * @param follows true if the focus moves by itself; then it is shown with lines around it.
 */
export function sightOf(
  { lines, things }: Body,
  height: number,
  { top, focus = -1, follows = false }: { top: number; focus?: number; follows?: boolean },
): Sight {
  const most = Math.max(0, lines.length - height);
  const chosen = things[focus];
  const { start = 0, end = 0 } = chosen ?? {};
  let first = Math.min(top, lines.length - 1);
  if (chosen) {
    const isInSight = first <= start && end <= first + height;
    if (follows && !isInSight) {
      // Never cut a thing at the top, even if rows at the bottom stay empty.
      const middle = Math.min(Math.floor((start + end - height) / 2), most);
      const cut = things.find((thing) => thing.start < middle && middle < thing.end);
      first = end - start < height ? (cut?.end ?? middle) : start;
    }
    // The first bound is for a thing that fits, the second for one taller than the screen.
    first = Math.max(first, Math.min(end - height, start));
    first = Math.min(first, Math.max(end - height, start));
  }
  if (!chosen || !follows) first = Math.min(first, most);
  first = Math.max(0, first);
  const last = first + height;
  return {
    lines: lines.slice(first, last),
    top: first,
    above: things.filter((thing) => thing.start < first).length,
    below: things.filter((thing) => thing.end > last).length,
    focusGoesUp: start < first && chosen !== undefined,
    focusGoesDown: end > last,
  };
}
