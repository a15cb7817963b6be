import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { TaskStore } from '../../src/tasks/task-store.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { ENV } from './bash.ts';
import { type Ended, executable, openProgram, startProgram } from './executables.ts';
import { temporaryDirectory } from './files.ts';
import { forAllTests } from './for-all-tests.ts';

export const AGENT_SHELL = executable('agent-shell');

export interface ProgramOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
}

/** A folder and lists of its own. */
const placeOf = ({ cwd, env }: ProgramOptions = {}, finished = onTestFinished) => ({
  cwd: cwd ?? temporaryDirectory(finished),
  env: { ...ENV, TODO_STATE_DIR: temporaryDirectory(finished), ...env },
});

/** A host that reads requests. */
export const startJsonl = (options?: ProgramOptions, finished = onTestFinished) =>
  openProgram(AGENT_SHELL, ['--jsonl'], placeOf(options, finished), finished);

export function run(
  file: string,
  args: readonly string[],
  { stdin = '', ...options }: ProgramOptions & { stdin?: string | Buffer } = {},
): Promise<Ended> {
  return startProgram(file, args, { ...placeOf(options), input: stdin }).ended;
}

export const agentShell = (args: readonly string[], options?: Parameters<typeof run>[2]) =>
  run(AGENT_SHELL, args, options);

/** For tests of results, which need no lists. */
export const NO_LISTS = {
  version: '0.0.0',
  todos: new TodoStore(),
  tasks: () => new TaskStore(),
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
  readonly child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #id = 0;

  constructor(options?: ProgramOptions, finished = onTestFinished) {
    this.child = startJsonl(options, finished);
    this.#lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  static shared(env: ProgramOptions['env'] = {}): () => JsonlClient {
    return forAllTests((finished) => {
      const client = new JsonlClient({ env }, finished);
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
    this.child.stdin.write(text);
  }

  async next<Line = JsonlResult>(): Promise<Line> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('agent-shell has ended');
    return JSON.parse(value);
  }

  /** Ends the input, and waits for the end of the program. @returns its exit code. */
  async end(): Promise<number | null> {
    this.child.stdin.end();
    if (this.child.exitCode === null && this.child.signalCode === null) {
      await once(this.child, 'exit');
    }
    return this.child.exitCode;
  }
}
