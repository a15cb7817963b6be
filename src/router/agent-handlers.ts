import type { AgentBashHandler } from '../command.ts';
import type { SettingsReading } from '../settings.ts';
import { TodoReadHandler } from '../todo/todo-read.ts';
import type { TodoStore } from '../todo/todo-store.ts';
import { TodoWriteHandler } from '../todo/todo-write.ts';

/** The agent commands of an agent shell. A new one is one line here. */
export function agentHandlers(
  store: TodoStore,
  settings: () => SettingsReading,
): AgentBashHandler[] {
  return [new TodoWriteHandler(store, settings), new TodoReadHandler(store)];
}
