import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const BIN = join(import.meta.dirname, '..', '..', 'dist', 'bin');

/** The path of a built executable. */
export function executable(name: 'agent-shell' | 'todo-write' | 'todo-read'): string {
  return join(BIN, `${name}.cjs`);
}

/** What a coding agent tells the commands that it runs, these tests among them. */
const OF_HARNESS = /^(?:CLAUDE|CODEX|OPENCODE|GEMINI|CURSOR)/;

/** This process's environment without the settings of whoever runs the tests. */
export function cleanEnvironment(more: Record<string, string> = {}): Record<string, string> {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^TODO_/.test(entry[0]) && !OF_HARNESS.test(entry[0]),
  );
  return { ...Object.fromEntries(own), ...more };
}

export interface Run {
  stdout: string;
  stderr: string;
  exitCode: number | null;
}

/** Runs a built executable to its end. */
export function run(
  name: Parameters<typeof executable>[0],
  argv: readonly string[],
  { cwd, env, input = '' }: { cwd: string; env: Record<string, string>; input?: string },
): Run {
  const { stdout, stderr, status, error } = spawnSync(
    process.execPath,
    [executable(name), ...argv],
    {
      cwd,
      env,
      input,
      encoding: 'utf8',
    },
  );
  if (error) throw error;
  return { stdout, stderr, exitCode: status };
}
