import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import {
  areQuotesClosed,
  outsideSingleQuotes,
  quote,
  withoutQuoted,
} from '../../../src/base/line/quotes.ts';
import { ENV } from '../../helpers/bash.ts';
import { listFiles, temporaryDirectory } from '../../helpers/files.ts';
import { localeWith } from '../../helpers/locales.ts';
import { Random, testSeed } from '../../helpers/random.ts';

const TEXT = [...' \t\n;&|<>(){}[]*?~!#$`\\"\'^ab09-=éü漢中😀\u00a0\r\x01\x7f'];

/** The words as bash reads them. */
function inBash(words: readonly string[], env: NodeJS.ProcessEnv, cwd = temporaryDirectory()) {
  const input = words.map((word) => `printf '%s\\0' ${word}\n`).join('');
  const { stdout, stderr } = spawnSync('bash', ['-s'], { input, env, cwd, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\0').slice(0, -1);
}

test('a quoted text is that text for bash, in 2,000 random texts', () => {
  const seed = testSeed();
  const random = new Random(seed);
  const texts = Array.from({ length: 2000 }, () =>
    random.list(0, 12, () => random.pick(TEXT)).join(''),
  );
  expect(inBash(texts.map(quote), ENV), `seed ${seed}`).toEqual(texts);
});

test.each(['GBK', 'BIG5'])(
  'it is in a locale of %s, too, where a backslash may be half a character',
  (charset) => {
    // Without localedef there is no such locale.
    const env = { ...ENV, ...localeWith(charset) };
    const cwd = temporaryDirectory();
    const texts = ['中;touch ran', "中';touch ran;'", '中\\', '中"$(touch ran)`touch ran`'];
    expect(inBash(texts.map(quote), env, cwd)).toEqual(texts);
    expect(listFiles(cwd)).toEqual([]);
  },
);

test('quoted parts and unclosed quotes are found as bash reads them', () => {
  expect(withoutQuoted(`a'b'c"d\\"e'f"\\'g\\"`)).toBe('acg');
  expect(outsideSingleQuotes(`a'b'c"d\\"e'f'"\\'g`)).toBe(`ac"d\\"e'f'"\\'g`);
  for (const text of ['', `it\\'s`, `"it's"`, `'a "b'`, '"\\""'])
    expect(areQuotesClosed(text)).toBe(true);
  for (const text of [`it's`, `"it's`, `'a' "b`, 'a\\', '"a\\"'])
    expect(areQuotesClosed(text)).toBe(false);
});
