import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csv, markdownText } from '../../src/command/exports.ts';

/** Reads RFC 4180, as a spreadsheet does. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r\n)/g,
  )) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

test('what csv writes is read back as it was', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ',', '"', ' ', '漢') });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { minLength: 1 }), (rows) => {
      expect(readCsv(csv(rows))).toEqual(rows);
    }),
  );
});

test('a text that a spreadsheet would run is only a text', () => {
  expect(csv([['=1+1', '-x', 'a=b']])).toBe("'=1+1,'-x,a=b\r\n");
});

test('no control reaches a terminal, and nothing of a text is markup', () => {
  expect(csv([['\x1b[31mred']])).not.toContain('\x1b');
  expect(markdownText('*a* <b> [c](d) `e` | #1 \x1b')).toBe(
    '\\*a\\* \\<b\\> \\[c\\](d) \\`e\\` \\| \\#1 ␛',
  );
});
