import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const BIN = join(import.meta.dirname, '..', '..', 'dist', 'bin');

const FILES = {
  'agent-shell': 'agent-shell.cjs',
  'todo-write': 'commands/TodoWrite',
  'todo-read': 'commands/TodoRead',
  'task-create': 'commands/TaskCreate',
  'task-claim': 'commands/TaskClaim',
  'task-inbox': 'commands/TaskInbox',
  'task-list': 'commands/TaskList',
} as const;

export function executable(name: keyof typeof FILES): string {
  return join(BIN, FILES[name]);
}

/** Variables that coding agents set for their commands, such as these tests, and those that slow down each start of Node. */
const NOT_OURS = /^(?:TODO_|CLAUDE|CODEX|OPENCODE|GEMINI|CURSOR|NODE_EXTRA_CA_CERTS$)/;

/** This process's environment without the person's settings. */
export function cleanEnvironment(more: Record<string, string> = {}): Record<string, string> {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !NOT_OURS.test(entry[0]),
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
  const { stdout, stderr, status, error } = spawnSync(executable(name), argv, {
    cwd,
    env,
    input,
    encoding: 'utf8',
  });
  if (error) throw error;
  return { stdout, stderr, exitCode: status };
}

export interface RunningProgram {
  readonly child: ChildProcess;
  /** So far. */
  readonly said: { stdout: string; stderr: string };
  /** Whole lines so far. */
  readonly lines: () => string[];
  readonly ended: Promise<Run>;
}

/** The program ends with the test. */
export function startProgram(
  program: string,
  argv: readonly string[],
  { input = '', ...options }: { cwd: string; env: Record<string, string>; input?: string },
): RunningProgram {
  const child = spawn(program, argv, options);
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text) => {
      said[stream] += text;
    });
  }
  child.stdin.on('error', () => {}).end(input);
  const ended = new Promise<Run>((resolve) =>
    child.once('close', (exitCode) => resolve({ ...said, exitCode })),
  );
  return { child, said, lines: () => said.stdout.split('\n').slice(0, -1), ended };
}
