import type { CommandResult } from '../../src/base/command/agent-command.ts';
import { connectToServers } from '../../src/servers/server-storage.ts';
import { taskCommands } from '../../src/tasks/task-commands.ts';
import { teamOf } from '../../src/tasks/task-context.ts';
import { TodoHome } from '../../src/todo/todo-home.ts';
import { TodoProveHandler } from '../../src/todo/todo-prove.ts';
import { TodoReadHandler } from '../../src/todo/todo-read.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';

connectToServers();

/**
 * Calls an agent command in this process, with the lists that these variables name. A process for each call would take a
 * hundred times as long.
 */
export async function callCommand(
  env: Record<string, string>,
  name: string,
  argv: readonly string[],
  { cwd = '/', stdin = '' } = {},
): Promise<CommandResult> {
  const home = new TodoHome(env, cwd);
  const settings = () => home.reading;
  const handlers = [
    new TodoWriteHandler(home.open, settings),
    new TodoReadHandler(home.open, settings),
    new TodoProveHandler(home.open, settings, home),
    ...taskCommands(teamOf(home)),
  ];
  const handler = handlers.find((known) => known.name === name);
  if (handler === undefined) throw new Error(`no command is called ${name}`);
  try {
    return await handler.execute({ argv, stdin: async () => stdin });
  } finally {
    await home.close();
  }
}
