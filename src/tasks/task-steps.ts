import type { Steps } from '../state/log-place.ts';
import { NO_TASKS, type Notice, type Task, type TaskGraph } from './task.ts';

/** What a change does to a list of tasks. */
export interface TaskStep {
  readonly nextId: number;
  readonly changed: readonly Task[];
  readonly deleted: readonly number[];
  /** Who made it. */
  readonly by?: string;
  /** For each agent whose inbox has changed: how many of its notices it has heard, oldest first, and new ones. */
  readonly inboxes?: Readonly<Record<string, InboxStep>>;
}

interface InboxStep {
  readonly heard: number;
  readonly added: readonly Notice[];
}

/** A list of tasks as the steps that make it. Tasks are compared by identity: a change never alters one in place. */
export const TASK_STEPS: Steps<TaskGraph, TaskStep> = {
  empty: NO_TASKS,
  between: (before, after) => ({
    nextId: after.nextId,
    changed: [...after.tasks.values()].filter((task) => before.tasks.get(task.id) !== task),
    deleted: [...before.tasks.keys()].filter((id) => !after.tasks.has(id)),
    ...(after.by !== undefined && { by: after.by }),
    ...(before.inboxes !== after.inboxes && { inboxes: inboxSteps(before, after) }),
  }),
  apply: (before, steps) => {
    const tasks = new Map(before.tasks);
    const notices = new Map(before.inboxes);
    for (const { changed, deleted, inboxes = {} } of steps) {
      for (const task of changed) tasks.set(task.id, freeze(task));
      for (const id of deleted) tasks.delete(id);
      for (const [agent, { heard, added }] of Object.entries(inboxes)) {
        const rest = [...(notices.get(agent)?.slice(heard) ?? []), ...added];
        if (rest.length > 0) notices.set(agent, rest);
        else notices.delete(agent);
      }
    }
    const { nextId = before.nextId, by } = steps.at(-1) ?? {};
    return {
      nextId,
      tasks: inOrder(tasks),
      by,
      ...(notices.size > 0 && { inboxes: notices }),
    };
  },
};

/** The same tasks in the order of their ids: one whose deletion was undone comes last. */
export function inOrder(tasks: ReadonlyMap<number, Task>): ReadonlyMap<number, Task> {
  let last = 0;
  for (const id of tasks.keys()) {
    if (id < last) return new Map([...tasks].sort(([a], [b]) => a - b));
    last = id;
  }
  return tasks;
}

function inboxSteps(before: TaskGraph, after: TaskGraph): Record<string, InboxStep> {
  const steps: [string, InboxStep][] = [];
  for (const agent of new Set([
    ...(before.inboxes?.keys() ?? []),
    ...(after.inboxes?.keys() ?? []),
  ])) {
    const old = before.inboxes?.get(agent) ?? [];
    const now = after.inboxes?.get(agent) ?? [];
    if (old === now) continue;
    // Notices are heard from the front and added at the end.
    const first = now[0];
    const kept = first === undefined ? -1 : old.indexOf(first);
    const heard = kept === -1 ? old.length : kept;
    steps.push([agent, { heard, added: now.slice(old.length - heard) }]);
  }
  return Object.fromEntries(steps);
}

/** In place, for a task that nobody else has: it comes from a file. */
function freeze(task: Task): Task {
  Object.freeze(task.blocks);
  Object.freeze(task.blockedBy);
  return Object.freeze(task);
}
