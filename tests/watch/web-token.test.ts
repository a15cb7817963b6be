import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { webTokenFile } from '../../src/watch/sources.ts';
import { tokenIn } from '../../src/watch/web-token.ts';
import { temporaryDirectory } from '../helpers/files.ts';

test('the token is the same the next time, and only its user can read it', () => {
  const file = join(temporaryDirectory(), 'state', 'web-token');
  const token = tokenIn(file);
  expect(token).toMatch(/^[\w-]{32}$/);
  expect(tokenIn(file)).toBe(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('an invalid token is replaced, and so is one that others can read', () => {
  const file = join(temporaryDirectory(), 'web-token');
  writeFileSync(file, 'short\n');
  chmodSync(file, 0o600);
  expect(tokenIn(file)).toMatch(/^[\w-]{32}$/);
  const known = 'a'.repeat(32);
  writeFileSync(file, known);
  chmodSync(file, 0o640);
  expect(tokenIn(file)).not.toBe(known);
});

test('where it cannot be kept it is good for this time', () => {
  expect(tokenIn('/dev/null/web-token')).toMatch(/^[\w-]{32}$/);
});

test('it is kept in the user folder: a state folder may come with a repository, and umask 077 makes its files private', () => {
  const home = temporaryDirectory();
  const environment = { HOME: home, TODO_STATE_DIR: join(temporaryDirectory(), '.todowrite') };
  expect(webTokenFile(environment)).toBe(join(home, '.local/state/todowrite/web-token'));
});
