import { displayWidth, truncate } from '../terminal/text.ts';

/** A painted line and its width in columns. */
export interface Line {
  readonly text: string;
  readonly width: number;
}

type Paint = (text: string) => string;

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

/** Pads a line with blanks to `columns`. */
export function padded({ text, width }: Line, columns: number): Line {
  return { text: text + ' '.repeat(Math.max(0, columns - width)), width: Math.max(width, columns) };
}

/** `left`, cut to fit, with `right` at the end of the row. If there is too little room, `right` is dropped. */
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

/** Puts columns of lines side by side, each `width` wide, with a separator between them. */
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
