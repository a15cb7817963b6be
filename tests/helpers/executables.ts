import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const BIN = join(import.meta.dirname, '..', '..', 'dist', 'bin');

const FILES = {
  'agent-shell': 'agent-shell.cjs',
  'todo-write': 'commands/TodoWrite',
  'todo-read': 'commands/TodoRead',
  'todo-prove': 'commands/TodoProve',
  'task-create': 'commands/TaskCreate',
  'task-claim': 'commands/TaskClaim',
  'task-inbox': 'commands/TaskInbox',
  'task-get': 'commands/TaskGet',
  'task-list': 'commands/TaskList',
  'task-update': 'commands/TaskUpdate',
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
  // EPIPE: it has ended without reading its input.
  if (error && !error.message.endsWith(' EPIPE')) throw error;
  return { stdout, stderr, exitCode: status };
}

/** What the compiler says: with one thread and without collecting garbage, in half of its processor time. */
export function typeCheck(...argv: readonly string[]) {
  const tsc = join(BIN, '..', '..', 'node_modules', 'typescript', 'bin', 'tsc');
  const options = { encoding: 'utf8', env: { ...process.env, GOGC: 'off' } } as const;
  const { status, stdout } = spawnSync(tsc, [...argv, '--singleThreaded'], options);
  return { status, stdout };
}

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Starts a program, whose streams are pipes; it is killed with the test. */
export function openProgram(
  program: string,
  argv: readonly string[],
  { cwd, env }: Place,
  finished = onTestFinished,
): ChildProcessWithoutNullStreams {
  const child = spawn(program, argv, { cwd, env });
  finished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => {});
  return child;
}

export interface Ended extends Run {
  /** Null if it ended by itself. */
  signal: NodeJS.Signals | null;
}

export interface RunningProgram {
  readonly child: ChildProcessWithoutNullStreams;
  /** So far. */
  readonly said: { stdout: string; stderr: string };
  /** Whole lines so far. */
  readonly lines: () => string[];
  readonly ended: Promise<Ended>;
}

/** Starts a program with an input that ends, unless it is left open. */
export function startProgram(
  program: string,
  argv: readonly string[],
  { input = '', isOpen = false, ...place }: Place & { input?: string | Buffer; isOpen?: boolean },
): RunningProgram {
  const child = openProgram(program, argv, place);
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text) => {
      said[stream] += text;
    });
  }
  if (!isOpen) child.stdin.end(input);
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (exitCode, signal) => resolve({ ...said, exitCode, signal })),
  );
  return { child, said, lines: () => said.stdout.split('\n').slice(0, -1), ended };
}
