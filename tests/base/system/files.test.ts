import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { findProgram } from '../../../src/base/system/access.ts';
import { appendOwnFile, replaceFile } from '../../../src/base/system/files.ts';
import { temporaryDirectory } from '../../helpers/files.ts';

test('a program is found by absolute entries of PATH only, and a folder is none', () => {
  const folder = temporaryDirectory();
  const program = join(folder, 'claude');
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  mkdirSync(join(folder, 'other', 'claude'), { recursive: true });
  const here = relative(process.cwd(), folder);
  expect(findProgram('claude', { PATH: `${here}::.:${join(folder, 'other')}` })).toBeUndefined();
  expect(findProgram('claude', { PATH: `:${here}:${folder}` })).toBe(program);
});

test('a file is replaced whole or created, for this user only, and leaves nothing behind where that fails', () => {
  const folder = temporaryDirectory();
  const file = join(folder, 'file');
  writeFileSync(file, 'a longer text before');
  replaceFile(file, 'new');
  expect(readFileSync(file, 'utf8')).toBe('new');
  appendOwnFile(join(folder, 'log'), 'a line');
  for (const name of ['file', 'log']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  mkdirSync(join(folder, 'taken', 'inside'), { recursive: true });
  expect(() => replaceFile(join(folder, 'taken'), 'new')).toThrow();
  expect(() => replaceFile(file, undefined as never)).toThrow();
  expect(readdirSync(folder).sort()).toEqual(['file', 'log', 'taken']);
});
