import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { appendOwnFile, replaceFile } from '../../../src/base/system/files.ts';
import { findProgram } from '../../../src/base/system/find-program.ts';
import { childrenOf, isStartedSince } from '../../../src/base/system/processes.ts';
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

test('a process is of a line if it began below the bash since then, however deep, and nobody else is', async () => {
  const script = `bash -c 'sleep 60 & echo $!; wait' & wait`;
  const bash = spawn('bash', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const leader = bash.pid as number;
  onTestFinished(() => {
    process.kill(-leader, 'SIGKILL');
  });
  const [written] = await once(bash.stdout, 'data');
  const below = Number(written);
  expect(isStartedSince(new Set(), leader, leader)).toBe(true);
  expect(isStartedSince(new Set(), below, leader)).toBe(true);
  expect(isStartedSince(childrenOf(leader), below, leader)).toBe(false);
  expect(isStartedSince(new Set(), process.pid, leader)).toBe(false);
});
