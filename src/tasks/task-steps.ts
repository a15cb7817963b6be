import type { Steps } from '../state/log-place.ts';
import { NO_TASKS, type Task, type TaskGraph } from './task.ts';

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
  apply: (before, steps) => {
    const tasks = new Map(before.tasks);
    for (const { changed, deleted } of steps) {
      for (const task of changed) tasks.set(task.id, freeze(task));
      for (const id of deleted) tasks.delete(id);
    }
    return { nextId: steps.at(-1)?.nextId ?? before.nextId, tasks };
  },
};

/** In place, for a task that nobody else has: it comes from a file. */
function freeze(task: Task): Task {
  Object.freeze(task.blocks);
  Object.freeze(task.blockedBy);
  return Object.freeze(task);
}
