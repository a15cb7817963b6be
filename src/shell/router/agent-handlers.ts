import type { AgentBashHandler } from '../../base/command/agent-command.ts';
import type { SettingsSource } from '../../base/settings/settings.ts';
import { TodoProveHandler } from '../../todo/todo-prove.ts';
import { TodoReadHandler } from '../../todo/todo-read.ts';
import type { TodoSource } from '../../todo/todo-source.ts';
import { TodoWriteHandler } from '../../todo/todo-write.ts';

/** The agent commands of an agent shell. Add a new one here. */
export function agentHandlers(source: TodoSource, settings: SettingsSource): AgentBashHandler[] {
  return [
    new TodoWriteHandler(source, settings),
    new TodoReadHandler(source, settings),
    new TodoProveHandler(source, settings),
  ];
}
