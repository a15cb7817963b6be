import fc from 'fast-check';
import { expect, test } from 'vitest';
import { characterCount, isBlank, safeText } from '../src/safe-text.ts';
import { anyCharacter } from './helpers/any-character.ts';
import { runs } from './helpers/random.ts';

test('plain text stays as it is', () => {
  expect(safeText('Run `npm test` & ship it!')).toBe('Run `npm test` & ship it!');
});

test('letters, accents and emoji of any script stay as they are', () => {
  expect(safeText('Zoë 日本語 עברית 👩‍👧 ❤️')).toBe('Zoë 日本語 עברית 👩‍👧 ❤️');
});

test('an escape sequence is shown, not obeyed', () => {
  expect(safeText('\x1b[31mred\x1b]0;title\x07')).toBe('␛[31mred␛]0;title␇');
});

test('a C1 control, which terminals may take for an escape, becomes a replacement character', () => {
  expect(safeText('a\x9b31mb')).toBe('a\ufffd31mb');
});

test('a line break of any kind and a tab become one space each', () => {
  expect(safeText('a\nb\r\nc\td\u2028e\u2029f\x85g')).toBe('a b c d e f g');
});

test('bidirectional overrides, isolates and zero-width spaces are dropped', () => {
  expect(safeText('a\u202eb\u2066c\u200bd\u200fe\u061cf\ufeffg')).toBe('abcdefg');
});

test('a lone surrogate becomes a replacement character', () => {
  expect(safeText('a\ud800b\udc00')).toBe('a\ufffdb\ufffd');
});

test('text longer than the limit is cut and says so', () => {
  expect(safeText('abcdefghij', 8)).toBe('abcde...');
  expect(safeText('abcdefgh', 8)).toBe('abcdefgh');
});

test('a cut never splits a surrogate pair', () => {
  expect(safeText('😀'.repeat(10), 6)).toBe('😀😀😀...');
  expect(safeText(`${'\u200b'.repeat(47)}😀`, 6)).toBe('...');
});

test('a limit is counted in code points', () => {
  expect(safeText('😀😀😀😀', 4)).toBe('😀😀😀😀');
});

test('whatever the text, the result holds no control, no format character but the joiner, and keeps its limit', () => {
  const hostile = fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((c) => String.fromCharCode(c)),
  });
  const binary = fc.string({ unit: anyCharacter });
  fc.assert(
    fc.property(fc.oneof(hostile, binary), fc.integer({ min: 3, max: 50 }), (text, maxChars) => {
      const safe = safeText(text, maxChars);
      expect(safe.replaceAll('\u200d', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect([...safe].length).toBeLessThanOrEqual(maxChars);
    }),
    { numRuns: runs(400) },
  );
});

test.each([
  ['nothing', ''],
  ['white space', ' \t\r\n\u00a0\u3000\u2028'],
  ['controls', '\x00\x1b\x7f\x9b'],
  ['zero-width characters', '\u200b\u200c\u200d\ufeff\u2060'],
  ['bidirectional controls', '\u202e\u2066\u061c'],
  ['a soft hyphen', '\u00ad'],
  ['variation selectors', '\ufe0f\u{e0100}'],
  ['Hangul fillers', '\u115f\u1160\u3164\uffa0'],
  ['tags', '\u{e0041}'],
  ['a blank Braille pattern', '\u2800'],
])('%s cannot be seen', (_, text) => {
  expect(isBlank(text)).toBe(true);
});

test.each([
  ['a letter', 'a'],
  ['a letter among blanks', ' \u200b\u00e9\u2800'],
  ['a digit', '1'],
  ['punctuation', '.'],
  ['an emoji', '❤️'],
  ['an ideograph', '日'],
])('%s can be seen', (_, text) => {
  expect(isBlank(text)).toBe(false);
});

test('characters are counted in code points', () => {
  expect(characterCount('')).toBe(0);
  expect(characterCount('aé日😀')).toBe(4);
  expect(characterCount('👩‍👧')).toBe(3);
});
