import { expect, test } from 'vitest';
import { characterCount, isBlank } from '../src/safe-text.ts';

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
