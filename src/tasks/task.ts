import type { Status } from '../base/command/status.ts';
import type { ValuesOf } from '../base/json/fields.ts';
import type { Proof } from '../base/proof/proof.ts';
import { TASK_FIELD_NAMES, type TASK_FIELDS } from './task-fields.ts';

/** How far a task is: not begun, being worked on by its owner, fully done. */
export type TaskStatus = Status;

interface TaskComment {
  readonly by: string;
  /** As in `2026-01-31T12:00:00.000Z`. */
  readonly at: string;
  readonly text: string;
}

export interface TaskLease {
  /** Milliseconds from the last renewal on. */
  readonly ms: number;
  /** 1 for the claim, and one more with each renewal. */
  readonly beat: number;
  /** The clock of `tick`; different clocks are never compared. */
  readonly clock: string;
  /** Milliseconds on that clock at the last renewal. */
  readonly tick: number;
  /** The time of day then, in milliseconds. */
  readonly wall?: number | undefined;
}

/** One task of a team's list. Frozen, its lists of ids too. */
export interface Task extends Readonly<ValuesOf<typeof TASK_FIELDS>> {
  /** 1, 2, 3, ...; never reused. */
  readonly id: number;
  readonly subject: string;
  readonly description: string;
  /** The agent that has claimed it, or that it was assigned to. A task in progress always has one. */
  readonly owner?: string;
  readonly status: TaskStatus;
  /** The tasks that wait for this one, in the order in which they were linked. */
  readonly blocks: readonly number[];
  /** The tasks that this one waits for; each has it in its `blocks`. */
  readonly blockedBy: readonly number[];
  readonly comments?: readonly TaskComment[];
  /** The proof of a completed task, never accepted as input. */
  readonly proof?: Proof;
  readonly createdBy?: string;
  /** Missing if the claim holds until it is released. */
  readonly lease?: TaskLease;
  /** The session in which its owner began it, whose end releases it; missing if there was none. */
  readonly begunIn?: string;
  /** The agents that lost it by an expired lease, and have not claimed it again. */
  readonly lostBy?: readonly string[];
  /** Completed, and listed only with --archived. */
  readonly isArchived?: true;
  /** As in `2026-01-31T12:00:00.000Z`. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** All tasks of one list. Dependencies have no cycle, and are stored at both ends. */
export interface TaskGraph {
  /** The id that the next task gets. */
  readonly nextId: number;
  /** By id, in the order of ids. */
  readonly tasks: ReadonlyMap<number, Task>;
  /** The author of the last change, if known. */
  readonly by?: string;
  /** By agent, oldest first. */
  readonly inboxes?: ReadonlyMap<string, readonly Notice[]>;
}

/** An event of a task, for an agent that it concerns. */
export interface Notice {
  readonly kind:
    | 'assigned'
    | 'reassigned'
    | 'unblocked'
    | 'reopened'
    | 'changed'
    | 'deleted'
    | 'claimed'
    | 'completed'
    | 'released';
  /** The changed field; the subject unless given. */
  readonly about?: 'check' | 'comments' | 'status';
  readonly taskId: number;
  readonly subject: string;
  readonly by: string;
  /** As in `2026-01-31T12:00:00.000Z`. */
  readonly at: string;
}

export const NO_TASKS: TaskGraph = Object.freeze({ nextId: 1, tasks: new Map() });

/** Adds tasks to the graph, or replaces those with the same ids. */
export function withTasks(graph: TaskGraph, changed: Iterable<Task>): TaskGraph {
  const tasks = new Map(graph.tasks);
  let { nextId } = graph;
  for (const task of changed) {
    tasks.set(task.id, frozenTask(task));
    nextId = Math.max(nextId, task.id + 1);
  }
  return { ...graph, nextId, tasks };
}

/** The ids of tasks that are different objects, since a change replaces them. Deleted ones come last. */
export function changedIds(before: TaskGraph, after: TaskGraph): number[] {
  const ids: number[] = [];
  for (const [id, task] of after.tasks) if (before.tasks.get(id) !== task) ids.push(id);
  for (const id of before.tasks.keys()) if (!after.tasks.has(id)) ids.push(id);
  return ids;
}

const COMPARED_FIELDS = [
  ...TASK_FIELD_NAMES,
  ...(['status', 'owner', 'blocks', 'blockedBy', 'proof', 'comments', 'lostBy'] as const),
];

/** The names of the fields that differ. All are JSON. */
export function changedFields(before: Task, after: Task): (typeof COMPARED_FIELDS)[number][] {
  return COMPARED_FIELDS.filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
}

/** The open tasks that a task is blocked by; none for a completed one. */
export function openBlockers({ tasks }: TaskGraph, { status, blockedBy }: Task): number[] {
  if (status === 'completed') return [];
  return blockedBy.filter((id) => tasks.get(id)?.status !== 'completed');
}

function frozenTask(task: Task): Task {
  if (Object.isFrozen(task)) return task;
  return Object.freeze({
    ...task,
    blocks: Object.freeze([...task.blocks]),
    blockedBy: Object.freeze([...task.blockedBy]),
  });
}
