import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandResult } from '../../src/base/command/agent-command.ts';
import { isHere } from './machine.ts';

/** Nothing of the caller's but PATH and the folder for files. */
export const ENV = {
  PATH: process.env.PATH,
  // Missing. It is this worker's own, since a program may create it, or a random line a file of that name.
  HOME: join(tmpdir(), `todowrite-no-home-${process.pid}`),
  LANG: 'C.UTF-8',
  TMPDIR: tmpdir(),
};

const version = spawnSync('bash', ['-c', 'echo "${BASH_VERSINFO[*]:0:2}"'], { encoding: 'utf8' });
const [major = 0, minor = 0] = version.stdout.split(' ').map(Number);

export const bashIsSince = (since: number, sinceMinor: number): boolean =>
  isHere(`bash ${since}.${sinceMinor}`, major > since || (major === since && minor >= sinceMinor));

/** Bash before 5.1 counts the lines of -c from 0, but those of a script, as the session does, from 1. */
export const BEFORE_LINE_1 = bashIsSince(5, 1) ? '' : '\n';

/** The oracle. */
export function plainBash(
  line: string,
  options: { cwd?: string; stdin?: string; args?: readonly string[] } = {},
): CommandResult {
  const argv = ['-c', BEFORE_LINE_1 + line, 'bash', ...(options.args ?? [])];
  const { stdout, stderr, status, signal } = spawnSync('bash', argv, {
    cwd: options.cwd ?? '/',
    input: options.stdin ?? '',
    env: ENV,
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (signal) throw new Error(`bash died of ${signal}`);
  return { stdout, stderr, exitCode: status ?? 0 };
}

/** Like `plainBash`, with `eval`'s form of syntax errors. */
export function plainEval(line: string): CommandResult {
  return plainBash('eval "$1"', { args: [line] });
}
