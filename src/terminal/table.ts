import { displayWidth, truncate, wrap } from './text.ts';

const GAP = '  ';

type Paint = (text: string) => string;

/**
 * Rows of texts in columns, as lines. The last column takes the rest of `width` and wraps if that is too little; the
 * others are cut if they would leave it less than a third.
 *
 * @param rows texts without control characters, as many in each row.
 * @param width the columns of the screen; without it nothing is cut or wrapped.
 * @param paint how a cell looks, padded as it is.
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
  const taken = () => widths.reduce((sum, each) => sum + each + GAP.length, 0);
  const lastWidth = Math.max(...rows.map((row) => displayWidth(row[count - 1] ?? '')));
  const kept = width - Math.min(Math.floor(width / 3), lastWidth);
  for (let most = Math.max(1, ...widths); most > 1 && taken() > kept; most--) {
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
      return [...cells, paint(y, count - 1)(line)].join(GAP).trimEnd();
    });
  });
}
