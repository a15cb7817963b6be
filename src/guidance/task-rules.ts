import { readyTasks } from '../tasks/claims.ts';
import type { Task } from '../tasks/task.ts';
import type { LastChange } from '../tasks/task-store.ts';
import { type GuidanceRule, rule, type Work } from './rule.ts';
import { TASK_TEXTS } from './texts.ts';

/** The rules on a team's tasks. */
export const TASK_RULES: readonly GuidanceRule[] = [
  rule('ready-tasks', 'note', readyAfterCompletion, TASK_TEXTS.ready, { about: 'tasks' }),
  rule('stale-tasks', 'reminder', staleTasks, TASK_TEXTS.stale, { about: 'tasks' }),
];

/** What can be claimed, where the last change completed a task. */
function readyAfterCompletion({ tasks }: Work): readonly Task[] | undefined {
  const change = tasks?.lastChange;
  if (change === undefined || !isCompletion(change)) return undefined;
  const ready = readyTasks(change.after);
  return ready.length > 0 ? ready : undefined;
}

/** The agent's tasks in progress, where nothing has happened to them for as many commands as the setting says. */
function staleTasks(work: Work) {
  const { tasks } = work;
  // The setting is read when it is asked for, and most sessions have no tasks.
  if (tasks === undefined || tasks.mine.length === 0) return undefined;
  const { mine, commandsSinceChange: commands } = tasks;
  return commands >= work.reminderTurns ? { tasks: mine, commands } : undefined;
}

function isCompletion({ before, after }: LastChange): boolean {
  for (const task of after.tasks.values()) {
    const was = before.tasks.get(task.id);
    if (task.status === 'completed' && was !== task && was?.status !== 'completed') return true;
  }
  return false;
}
