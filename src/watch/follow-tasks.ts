import { StateError } from '../state/state-error.ts';
import type { Task } from '../tasks/task.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { KnownTasks } from './model.ts';

/** Who is told of a team's tasks. */
interface TasksFollower {
  changed(known: KnownTasks): void;
  /** They cannot be read. */
  failed(error: StateError): void;
}

/** Tells of a team's tasks as they are, and then after each change. Returns what ends it. */
export function followTasks(store: TaskStore, follower: TasksFollower): () => void {
  let known: KnownTasks | undefined;
  let hasEnded = false;
  let isLooking = false;
  let isDue = false;
  const lookOnce = async () => {
    try {
      known = await tasksOf(store, known);
      if (!hasEnded) follower.changed(known);
    } catch (error) {
      if (hasEnded) return;
      follower.failed(error instanceof StateError ? error : new StateError(String(error)));
    }
  };
  // One look after the other: a server may answer the first one last.
  const look = async () => {
    isDue = true;
    if (isLooking) return;
    isLooking = true;
    while (isDue && !hasEnded) {
      isDue = false;
      await lookOnce();
    }
    isLooking = false;
  };
  const end = store.onChange(() => void look());
  void look();
  return () => {
    hasEnded = true;
    end();
  };
}

/**
 * The tasks as they are, and since when each has its status: the versions tell that where nothing is known yet, and
 * later the tasks themselves, so that a busy list does not have its whole history read again and again.
 */
export async function tasksOf(
  store: TaskStore,
  before: KnownTasks | undefined,
): Promise<KnownTasks> {
  const { tasks } = (await store.read()).graph;
  const since = new Map<number, number>();
  let updatedAt: number | undefined;
  for (const [id, task] of tasks) {
    const changed = Date.parse(task.updatedAt);
    const isSame = before?.tasks.get(id)?.status === task.status;
    since.set(id, (isSame ? before?.since.get(id) : undefined) ?? changed);
    updatedAt = Math.max(updatedAt ?? changed, changed);
  }
  if (before === undefined) await lookBack(store, tasks, since);
  return { tasks, since, updatedAt };
}

/** A task may have been changed in other ways since it got its status. */
async function lookBack(
  store: TaskStore,
  tasks: ReadonlyMap<number, Task>,
  since: Map<number, number>,
): Promise<void> {
  const open = new Map(tasks);
  for (const { graph, at } of await store.history()) {
    for (const [id, task] of open) {
      if (graph.tasks.get(id)?.status !== task.status) open.delete(id);
      else since.set(id, Math.min(+at, since.get(id) ?? +at));
    }
    if (open.size === 0) break;
  }
}
