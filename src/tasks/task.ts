/** How far a task is: not begun, being worked on by its owner, wholly done. */
export type TaskStatus = 'pending' | 'in_progress' | 'completed';

/** One task of a team's list. Frozen, and its lists of ids too: a change makes another one. */
export interface Task {
  /** 1, 2, 3, ...; never given to another task, whatever is deleted. */
  readonly id: number;
  /** What is to be done, on one line: "Fix login". */
  readonly subject: string;
  readonly description: string;
  /** The subject while it is being done: "Fixing login". */
  readonly activeForm?: string;
  /** The agent that has claimed it, or that it was given to. A task in progress always has one. */
  readonly owner?: string;
  readonly status: TaskStatus;
  /** The tasks that wait for this one, in the order in which they were linked. */
  readonly blocks: readonly number[];
  /** The tasks that this one waits for; it stands in `blocks` of each. */
  readonly blockedBy: readonly number[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** As in `2026-01-31T12:00:00.000Z`. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** All tasks of one list, with their dependencies. No cycle, and every dependency at both of its ends. */
export interface TaskGraph {
  /** The id that the next task gets. */
  readonly nextId: number;
  /** By id, in the order of ids. */
  readonly tasks: ReadonlyMap<number, Task>;
}

export const NO_TASKS: TaskGraph = Object.freeze({ nextId: 1, tasks: new Map() });

/** The same graph with these tasks put in, in place of those with the same ids or after all others. */
export function withTasks(graph: TaskGraph, changed: Iterable<Task>): TaskGraph {
  const tasks = new Map(graph.tasks);
  let { nextId } = graph;
  for (const task of changed) {
    tasks.set(task.id, frozen(task));
    nextId = Math.max(nextId, task.id + 1);
  }
  return { nextId, tasks };
}

/** The tasks that this one still waits for. */
export function openBlockers({ tasks }: TaskGraph, { blockedBy }: Task): number[] {
  return blockedBy.filter((id) => tasks.get(id)?.status !== 'completed');
}

/** Whether anyone may claim it: pending, unowned, unblocked. */
export function isReady(graph: TaskGraph, task: Task): boolean {
  return (
    task.status === 'pending' && task.owner === undefined && openBlockers(graph, task).length === 0
  );
}

/** `#1, #3`. */
export function idsText(ids: readonly number[]): string {
  return ids.map((id) => `#${id}`).join(', ');
}

function frozen(task: Task): Task {
  if (Object.isFrozen(task)) return task;
  return Object.freeze({
    ...task,
    blocks: Object.freeze([...task.blocks]),
    blockedBy: Object.freeze([...task.blockedBy]),
  });
}
