import type { Steps } from '../state/log-place.ts';
import { NO_TASKS, type Task, type TaskGraph, withTasks } from './task.ts';

/** What a change does to a list of tasks. */
export interface TaskStep {
  readonly nextId: number;
  readonly changed: readonly Task[];
  readonly deleted: readonly number[];
}

/** A list of tasks as the steps that make it. Tasks are compared by identity: a change never alters one in place. */
export const TASK_STEPS: Steps<TaskGraph, TaskStep> = {
  empty: NO_TASKS,
  between: (before, after) => ({
    nextId: after.nextId,
    changed: [...after.tasks.values()].filter((task) => before.tasks.get(task.id) !== task),
    deleted: [...before.tasks.keys()].filter((id) => !after.tasks.has(id)),
  }),
  apply: (before, { nextId, changed, deleted }) => {
    const { tasks } = withTasks(before, changed);
    const left = new Map(tasks);
    for (const id of deleted) left.delete(id);
    return { nextId, tasks: left };
  },
};
