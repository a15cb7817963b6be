import { spawnSync } from 'node:child_process';
import type { CommandResult } from '../../src/command/agent-command.ts';

/** The environment of tests: none of the caller's but what programs need to be found. */
export const ENV = { PATH: process.env.PATH, HOME: '/nonexistent', LANG: 'C.UTF-8' };

/** What `bash -c LINE` makes of a line: the oracle. */
export function plainBash(line: string, options: { cwd?: string; stdin?: string } = {}) {
  const { stdout, stderr, status, signal } = spawnSync('bash', ['-c', line], {
    cwd: options.cwd ?? '/',
    input: options.stdin ?? '',
    env: ENV,
    encoding: 'utf8',
    timeout: 20_000,
  });
  if (signal) throw new Error(`bash died of ${signal}`);
  return { stdout, stderr, exitCode: status } as CommandResult;
}

/** What bash writes in its messages where a syntax error is, by how the line came to it. */
export function asEval(result: CommandResult): CommandResult {
  return { ...result, stderr: result.stderr.replaceAll('bash: -c: line', 'bash: eval: line') };
}
