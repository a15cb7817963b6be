import { notFound, type Reason, type Refused } from './refused.ts';
import { type Task, type TaskGraph, withTasks } from './task.ts';

/** What a task is made of; the rest of it comes from the list. */
export interface NewTask {
  readonly subject: string;
  readonly description?: string | undefined;
  readonly activeForm?: string | undefined;
  readonly owner?: string | undefined;
  readonly blockedBy?: readonly number[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface Created {
  readonly graph: TaskGraph;
  /** In the order of their ids, which is that of the requests. */
  readonly created: readonly Task[];
}

/** Adds tasks, all or none. They may wait for tasks that are there already, not for each other: ids are not known yet. */
export function createTasks(
  graph: TaskGraph,
  requests: readonly NewTask[],
  at: string,
): Created | Refused {
  const refused = requests.flatMap(({ blockedBy = [] }, index) =>
    unknownIds(graph, blockedBy, requests.length > 1 ? `[${index}].blockedBy` : 'blockedBy'),
  );
  if (refused.length > 0) return { refused };
  const created = requests.map((request, index) => newTask(graph.nextId + index, request, at));
  const blockers = new Map<number, Task>();
  for (const { id, blockedBy } of created) {
    for (const blocker of blockedBy) {
      const task = blockers.get(blocker) ?? (graph.tasks.get(blocker) as Task);
      blockers.set(blocker, { ...task, blocks: [...task.blocks, id], updatedAt: at });
    }
  }
  return { graph: withTasks(graph, [...blockers.values(), ...created]), created };
}

/** @param where the field that names them. */
export function unknownIds(graph: TaskGraph, ids: readonly number[], where: string): Reason[] {
  return ids.filter((id) => !graph.tasks.has(id)).map((id) => notFound(id, where));
}

function newTask(id: number, request: NewTask, at: string): Task {
  const { subject, description = '', activeForm, owner, blockedBy = [], metadata } = request;
  return {
    id,
    subject,
    description,
    ...(activeForm !== undefined && { activeForm }),
    ...(owner !== undefined && { owner }),
    status: 'pending',
    blocks: [],
    blockedBy: [...new Set(blockedBy)],
    ...(metadata !== undefined && { metadata }),
    createdAt: at,
    updatedAt: at,
  };
}
