import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
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

test('Chinese and Japanese begin where there is room, and no row begins with a blank; Korean has words', () => {
  expect(wrap('使用 Redis 实现缓存失效', 16)).toEqual(['使用 Redis 实现', '缓存失效']);
  expect(wrap('Step 1: テストを書く', 14)).toEqual(['Step 1: テスト', 'を書く']);
  expect(wrap('abcde 你好吗你好吗', 5)).toEqual(['abcde', '你好', '吗你', '好吗']);
  expect(wrap('Fix 로그인 화면', 8)).toEqual(['Fix', '로그인', '화면']);
});

test('no row begins with the mark that ends a sentence, a clause or what is in progress', () => {
  expect(wrap('修复登录，再测试。', 8)).toEqual(['修复登', '录，再测', '试。']);
  expect(wrap('正在修复登录...', 14)).toEqual(['正在修复登', '录...']);
  expect(wrap('abcdefgh...', 9)).toEqual(['abcdefg', 'h...']);
  expect(wrap('....', 2)).toEqual(['..', '..']);
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
