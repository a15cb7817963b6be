import { findCycle, unknownIds } from './dependencies.ts';
import { blocksItself, cycle, type Refused } from './reasons.ts';
import { type Task, type TaskGraph, type TaskPriority, withTasks } from './task.ts';

/** The fields of a new task; the list adds the rest. */
export interface NewTask {
  readonly subject: string;
  readonly description?: string | undefined;
  readonly activeForm?: string | undefined;
  readonly owner?: string | undefined;
  readonly blockedBy?: readonly number[] | undefined;
  /** The tasks of the same call that it waits for, by their places in it: 0 is the first. */
  readonly after?: readonly number[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly priority?: TaskPriority | undefined;
  readonly check?: string | undefined;
}

export interface Created {
  readonly graph: TaskGraph;
  /** In the order of their ids, which is that of the requests. */
  readonly created: readonly Task[];
}

/** Adds tasks, all or none. They may wait for tasks that are there already, and for each other. */
export function createTasks(
  graph: TaskGraph,
  requests: readonly NewTask[],
  at: string,
  by?: string,
): Created | Refused {
  const refused = requests.flatMap(({ blockedBy = [] }, index) =>
    unknownIds(graph, blockedBy, requests.length > 1 ? `[${index}].blockedBy` : 'blockedBy'),
  );
  if (refused.length > 0) return { refused };
  const ids = requests.map((_, index) => graph.nextId + index);
  const draft = new Map<number, Task>();
  for (const [index, request] of requests.entries()) {
    const { blockedBy = [], after = [] } = request;
    const id = ids[index] as number;
    const blockers = new Set([...blockedBy, ...after.map((place) => ids[place] as number)]);
    if (blockers.has(id)) return { refused: [blocksItself(id)] };
    draft.set(id, newTask(id, request, [...blockers], at, by));
  }
  // One array for each blocker: a task that thousands wait for is copied once.
  const waiting = new Map<number, number[]>();
  for (const id of ids) {
    for (const blocker of (draft.get(id) as Task).blockedBy) {
      const known = waiting.get(blocker);
      if (known) known.push(id);
      else waiting.set(blocker, [id]);
    }
  }
  for (const [blocker, blocked] of waiting) {
    const task = draft.get(blocker) ?? (graph.tasks.get(blocker) as Task);
    draft.set(blocker, { ...task, blocks: [...task.blocks, ...blocked], updatedAt: at });
  }
  const after = withTasks(graph, [...draft.values()]);
  const path = requests.some(({ after = [] }) => after.length > 0)
    ? findAnyCycle(after, ids)
    : undefined;
  if (path) return { refused: [cycle(path)] };
  return { graph: after, created: ids.map((id) => after.tasks.get(id) as Task) };
}

/** A cycle among new tasks: what is left after repeatedly removing a task that waits for none of the others. */
function findAnyCycle(graph: TaskGraph, ids: readonly number[]): number[] | undefined {
  const isNew = new Set(ids);
  const open = new Map(
    ids.map((id) => {
      const { blockedBy = [] } = graph.tasks.get(id) ?? {};
      return [id, blockedBy.filter((blocker) => isNew.has(blocker)).length];
    }),
  );
  const free = ids.filter((id) => open.get(id) === 0);
  for (const id of free) {
    open.delete(id);
    for (const next of graph.tasks.get(id)?.blocks ?? []) {
      const left = (open.get(next) ?? 0) - 1;
      open.set(next, left);
      if (left === 0) free.push(next);
    }
  }
  for (const id of open.keys()) {
    const path = findCycle(graph, id);
    if (path) return path;
  }
  return undefined;
}

function newTask(
  id: number,
  request: NewTask,
  blockedBy: readonly number[],
  at: string,
  createdBy: string | undefined,
): Task {
  const { subject, description = '', activeForm, owner, metadata, priority, check } = request;
  return {
    id,
    subject,
    description,
    activeForm,
    owner,
    status: 'pending',
    blocks: [],
    blockedBy,
    metadata,
    priority,
    check,
    createdBy,
    createdAt: at,
    updatedAt: at,
  };
}
