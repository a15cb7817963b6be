import type { CommandResult } from '../../src/base/command/agent-command.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/base/settings/settings.ts';
import type { TodoItem } from '../../src/todo/todo-fields.ts';
import { TodoReadHandler } from '../../src/todo/todo-read.ts';
import { type TodoList, TodoStore } from '../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';
import { failed } from '../helpers/replies.ts';

export const todo = (content: string, more: Partial<TodoItem> = {}): TodoItem => ({
  content,
  activeForm: 'Doing',
  status: 'pending',
  ...more,
});

export const json = (...todos: object[]) => JSON.stringify({ todos });

export const BEFORE: readonly TodoItem[] = [todo('Stay')];
export const BUILD = todo('Build', { activeForm: 'Building' });

export interface Call {
  stdin?: string;
  raw?: string;
  settings?: Partial<Settings>;
  warnings?: string[];
}

export interface Outcome extends CommandResult {
  /** `BEFORE` if nothing changed. */
  items: readonly Readonly<TodoItem>[];
}

/** The outcome of a call that changed nothing. */
export const refused = (stderr: string, exitCode?: number): Outcome => ({
  ...failed(stderr, exitCode),
  items: BEFORE,
});

/** Calls TodoWrite on a store with `BEFORE`. */
export async function todoWrite(argv: string[], call: Call = {}): Promise<Outcome> {
  const store = new TodoStore();
  store.update(BEFORE);
  const settings = { ...DEFAULT_SETTINGS, ...call.settings };
  const handler = new TodoWriteHandler(store, () => ({ settings, warnings: call.warnings ?? [] }));
  const result = await handler.execute({
    argv,
    stdin: async () => call.stdin ?? '',
    ...(call.raw === undefined ? {} : { raw: call.raw }),
  });
  return { ...result, items: store.get().items };
}

/** Both commands on a list. */
export function commandsOn(list: TodoList, more: Partial<Settings> = {}, stdin = '') {
  const settings = () => ({ settings: { ...DEFAULT_SETTINGS, ...more }, warnings: [] });
  const writer = new TodoWriteHandler(list, settings);
  const reader = new TodoReadHandler(list, settings);
  return {
    write: (...argv: string[]) => writer.execute({ argv, stdin: async () => stdin }),
    read: (...argv: string[]) => reader.execute({ argv }),
  };
}
