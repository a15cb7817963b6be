import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nearNameText } from '../../../src/base/command/near-names.ts';
import { quote } from '../../../src/base/line/quotes.ts';
import { findBash } from '../../../src/base/system/access.ts';
import {
  canRead,
  heredocHint,
  notFoundText,
  withNearNames,
} from '../../../src/shell/router/bash-syntax.ts';
import { temporaryDirectory } from '../../helpers/files.ts';

const BASH = findBash(process.env);
const COMMANDS = ['TodoWrite', 'TodoRead'];
const NOT_FOUND = ': command not found';
const missing = (name: string) => `bash: line 1: ${name}${NOT_FOUND}\n`;
const near = (name: string) => nearNameText(name, COMMANDS) as string;

test.each<[what: string, line: string, stdout: string, stderr: string, expected: string]>([
  ['in place of the error', 'x', '', missing('TodoWrit'), near('TodoWrit')],
  [
    'once for each name, between the other errors',
    'x',
    '',
    `a\n${missing('TodoWrit')}b\n${missing('TodoWrit')}${missing('TodoReed')}c`,
    `a\n${near('TodoWrit')}b\n${missing('TodoWrit')}${near('TodoReed')}c`,
  ],
  [
    'where only the name stands before it',
    'x',
    '',
    `TodoWrit${NOT_FOUND}`,
    near('TodoWrit').trimEnd(),
  ],
  ['not for ours, which PATH lacks', 'x', '', missing('TodoRead'), missing('TodoRead')],
  [
    'not for a carriage return after another',
    'x',
    '',
    `$'make\\r'${NOT_FOUND}`,
    `$'make\\r'${NOT_FOUND}`,
  ],
  ['not for a name that is like none', 'x', '', missing('make'), missing('make')],
  ['not for another error', 'x', '', 'TodoWrit: no\n', 'TodoWrit: no\n'],
  ['where the errors are output', 'x 2>&1', missing('TodoWrit'), '', near('TodoWrit')],
  ['not where output only looks like one', 'x', missing('TodoWrit'), '', ''],
  [
    'of a carriage return, which the name cannot show',
    'x',
    '',
    `bash: $'TodoRead\\r'${NOT_FOUND}\n`,
    'TodoRead: command not found: a carriage return follows its name, as in Windows line ends\n',
  ],
  [
    'of a colon, as in a call that is written like a key',
    'x',
    '',
    missing('TodoRead:') + missing('todo_read:') + missing('content:'),
    `TodoRead: command not found: a colon follows its name\n${near('todo_read')}${missing('content:')}`,
  ],
  [
    'of a blank that bash takes for a letter, which nobody can tell from a space',
    "cd / && TodoWrite\xa0'{}'",
    '',
    missing('TodoWrite\xa0{}'),
    `${missing('TodoWrite\xa0{}')}Note: bash takes the U+00A0 beside TodoWrite for a letter; write a space\n`,
  ],
  [
    'of one before it, also where bash calls it no such file',
    '\u200bTodoRead; MyTodoWrite\xa0',
    '',
    'bash: /: No such file or directory\n',
    'bash: /: No such file or directory\nNote: bash takes the U+200B beside TodoRead for a letter; write a space\n',
  ],
  [
    'for five names at most',
    'x',
    '',
    ['a', 'b', 'c', 'd', 'e', 'TodoWrit'].map(missing).join(''),
    ['a', 'b', 'c', 'd', 'e', 'TodoWrit'].map(missing).join(''),
  ],
  [
    'for the fifth',
    'x',
    '',
    ['a', 'b', 'c', 'd', 'TodoWrit'].map(missing).join(''),
    ['a', 'b', 'c', 'd'].map(missing).join('') + near('TodoWrit'),
  ],
])('a name that bash does not find gets its suggestion %s', (_, line, stdout, stderr, expected) => {
  expect(withNearNames(line, { stdout, stderr, exitCode: 127 }, COMMANDS, NOT_FOUND)).toBe(
    expected,
  );
});

/** A bash that says this of a command that it does not find. */
function bashThatSays(text: string): string {
  const path = join(temporaryDirectory(), 'bash');
  writeFileSync(path, `#!/bin/sh\nprintf '%s' "${text}" >&2\nexit 127\n`, { mode: 0o755 });
  return path;
}

test('of a missing command, bash says what it says in the language of the caller', async () => {
  const german = bashThatSays('bash: Zeile 1: $2: nicht gefunden\n');
  const inGerman = { LANG: 'de_DE.UTF-8' };
  expect(await notFoundText(german, inGerman)).toBe(': nicht gefunden');
  expect(await notFoundText(german, { LANG: 'C', LC_ALL: 'de_DE' })).toBe(': nicht gefunden');
  expect(await notFoundText(bashThatSays(''), inGerman)).toBe(NOT_FOUND);
  for (const env of [{}, { LANG: 'C.UTF-8' }, { LANG: 'en_US', LC_ALL: '' }, { LC_ALL: 'POSIX' }])
    expect(await notFoundText(german, env)).toBe(NOT_FOUND);
  expect(await notFoundText(BASH, { LANGUAGE: 'xx' })).toBe(NOT_FOUND);
});

test('where bash cannot be started, nobody can tell what it can parse', async () => {
  await expect(canRead('/nowhere/bash', 'true')).rejects.toThrow('ENOENT');
  expect(await Promise.all(['true', '('].map((text) => canRead(BASH, text)))).toEqual([
    true,
    false,
  ]);
});

const HANDLERS = new Map([
  ['TodoWrite', { jsonExample: '{"todos":[]}' }],
  ['TodoRead', {}],
]);

test.each([
  [
    `TodoWrite '{"a":"Don't"}'`,
    /^Note: pass the JSON as a heredoc.*TodoWrite <<'\w+'\n\{"todos":\[\]\}\n/,
  ],
  [`TodoRead '["Don't"]'`, /^Note: pass the JSON as a heredoc.*TodoRead <<'\w+'\n\.\.\.\n/],
  ["TodoWrite --add 'Don't stop'", /^Note: inside single quotes, write ' as '\\''\n$/],
  ['TodoRead(1)', /^Note: write TodoRead without parentheses\n$/],
  [
    `cd / && eval ${quote('TodoWrite \'{"a":"Don\'t `b`"}\'')} </dev/null && pwd -P`,
    /^Note: pass the JSON as a heredoc.*TodoWrite <<'\w+'\n\{"todos":\[\]\}\n/,
  ],
  [`eval ${quote(`TodoWrite '{"a":"b"}'`)}; eval false`, /^$/],
  ['TodoRead "', /^$/],
  ["make 'Don't", /^$/],
  [`TodoWrite '{"a":"b"}'`, /^$/],
])('what bash cannot parse gets a hint where it is a call of ours: %s', async (line, hint) => {
  expect(await heredocHint(line, HANDLERS, BASH)).toMatch(hint);
});
