import { StateError } from '../state/state-error.ts';
import type { Task } from '../tasks/task.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { KnownTasks } from './model.ts';

/** Gets a team's tasks. */
interface TasksFollower {
  changed(known: KnownTasks): void;
  /** The tasks cannot be read. */
  failed(error: StateError): void;
}

/** Reports a team's tasks now and after each change. Returns a function that stops this. */
export function followTasks(store: TaskStore, { changed, failed }: TasksFollower): () => void {
  let known: KnownTasks | undefined;
  let isReady = false;
  let hasEnded = false;
  const fail = (error: unknown) => {
    if (!hasEnded) failed(error instanceof StateError ? error : new StateError(String(error)));
  };
  const show = () => {
    if (hasEnded || !isReady) return;
    known = since(store.seen.graph.tasks, known);
    changed(known);
  };
  const begin = async () => {
    known = await tasksOf(store, undefined);
    isReady = true;
    show();
  };
  const end = store.onChange(() => (isReady ? show() : void begin().catch(fail)), fail);
  begin().catch(fail);
  return () => {
    hasEnded = true;
    end();
  };
}

/**
 * The current tasks, and since when each has had its status. The first time this comes from the versions, later from the
 * tasks themselves, so that a busy list's whole history is not read again and again.
 */
export async function tasksOf(
  store: TaskStore,
  before: KnownTasks | undefined,
): Promise<KnownTasks> {
  const { tasks } = (await store.read()).graph;
  const known = since(tasks, before);
  if (before === undefined) await lookBack(store, tasks, known.since);
  return known;
}

function since(tasks: ReadonlyMap<number, Task>, before: KnownTasks | undefined) {
  const times = new Map<number, number>();
  let updatedAt: number | undefined;
  for (const [id, task] of tasks) {
    const changed = Date.parse(task.updatedAt);
    const isSame = before?.tasks.get(id)?.status === task.status;
    times.set(id, (isSame ? before?.since.get(id) : undefined) ?? changed);
    updatedAt = Math.max(updatedAt ?? changed, changed);
  }
  return { tasks, since: times, updatedAt };
}

/** Finds the real start of each status: a task can have changed in other ways since. */
async function lookBack(
  store: TaskStore,
  tasks: ReadonlyMap<number, Task>,
  since: Map<number, number>,
): Promise<void> {
  const open = new Map(tasks);
  for (const { graph, at } of await store.versions()) {
    for (const [id, task] of open) {
      if (graph.tasks.get(id)?.status !== task.status) open.delete(id);
      else since.set(id, Math.min(+at, since.get(id) ?? +at));
    }
    if (open.size === 0) break;
  }
}
