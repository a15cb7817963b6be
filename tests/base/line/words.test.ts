import { expect, test } from 'vitest';
import {
  areQuotesClosed,
  outsideSingleQuotes,
  withoutQuoted,
} from '../../../src/base/line/quotes.ts';
import { readWord } from '../../../src/base/line/words.ts';

test.each([
  ['a-b', 'a-b', true],
  ["'a b'", 'a b', true],
  [`'Don'\\''t'`, "Don't", true],
  [`a\\ b"c \\"d\\""'e'`, 'a bc "d"e', true],
  ['\\*\\#\\\u00a0\\😀', '*#\u00a0😀', true],
  [`"it's 修复"`, "it's 修复", true],
  [`"a\\nb"`, 'a\\nb', false],
  ['*.ts', '*.ts', false],
  [`'a '*' b'`, 'a * b', false],
  [`"$HOME/x"y`, '$HOME/xy', false],
  ['${X:-y}', '$X:-y', false],
  ['a#b!', 'a#b!', false],
  ['~/x', '~/x', false],
  ['é', 'é', false],
  ['a$', 'a$', false],
  ['"5$"', '5$', false],
])('the word %s is %j, literal: %s', (written, text, isLiteral) => {
  for (const after of ['', ' x', ';', '\n', '|x', ')']) {
    expect(readWord(`${written}${after}`, 0)).toEqual({ text, written, isLiteral, start: 0 });
  }
});

test.each([
  ...['', ' a', '"a', "'a", 'a\\', 'a\\\nb', '$(a)', '"$(a)"', '`a`', '"`a`"', "$'a'"],
  ...['$"a"', '$[1]'],
  ...['a(', '@(a)', 'a\u00a0b', 'a\r', '{x}>f', '{x}<f', '${x', '${}', "${x:-'y'}"],
  ...['"${x:-"y"}"', '<(a)'],
])('a text that only bash can read is no word: %j', (line) => {
  expect(readWord(line, 0)).toBeUndefined();
});

test('a long line is only read in words of one piece', () => {
  const long = 'x'.repeat(100_000);
  expect(readWord(`'${long}' y`, 0)?.text).toBe(long);
  expect(readWord(`${long};`, 0)?.text).toBe(long);
  expect(readWord(`'${long}'y`, 0)).toBeUndefined();
  expect(readWord(`"a" '${long}'`, 0)).toBeUndefined();
});

test('quoted parts and unclosed quotes are found as bash reads them', () => {
  expect(withoutQuoted(`a'b'c"d\\"e'f"\\'g\\"`)).toBe('acg');
  expect(outsideSingleQuotes(`a'b'c"d\\"e'f'"\\'g`)).toBe(`ac"d\\"e'f'"\\'g`);
  for (const text of ['', `it\\'s`, `"it's"`, `'a "b'`, '"\\""'])
    expect(areQuotesClosed(text)).toBe(true);
  for (const text of [`it's`, `"it's`, `'a' "b`, 'a\\', '"a\\"'])
    expect(areQuotesClosed(text)).toBe(false);
});
