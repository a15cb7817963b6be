import type { AgentBashHandler } from '../command/agent-command.ts';
import type { OptionTable } from '../command/options.ts';
import { TASK_ARCHIVE } from './task-archive.ts';
import { TASK_CLAIM, TASK_RELEASE } from './task-claim.ts';
import { TaskCommand } from './task-command.ts';
import type { TaskContext } from './task-context.ts';
import { TASK_CREATE } from './task-create.ts';
import { optionsOf, type TaskForm } from './task-form.ts';
import { TASK_GET, TASK_INBOX, TASK_LIST } from './task-list.ts';
import { TASK_UNDO } from './task-undo.ts';
import { TASK_UPDATE } from './task-update.ts';

interface TaskCommandEntry {
  readonly name: string;
  readonly options: OptionTable;
  readonly create: (context: TaskContext) => AgentBashHandler;
}

/** The commands on a team's tasks. A new one is one line here. */
export const TASK_COMMANDS: readonly TaskCommandEntry[] = [
  entry(TASK_CREATE),
  entry(TASK_UPDATE),
  entry(TASK_LIST),
  entry(TASK_GET),
  entry(TASK_CLAIM),
  entry(TASK_RELEASE),
  entry(TASK_INBOX),
  entry(TASK_UNDO),
  entry(TASK_ARCHIVE),
];

/** The commands, on the lists of `context`. */
export function taskCommands(context: TaskContext): AgentBashHandler[] {
  return TASK_COMMANDS.map(({ create }) => create(context));
}

function entry<Request>(form: TaskForm<Request>): TaskCommandEntry {
  return {
    name: form.name,
    // A getter, since a call needs only its own command's options.
    get options() {
      return optionsOf(form);
    },
    create: (context) => new TaskCommand(form, context),
  };
}
