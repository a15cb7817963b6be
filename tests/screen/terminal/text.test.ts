import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { line, sightOf, spread, table } from '../../../src/screen/terminal/lines.ts';
import { displayWidth, oneLine, truncate, wrap } from '../../../src/screen/terminal/text.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { runs } from '../../helpers/random.ts';
import { VirtualTerminal } from '../../helpers/virtual-terminal.ts';

test.each([
  ['a blank for breaks and blanks', '  one\r\ntwo\t\tthree \u3000four ', 'one two three four'],
  ['emoji without joiners, selectors and skin tones', '👩‍💻 ❤️ 👍🏽', '👩💻 ❤ 👍'],
  ['at most two combining marks', 'x\u0323\u0324\u0325\u0326y', 'x\u0323\u0324y'],
  ['no combining mark alone', '\u0301y', 'y'],
  ['composed what can be', 'e\u0301 \u1112\u1161\u11ab', 'é 한'],
])('a line holds %s', (_, text, line) => {
  expect(oneLine(text)).toBe(line);
});

test('a text is cut between characters, and the cut shows', () => {
  expect(truncate('abcdef', 6)).toBe('abcdef');
  expect(truncate('abcdef', 5)).toBe('abcd…');
  expect(truncate('你好吗', 5)).toBe('你好…');
  expect(truncate('你好吗', 4)).toBe('你…');
  expect(truncate('x\u0323\u0324yz', 2)).toBe('x\u0323\u0324…');
  expect(truncate('abcdef', 4, '...')).toBe('a...');
  expect(truncate('abcdef', 2, '...')).toBe('..');
  expect(truncate('abc', 0)).toBe('');
});

test('a character keeps its marks and a flag its two letters, without the segmenter, which is a fifth of a prompt', () => {
  const made = vi.spyOn(Intl, 'Segmenter');
  expect(truncate('ab\u0323\u0324\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}c', 5)).toBe(
    'ab\u0323\u0324\u{1f1e9}\u{1f1ea}…',
  );
  expect(truncate('हिन्दी में लिखा', 6)).toBe('हिन्दी…');
  expect(wrap('\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}', 3)).toEqual([
    '\u{1f1e9}\u{1f1ea}',
    '\u{1f1eb}\u{1f1f7}',
  ]);
  expect(made).not.toHaveBeenCalled();
});

test('what stands at the right of a row is dropped before half of the row is cut', () => {
  const row = (width: number) => spread('Fix login', '1/3', width, { ellipsis: '…' }).text;
  expect([10, 9, 7].map(row)).toEqual(['Fix …  1/3', 'Fix login', 'Fix lo…']);
});

test('a cut text never takes more columns than it may', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter }),
      fc.integer({ min: 0, max: 30 }),
      (text, columns) => {
        const line = oneLine(text);
        const result = truncate(line, columns);
        expect(displayWidth(result)).toBeLessThanOrEqual(columns);
        if (displayWidth(line) > columns && columns > 0) expect(result).toMatch(/…$/);
      },
    ),
  );
});

test('the width is what a terminal makes of it', async () => {
  const scripts = fc.constantFrom(
    ...['Latin é', 'Ελληνικά', 'Русский', '中文字', 'かなカナ', '한국어'],
    ...['ไทย', 'עברית', 'العربية', 'हिन्दी'],
    ...['👍', '🚀', '✅', '❤️', '⚠️', '→', '“”', '½', '€', '①', '█', '▶', '√', 'x\u0323', 'ｱ'],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(scripts, { minLength: 1, maxLength: 8 }), async (words) => {
      const line = oneLine(words.join(' '));
      const terminal = new VirtualTerminal(200, 4, { wideEmoji: true });
      terminal.write(line);
      expect((await terminal.cursor()).x).toBe(displayWidth(line));
    }),
    { numRuns: runs(100) },
  );
});

test('a text is broken between words, and inside one only where it is longer than a line', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('abcdefghij kl', 4)).toEqual(['abcd', 'efgh', 'ij', 'kl']);
  expect(wrap('你好吗 x', 3)).toEqual(['你', '好', '吗', 'x']);
  expect(wrap('#1 你好吗', 5)).toEqual(['#1 你', '好吗']);
  expect(wrap('你', 1)).toEqual(['你']);
  expect(wrap('', 5)).toEqual(['']);
});

test('wrapped lines fit the width and contain the whole text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: 2, max: 30 }),
      (text, columns) => {
        const line = oneLine(text);
        const lines = wrap(line, columns);
        for (const part of lines) expect(displayWidth(part)).toBeLessThanOrEqual(columns);
        expect(lines.join('').replaceAll(' ', '')).toBe(line.replaceAll(' ', ''));
      },
    ),
  );
});

const ROWS = [
  ['NAME', 'DONE', 'WHAT'],
  ['漢字', '1/2', 'one two three'],
];

test('columns are as wide as they must be, and painted', () => {
  const paint = (y: number, x: number) => (text: string) => `${y}${x}${text}`;
  expect(table([['a', 'b']], {}, paint)).toEqual(['00a  01b']);
  expect(table(ROWS)).toEqual(['NAME  DONE  WHAT', '漢字  1/2   one two three']);
});

test('where there is too little room, the last column is wrapped, and then the widest ones cut', () => {
  const [, ...rows] = table(ROWS, { width: 20 });
  expect(rows).toEqual(['漢字  1/2   one two', '            three']);
  const cut = (what: string, width: number) => table([['a very long name', 'x', what]], { width });
  expect(cut('what', 16)).toEqual(['a very…  x  what']);
  expect(cut('one two three', 24)[0]).toBe('a very lon…  x  one two');
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
  expect(sightOf({ blocks, ...selected }, 4, 2)).toMatchObject(sight);
  expect(sightOf({ blocks: blocks.slice(0, 3) }, 4, 2).top).toBe(0);
});
