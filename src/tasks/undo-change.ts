import { builtUpon, type Refused } from './reasons.ts';
import type { Task, TaskGraph } from './task.ts';
import { inOrder } from './task-steps.ts';

export interface Undone {
  readonly graph: TaskGraph;
  /** The tasks that are as they were, those included that are there again or no longer. */
  readonly ids: readonly number[];
}

/** Takes one change back, where nothing was built on it: every task that it changed is still as it left it. */
export function undoChange(
  graph: TaskGraph,
  { before, after }: { readonly before: TaskGraph; readonly after: TaskGraph },
  at: string,
): Undone | Refused {
  const ids = changedTasks(before, after);
  const changedSince = ids.filter((id) => !isSameTask(after.tasks.get(id), graph.tasks.get(id)));
  if (changedSince.length > 0) return { refused: [builtUpon(changedSince)] };
  const tasks = new Map(graph.tasks);
  for (const id of ids) {
    const was = before.tasks.get(id);
    if (was) tasks.set(id, Object.freeze({ ...was, updatedAt: at }));
    else tasks.delete(id);
  }
  return { graph: { ...graph, tasks: inOrder(tasks) }, ids };
}

/** The tasks that a change has made, altered or deleted; renewals of leases are none. */
export function changedTasks(before: TaskGraph, after: TaskGraph): number[] {
  const ids = new Set([...before.tasks.keys(), ...after.tasks.keys()]);
  return [...ids]
    .filter((id) => !isSameTask(before.tasks.get(id), after.tasks.get(id)))
    .sort((a, b) => a - b);
}

/** Whether a task is as it was, but for the renewal of its lease. */
export function isSameTask(a: Task | undefined, b: Task | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b;
  return JSON.stringify(essence(a)) === JSON.stringify(essence(b));
}

/** In one order of fields, without those that are undefined: a task that was read differs in both from one that was computed. */
function essence(task: Task): [string, unknown][] {
  return Object.entries(task)
    .filter(([name, value]) => value !== undefined && name !== 'lease' && name !== 'updatedAt')
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
