import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathName, shownPathName, textOfPathName } from '../../src/lists/list-paths.ts';
import { anyCharacter } from '../helpers/any-character.ts';
import { runs } from '../helpers/random.ts';

/** Names as the most forgetful file systems see them: without case or Unicode normalization. */
const asForgetfulFileSystem = (name: string) => name.normalize('NFKD').toLowerCase();

// Texts that are likely to collide: few characters, their cases, separators, escapes, and combining pairs.
const SIMILAR = fc.string({
  unit: fc.constantFrom(...'aA+%~./\\- ßſ41\0é', 'e\u0301', '\u{1f600}', '\ud83d'),
  maxLength: 12,
});
const ANY = fc.oneof(
  SIMILAR,
  fc.string(),
  fc.string({ unit: anyCharacter }),
  fc.string({ maxLength: 400 }),
);

test('different texts have different names, whatever the file system takes for the same, each one plain file name of at most 130 characters', () => {
  fc.assert(
    fc.property(ANY, ANY, (a, b) => {
      fc.pre(a !== b);
      expect(asForgetfulFileSystem(pathName(a))).not.toBe(asForgetfulFileSystem(pathName(b)));
      expect(pathName(a)).toMatch(/^[a-z0-9_+%~-][a-z0-9._+%~-]{0,129}$/);
    }),
    { numRuns: runs(1500) },
  );
});

test('a name that was not cut tells its text again, but for half a surrogate pair', () => {
  fc.assert(
    fc.property(fc.oneof(SIMILAR, fc.string({ unit: 'grapheme' })), (text) => {
      const isCut = pathName(text).includes('~');
      expect(textOfPathName(pathName(text))).toBe(isCut || /\p{Cs}/u.test(text) ? undefined : text);
    }),
    { numRuns: runs(1500) },
  );
});

test.each([
  ['main', 'main'],
  ['Agent', '+agent'],
  ['', '%'],
  ['.', '%2e'],
  ['v1.2', 'v1.2'],
  ['../../etc/passwd', '%2e.%2f..%2fetc%2fpasswd'],
  ['/home/ann/app', '%2fhome%2fann%2fapp'],
  ['a~new', 'a%7enew'],
  ['任务', '%e4%bb%bb%e5%8a%a1'],
])('%j is named %s', (text, name) => {
  expect(pathName(text)).toBe(name);
});

test('long texts that differ only at their ends have different names, which tell how they begin', () => {
  const names = ['x', 'y'].map((end) => pathName('long'.repeat(500) + end));
  expect(new Set(names).size).toBe(2);
  expect(names.every((name) => name.startsWith('longlong') && name.length < 130)).toBe(true);
});

test('names that no text has are those of others', () => {
  const names = ['a~new', '%zz', '+A', 'A', '%41', '.git', '%ud800'];
  expect(names.filter((name) => textOfPathName(name) !== undefined)).toEqual([]);
});

test('for people a truncated name is its beginning, as whole characters, and some of the hash', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 131, maxLength: 300 }), (text) => {
      const shown = shownPathName(pathName(text));
      expect(shown).toMatch(/~[\da-f]{8}$/);
      expect(text.startsWith(shown.slice(0, -9))).toBe(true);
    }),
    { numRuns: runs(300) },
  );
  expect(shownPathName(pathName('+A~'))).toBe('+A~');
  expect(shownPathName('no name of ours')).toBe('no name of ours');
});
