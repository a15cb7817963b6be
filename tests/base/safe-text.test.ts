import fc from 'fast-check';
import { expect, test } from 'vitest';
import { characterCount, commandText, isBlank, safeText } from '../../src/base/safe-text.ts';
import { anyCharacter } from '../helpers/any-character.ts';
import { runs } from '../helpers/random.ts';

test.each([
  ['plain text', 'Run `npm test` & ship it!', 'Run `npm test` & ship it!'],
  ['a script, an accent, an emoji', 'Zoë 日本語 עברית 👩‍👧 ❤️', 'Zoë 日本語 עברית 👩‍👧 ❤️'],
  ['an escape sequence', '\x1b[31mred\x1b]0;title\x07', '␛[31mred␛]0;title␇'],
  ['a C1 control, which terminals may take for an escape', 'a\x9b31mb', 'a\ufffd31mb'],
  ['a line break or tab', 'a\nb\r\nc\td\u2028e\u2029f\x85g', 'a b c d e f g'],
  ['a bidirectional or zero-width one', 'a\u202eb\u2066c\u200bd\u200fe\u061cf\ufeffg', 'abcdefg'],
  ['a variation selector that hides a byte', 'a\u{e0100}\u{e01ef}\ufe00b\ufe0fc', 'abc'],
  [
    'a filler, a joiner of nothing, or what has no name',
    'a\u3164\uffa0\u034fb\u{e0080}\u200dc',
    'abc',
  ],
  ['a second selector or joiner', '❤\ufe0f\ufe0f👩\u200d\u200d👧', '❤\ufe0f👩👧'],
  ['a lone surrogate', 'a\ud800b\udc00', 'a\ufffdb\ufffd'],
])('%s is shown, or becomes harmless', (_, text, safe) => {
  expect(safeText(text)).toBe(safe);
});

test.each([
  ['a line break, which separates commands', 'true # a\n\trm b', 'true # a␊ rm b'],
  [
    'a character without a picture',
    'g\u200bit \u202egpj \u{e0041}',
    'g\\u200bit \\u202egpj \\udb40\\udc41',
  ],
  [
    'a part of a name that looks like a blank',
    'a\rb\u00a0c\u2028d\u3000e',
    'a␍b\\u00a0c\\u2028d\\u3000e',
  ],
  ['a control character', 'a\x1b[2Kb', 'a␛[2Kb'],
  ['plain text', "echo 'é 日本 ⚠\ufe0f 👩\u200d👧'", "echo 'é 日本 ⚠\ufe0f 👩\u200d👧'"],
  ['a selector after a digit', 'rm a1\ufe0f', 'rm a1\\ufe0f'],
])('%s is not hidden in a command', (_, command, text) => {
  expect(commandText(command)).toBe(text);
});

test('text longer than the limit is cut and says so', () => {
  expect(safeText('abcdefghij', 8)).toBe('abcde...');
  expect(safeText('abcdefgh', 8)).toBe('abcdefgh');
});

test('a limit is counted in code points, and a cut never splits a surrogate pair', () => {
  expect(safeText('😀😀😀😀', 4)).toBe('😀😀😀😀');
  expect(safeText('😀'.repeat(10), 6)).toBe('😀😀😀...');
  expect(safeText(`${'\u200b'.repeat(47)}😀`, 6)).toBe('...');
});

test('whatever the text, the result holds no control, no format character but the joiner, and keeps its limit', () => {
  const hostile = fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((c) => String.fromCharCode(c)),
  });
  const binary = fc.string({ unit: anyCharacter });
  fc.assert(
    fc.property(fc.oneof(hostile, binary), fc.integer({ min: 3, max: 50 }), (text, maxChars) => {
      const safe = safeText(text, maxChars);
      expect(safe.replace(/[\u200d\ufe0e\ufe0f]/g, '')).not.toMatch(
        /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u,
      );
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
  // A letter, a digit, punctuation, an emoji or an ideograph among them can.
  for (const seen of ['a', 'é', '1', '.', '❤️', '日'])
    expect(isBlank(text + seen + text)).toBe(false);
});

test('characters are counted in code points', () => {
  expect(characterCount('')).toBe(0);
  expect(characterCount('aé日😀')).toBe(4);
  expect(characterCount('👩‍👧')).toBe(3);
});
