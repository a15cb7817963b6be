import type { CommandResult } from '../../src/command/agent-command.ts';
import { DEFAULT_SETTINGS, type SettingsReading } from '../../src/settings/settings.ts';
import type { TodoItem } from '../../src/todo/todo-fields.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';

export const BEFORE: readonly TodoItem[] = [
  { content: 'Stay', activeForm: 'Staying', status: 'pending' },
];

export interface Call {
  stdin?: string;
  raw?: string;
  settings?: Partial<SettingsReading['settings']>;
  warnings?: string[];
}

export interface Outcome extends CommandResult {
  /** `BEFORE` if nothing changed. */
  items: readonly Readonly<TodoItem>[];
}

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
