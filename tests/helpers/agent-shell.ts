import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { TaskStore, taskView } from '../../src/tasks/task-store.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { ENV } from './bash.ts';
import { temporaryDirectory } from './files.ts';
import { forAllTests } from './for-all-tests.ts';

/** The built executable. */
export const AGENT_SHELL = join(import.meta.dirname, '../../dist/bin/agent-shell.cjs');

export interface ProgramOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
  stdin?: string | Buffer;
}

export interface ProgramResult {
  stdout: string;
  stderr: string;
  /** Null if a signal ended it. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** Streams are pipes. Killed with the test. */
export function start(
  file: string,
  args: readonly string[],
  options: ProgramOptions = {},
): ChildProcess {
  const child = launch(file, args, options.cwd ?? temporaryDirectory(), {
    TODO_STATE_DIR: temporaryDirectory(),
    ...options.env,
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

function launch(
  file: string,
  args: readonly string[],
  cwd: string,
  env: ProgramOptions['env'],
): ChildProcess {
  const child = spawn(file, args, { cwd, env: { ...ENV, ...env }, stdio: 'pipe' });
  child.stdin.on('error', () => {});
  return child;
}

export async function run(
  file: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<ProgramResult> {
  const child = start(file, args, options);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk) => stdout.push(chunk));
  child.stderr?.on('data', (chunk) => stderr.push(chunk));
  child.stdin?.end(options.stdin ?? '');
  const [exitCode, signal] = await once(child, 'close');
  return {
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
    exitCode,
    signal,
  };
}

export function agentShell(
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<ProgramResult> {
  return run(AGENT_SHELL, args, options);
}

/** For tests of results, which need no lists. */
export const NO_LISTS = {
  version: '0.0.0',
  todos: new TodoStore(),
  tasks: () => taskView(new TaskStore()),
};

export interface JsonlResult {
  id: string | number | null;
  type?: string;
  stdout: string;
  stderr: string;
  exitCode: number;
  durationMs: number;
  error?: string;
  reminders?: string[];
}

export class JsonlClient {
  readonly child: ChildProcess;
  readonly #results: JsonlResult[] = [];
  readonly #waiting: ((result: JsonlResult | undefined) => void)[] = [];
  #received: string[] = [];
  #ended = false;
  #id = 0;

  constructor(
    options: ProgramOptions = {},
    args: readonly string[] = [],
    child = start(AGENT_SHELL, ['--jsonl', ...args], options),
  ) {
    this.child = child;
    this.child.stdout?.setEncoding('utf8');
    this.child.stdout?.on('data', (text: string) => this.#receive(text));
    this.child.stdout?.on('end', () => {
      this.#ended = true;
      for (const give of this.#waiting.splice(0)) give(undefined);
    });
  }

  static shared(env: ProgramOptions['env'] = {}): () => JsonlClient {
    return forAllTests((finished) => {
      const folder = temporaryDirectory(finished);
      const client = new JsonlClient({}, [], launch(AGENT_SHELL, ['--jsonl'], folder, env));
      finished(async () => void (await client.end()));
      return client;
    });
  }

  /** Sends a request, and waits for the next result. */
  async send(command: string, more: object = {}): Promise<JsonlResult> {
    this.#id += 1;
    this.write(`${JSON.stringify({ id: this.#id, command, ...more })}\n`);
    return this.next();
  }

  write(text: string | Buffer): void {
    this.child.stdin?.write(text);
  }

  async next(): Promise<JsonlResult> {
    const result =
      this.#results.shift() ??
      (this.#ended
        ? undefined
        : await new Promise<JsonlResult | undefined>((give) => this.#waiting.push(give)));
    if (!result) throw new Error('agent-shell has ended');
    return result;
  }

  /** Ends the input, and waits for the end of the program. @returns its exit code. */
  async end(): Promise<number | null> {
    this.child.stdin?.end();
    if (this.child.exitCode === null && this.child.signalCode === null) {
      await once(this.child, 'exit');
    }
    return this.child.exitCode;
  }

  #receive(text: string): void {
    const [first = '', ...rest] = text.split('\n');
    this.#received.push(first);
    const lines: string[] = [];
    for (const next of rest) {
      lines.push(this.#received.join(''));
      this.#received = [next];
    }
    for (const line of lines) {
      const result = JSON.parse(line);
      const give = this.#waiting.shift();
      if (give) give(result);
      else this.#results.push(result);
    }
  }
}
