import fc from 'fast-check';
import { expect, test } from 'vitest';
import { table } from '../../src/terminal/lines.ts';
import { displayWidth } from '../../src/terminal/text.ts';

const ROWS = [
  ['NAME', 'DONE', 'WHAT'],
  ['漢字', '1/2', 'one two three'],
];

test('columns are as wide as they must be', () => {
  expect(table(ROWS)).toEqual(['NAME  DONE  WHAT', '漢字  1/2   one two three']);
});

test('where there is too little room, the last column is wrapped', () => {
  expect(table(ROWS, { width: 20 })).toEqual([
    'NAME  DONE  WHAT',
    '漢字  1/2   one two',
    '            three',
  ]);
});

test('columns that are too wide are cut, the widest first', () => {
  expect(table([['a very long name', 'x', 'what']], { width: 16 })).toEqual(['a very…  x  what']);
  expect(table([['a very long name', 'x', 'one two three']], { width: 24 })[0]).toBe(
    'a very lon…  x  one two',
  );
});

test('no line is wider than it may be', () => {
  const word = fc.string({ unit: fc.constantFrom('a', ' ', '漢') });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(word, word, word), { minLength: 1 }),
      fc.integer({ min: 12, max: 60 }),
      (rows, width) => {
        for (const line of table(rows, { width }))
          expect(displayWidth(line)).toBeLessThanOrEqual(width);
      },
    ),
  );
});
