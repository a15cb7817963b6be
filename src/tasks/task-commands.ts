import type { AgentBashHandler } from '../command/agent-command.ts';
import { TASK_CLAIM } from './task-claim.ts';
import { TaskCommand, type TaskContext } from './task-command.ts';
import { TASK_CREATE } from './task-create.ts';
import { TASK_GET } from './task-get.ts';
import { TASK_LIST } from './task-list.ts';
import { TASK_RELEASE } from './task-release.ts';
import { TASK_UPDATE } from './task-update.ts';

/** The commands on a team's tasks. A new one is one line here. */
export function taskCommands(context: TaskContext): AgentBashHandler[] {
  return [
    new TaskCommand(TASK_CREATE, context),
    new TaskCommand(TASK_UPDATE, context),
    new TaskCommand(TASK_LIST, context),
    new TaskCommand(TASK_GET, context),
    new TaskCommand(TASK_CLAIM, context),
    new TaskCommand(TASK_RELEASE, context),
  ];
}
