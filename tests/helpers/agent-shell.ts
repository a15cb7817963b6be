import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { TaskStore, taskView } from '../../src/tasks/task-store.ts';
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
const placeOf = ({ cwd = temporaryDirectory(), env }: ProgramOptions) => ({
  cwd,
  env: { ...ENV, TODO_STATE_DIR: temporaryDirectory(), ...env },
});

export const start = (file: string, args: readonly string[], options: ProgramOptions = {}) =>
  openProgram(file, args, placeOf(options));

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
  #received = '';
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
      const place = { cwd: temporaryDirectory(finished), env: { ...ENV, ...env } };
      const client = new JsonlClient(
        {},
        [],
        openProgram(AGENT_SHELL, ['--jsonl'], place, finished),
      );
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
    this.#received += text;
    // A long line comes in many chunks.
    if (!text.includes('\n')) return;
    const lines = this.#received.split('\n');
    this.#received = lines.pop() ?? '';
    for (const line of lines) {
      const result = JSON.parse(line);
      const give = this.#waiting.shift();
      if (give) give(result);
      else this.#results.push(result);
    }
  }
}
