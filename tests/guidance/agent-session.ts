import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { CommandResult } from '../../src/base/command/agent-command.ts';
import { serveJsonl } from '../../src/cli/jsonl.ts';
import { Guide, type GuideOptions } from '../../src/guidance/guide.ts';
import { BashRouter } from '../../src/shell/router/bash-router.ts';
import type { TodoItem, TodoStatus } from '../../src/todo/todo-fields.ts';
import { TodoReadHandler } from '../../src/todo/todo-read.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';
import { NO_LISTS } from '../helpers/agent-shell.ts';

const STATUS: Readonly<Record<string, TodoStatus>> = {
  ' ': 'pending',
  '>': 'in_progress',
  x: 'completed',
};

/** Parses items: `[>] Fix it`, `[ ] #7 Run tests <- Running tests`; `#7` is an id. */
export function items(...lines: readonly string[]): TodoItem[] {
  return lines.map((line) => {
    const [, mark = '', id, content = '', activeForm = content] =
      /^\[([ >x])\] (?:#(\w+) )?(.*?)(?: <- (.*))?$/s.exec(line) ?? [];
    const status = STATUS[mark];
    if (!status) throw new Error(`Not an item: ${line}`);
    return { content, activeForm, status, ...(id && { id }) };
  });
}

export interface Step {
  exitCode?: number;
  stdout?: string;
  /** A list that a composed line writes. */
  list?: readonly TodoItem[];
}

/** A router with a guide and a simulated bash. */
export function agentSession(options: Partial<GuideOptions> = {}) {
  const store = new TodoStore();
  const guide = new Guide({ store, ...options });
  let step: Step = {};
  const write = new TodoWriteHandler(store);
  const router = new BashRouter({
    guide,
    handlers: [write, new TodoReadHandler(store)],
    shell: (handlers) => ({
      ...shellThat()(),
      run: async () => {
        const { exitCode = 0, stdout = '', list } = step;
        const argv = [JSON.stringify({ todos: list })];
        const written = await (list && handlers.get('TodoWrite')?.execute({ argv, stdin }));
        return {
          stdout: stdout + (written?.stdout ?? ''),
          stderr: written?.stderr ?? '',
          exitCode,
        };
      },
    }),
  });
  return {
    store,
    router,
    /** Runs a line in the simulated bash. */
    run(line: string, what: Step | number = {}) {
      step = typeof what === 'number' ? { exitCode: what } : what;
      return router.route(line);
    },
    /** Writes the list by a literal TodoWrite. Returns the notes. */
    async write(...lines: readonly string[]): Promise<string[]> {
      return notesOf(await router.route(writeLine(items(...lines))));
    },
    /** Runs so many harmless lines. Returns the reminders, each with the number of its line. */
    async idle(count: number): Promise<[number, string][]> {
      const reminders: [number, string][] = [];
      for (let number = 1; number <= count; number++) {
        const result = await this.run('ls');
        for (const reminder of result.reminders ?? []) reminders.push([number, reminder]);
      }
      return reminders;
    },
  };
}

export function writeLine(list: readonly TodoItem[]): string {
  return `TodoWrite '${JSON.stringify({ todos: list }).replaceAll("'", "'\\''")}'`;
}

export function notesOf({ stderr }: CommandResult): string[] {
  return stderr.split('\n').filter(Boolean);
}

/** A shell whose lines all end so. */
export const shellThat =
  (result: Partial<CommandResult> = {}) =>
  () => ({
    lastExitCode: 0,
    run: async () => ({ stdout: '', stderr: '', exitCode: 0, ...result }),
    dispose: async () => {},
  });

/** Sends requests to a JSON-lines host. Returns its answers. */
export async function serve(router: BashRouter, requests: readonly object[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
  await serveJsonl({ ...NO_LISTS, router, input, output });
  output.end();
  return (await text(output))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function stdin(): Promise<string> {
  return '';
}
