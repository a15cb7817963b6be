import { nearNames, nearNameText } from '../command/near-names.ts';
import { TASK_COMMANDS } from '../tasks/task-commands.ts';

/** The agent commands that are executables, and the program of each. A new task command is listed in TASK_COMMANDS. */
export const COMMAND_PROGRAMS: Readonly<Record<string, string>> = {
  TodoWrite: 'todo-write',
  TodoRead: 'todo-read',
  ...Object.fromEntries(TASK_COMMANDS.map(({ name }) => [name, 'tasks'])),
};

/** Names that are nearly those of commands, and what is said of each. */
export const NEAR_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  [...nearNames(Object.keys(COMMAND_PROGRAMS))].map(([name, meant]) => [
    name,
    nearNameText(name, meant),
  ]),
);
