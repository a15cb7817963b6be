import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tokenIn } from '../../src/watch/web-token.ts';
import { temporaryDirectory } from '../helpers/files.ts';

test('the token is the same the next time, and only its user can read it', () => {
  const file = join(temporaryDirectory(), 'state', 'web-token');
  const token = tokenIn(file);
  expect(token).toMatch(/^[\w-]{32}$/);
  expect(tokenIn(file)).toBe(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('an invalid token is replaced, and each folder has its own', () => {
  const file = join(temporaryDirectory(), 'web-token');
  writeFileSync(file, 'short\n');
  chmodSync(file, 0o600);
  expect(tokenIn(file)).toMatch(/^[\w-]{32}$/);
  expect(tokenIn(join(temporaryDirectory(), 'web-token'))).not.toBe(tokenIn(file));
});

test('where it cannot be kept it is good for this time', () => {
  expect(tokenIn('/dev/null/web-token')).toMatch(/^[\w-]{32}$/);
});
