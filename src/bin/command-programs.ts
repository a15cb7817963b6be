import { TASK_COMMANDS } from '../tasks/task-commands.ts';

/** The agent commands that are executables, and the program of each. A new task command is listed in TASK_COMMANDS. */
export const COMMAND_PROGRAMS: Readonly<Record<string, string>> = {
  TodoWrite: 'todo-write',
  TodoRead: 'todo-read',
  ...Object.fromEntries(TASK_COMMANDS.map(({ name }) => [name, 'tasks'])),
};
