import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  below,
  line,
  plain,
  sightOf,
  spread,
  stacked,
  table,
} from '../../../src/screen/terminal/lines.ts';
import { displayWidth } from '../../../src/screen/terminal/text.ts';

test('what stands at the right of a row is dropped before half of the row is cut', () => {
  const row = (width: number) => spread('Fix login', '1/3', width, { ellipsis: '…' }).text;
  expect([10, 9, 7].map(row)).toEqual(['Fix …  1/3', 'Fix login', 'Fix lo…']);
});

const ROWS = [
  ['NAME', 'DONE', 'WHAT'],
  ['漢字', '1/2', 'one two three'],
];

test('columns are as wide as they must be, and painted', () => {
  const paint = (y: number, x: number) => (text: string) => `${y}${x}${text}`;
  expect(table([['a', 'b']], undefined, paint)).toEqual(['00a  01b']);
  expect(table(ROWS)).toEqual(['NAME  DONE  WHAT', '漢字  1/2   one two three']);
});

test('where there is too little room, the last column is wrapped, and then the widest ones: nothing is cut', () => {
  const [, ...rows] = table(ROWS, 20);
  expect(rows).toEqual(['漢字  1/2   one two', '            three']);
  const wrapped = (what: string, width: number) => table([['~/work/importer', 'x', what]], width);
  expect(wrapped('what', 16)).toEqual(['~/work/  x  what', 'importe', 'r']);
  expect(wrapped('one two three', 24)).toEqual([
    '~/work/impo  x  one two',
    'rter            three',
  ]);
});

test('no line is wider than it may be', () => {
  const word = fc.string({ unit: fc.constantFrom('a', ' ', '漢') });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(word, word, word), { minLength: 1 }),
      fc.integer({ min: 12, max: 60 }),
      (rows, width) => {
        for (const line of table(rows, width))
          expect(displayWidth(line)).toBeLessThanOrEqual(width);
      },
    ),
  );
});

test.each([
  ['in sight at the top', { focus: 2 }, { top: 2, above: 2, below: 4, focusGoesUp: false }],
  ['in sight at the bottom', { focus: 5 }, { top: 2, above: 2, below: 4, focusGoesDown: false }],
  ['below', { focus: 6 }, { top: 3, above: 3, below: 3 }],
  ['above', { focus: 1 }, { top: 1, above: 1, below: 5 }],
  ['none', {}, { top: 2, above: 2, below: 4, focusGoesUp: false, focusGoesDown: false }],
  ['at the bottom, and moves by itself', { focus: 5, follows: true }, { top: 2 }],
  ['at the top, and moves by itself', { focus: 2, follows: true }, { top: 2 }],
  ['above, and moves by itself', { focus: 1, follows: true }, { top: 0 }],
  ['below, and moves by itself', { focus: 6, follows: true }, { top: 4 }],
])('a window scrolls no further than it must: the selected row is %s', (_, selected, sight) => {
  const blocks = Array.from({ length: 10 }, () => [line('x')]);
  expect(sightOf(stacked(blocks), 4, { top: 2, ...selected })).toMatchObject(sight);
  expect(sightOf(stacked(blocks.slice(0, 3)), 4, { top: 2 }).top).toBe(0);
});

test('lines that belong to nothing are scrolled past one by one: the screen is filled', () => {
  const title = line('x');
  const body = below([plain(...Array(7).fill(title)), stacked([[title]])]);
  expect(sightOf(body, 4, { top: 0, focus: 0, follows: true })).toMatchObject({ top: 4, above: 0 });
});

test('things below a title, and below each other, are still their own lines', () => {
  const list = (...rows: string[]) =>
    below([plain(line('title')), stacked(rows.map((row) => [line(row)]))]);
  const { lines, things } = below([list('a', 'b'), list('c')]);
  const shown = things.map(({ start, end }) => lines.slice(start, end).map(({ text }) => text));
  expect(shown).toEqual([['a'], ['b'], ['c']]);
});
