import { expect, test } from 'vitest';
import { shortage } from '../../../src/shell/bash/private-folder.ts';

const failed = (code: string, syscall = 'open') =>
  Object.assign(new Error(code), { code, syscall });

test.each([
  [failed('EMFILE'), /^too many open files: .*ulimit -n/],
  [failed('ENFILE'), /^too many open files: .*ulimit -n/],
  [failed('EAGAIN', 'spawn bash'), /^too many processes: .*ulimit -u/],
  [failed('ENOENT', 'spawnSync mkfifo'), /^install mkfifo/],
  [failed('EFBIG', 'write'), /^files may not grow enough: .*ulimit -f/],
  [failed('ENOSPC', 'write'), /^no space is left in \/home\/ann: /],
  [failed('EDQUOT', 'write'), /^no space is left in \/home\/ann: /],
])('the way out of %s is named', (error, words) => {
  expect(shortage(error, '/home/ann')).toMatch(words);
});

test.each([failed('EAGAIN', 'read'), failed('ENOENT'), failed('EACCES')])(
  '%s is no shortage',
  (error) => {
    expect(shortage(error, '/home/ann')).toBeUndefined();
  },
);

test('where another folder may have room, a full disk is no shortage', () => {
  expect(shortage(failed('ENOSPC', 'write'))).toBeUndefined();
});
