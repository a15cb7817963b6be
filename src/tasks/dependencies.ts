import { because, type Reason, type Refused } from './reasons.ts';
import { changedIds, openBlockers, type Task, type TaskGraph, withTasks } from './task.ts';
import type { TaskChanges } from './task-fields.ts';

const LINK_FIELDS = ['addBlocks', 'addBlockedBy', 'removeBlocks', 'removeBlockedBy'] as const;

/** Changes the dependencies of an existing task, at both ends. Returns the same graph if nothing changes. */
export function changeLinks(
  graph: TaskGraph,
  id: number,
  changes: Pick<TaskChanges, (typeof LINK_FIELDS)[number]>,
  updatedAt: string,
): { readonly graph: TaskGraph } | Refused {
  const refused: Reason[] = LINK_FIELDS.flatMap((field) =>
    unknownIds(graph, changes[field] ?? [], field),
  );
  const { addBlocks = [], addBlockedBy = [], removeBlocks = [], removeBlockedBy = [] } = changes;
  if (addBlocks.includes(id) || addBlockedBy.includes(id))
    refused.push(because('blocks_itself', id));
  if (refused.length > 0) return { refused };

  const draft = new Map<number, Task>();
  const link = (blocker: number, waiting: number, isToBe: boolean) => {
    const ends = [[blocker, 'blocks', waiting] as const, [waiting, 'blockedBy', blocker] as const];
    for (const [one, end, other] of ends) {
      const task = draft.get(one) ?? (graph.tasks.get(one) as Task);
      if (task[end].includes(other) === isToBe) continue;
      const ids = isToBe ? [...task[end], other] : task[end].filter((linked) => linked !== other);
      draft.set(one, { ...task, [end]: ids, updatedAt });
    }
  };
  for (const other of addBlocks) link(id, other, true);
  for (const other of addBlockedBy) link(other, id, true);
  for (const other of removeBlocks) link(id, other, false);
  for (const other of removeBlockedBy) link(other, id, false);
  if (draft.size === 0) return { graph };
  const changed = withTasks(graph, draft.values());
  const path = findCycle(changed, id);
  return path ? { refused: [because('cycle', path)] } : { graph: changed };
}

/** Also removes it from the dependencies of all others. */
export function removeTask(
  graph: TaskGraph,
  { id, blocks, blockedBy }: Task,
  at: string,
): TaskGraph {
  const links = { removeBlocks: blocks, removeBlockedBy: blockedBy };
  const unlinked = changeLinks(graph, id, links, at) as { graph: TaskGraph };
  const tasks = new Map(unlinked.graph.tasks);
  tasks.delete(id);
  return { ...graph, tasks };
}

/** The open tasks that waited for others and now wait for none: these were completed, deleted or unlinked. */
export function unblockedIn(
  before: TaskGraph,
  after: TaskGraph,
  changed = changedIds(before, after),
): number[] {
  const candidates = new Set<number>();
  for (const id of changed) {
    const [was, task] = [before.tasks.get(id), after.tasks.get(id)];
    if (was === undefined) continue;
    if (task === undefined || task.status === 'completed') {
      for (const waiting of was.blocks) candidates.add(waiting);
    }
    if (was.blockedBy !== task?.blockedBy) candidates.add(id);
  }
  const isUnblocked = (id: number) => {
    const [was, task] = [before.tasks.get(id), after.tasks.get(id)];
    if (was === undefined || task === undefined || task.status === 'completed') return false;
    return openBlockers(before, was).length > 0 && openBlockers(after, task).length === 0;
  };
  return [...candidates].filter(isUnblocked);
}

/** The shortest path from a task along `blocks` back to itself. */
function findCycle({ tasks }: TaskGraph, start: number): number[] | undefined {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const id of queue) {
    for (const next of tasks.get(id)?.blocks ?? []) {
      if (next === start) return wayBack(cameFrom, start, id);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, id);
      queue.push(next);
    }
  }
  return undefined;
}

/** A cycle among these tasks: removes those that wait for no other one of them, again and again; a cycle is what remains. */
export function findAnyCycle(graph: TaskGraph, ids: readonly number[]): number[] | undefined {
  const isMeant = new Set(ids);
  const open = new Map(
    ids.map((id) => {
      const { blockedBy = [] } = graph.tasks.get(id) ?? {};
      return [id, blockedBy.filter((blocker) => isMeant.has(blocker)).length];
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

function wayBack(cameFrom: ReadonlyMap<number, number>, start: number, last: number): number[] {
  const way = [start];
  for (let id = last; id !== start; id = cameFrom.get(id) as number) way.push(id);
  return [...way, start].reverse();
}

/** @param where the field that contains them. */
export function unknownIds(graph: TaskGraph, ids: readonly number[], where: string): Reason[] {
  return ids.filter((id) => !graph.tasks.has(id)).map((id) => because('task_not_found', id, where));
}
