import { isLeaseOver, type LeaseClock } from './lease.ts';
import { alreadyClaimed, alreadyResolved, notFound, type Reason, type Refused } from './reasons.ts';
import { type Task, type TaskGraph, withTasks } from './task.ts';

export interface Released {
  readonly graph: TaskGraph;
  /** Those that were in progress or owned before, in the order of ids. */
  readonly released: readonly Task[];
}

/** Makes tasks pending and unowned again, all or none. Tasks that already are stay as they are. */
export function releaseTasks(
  graph: TaskGraph,
  ids: readonly number[],
  owner: string | undefined,
  at: string,
): Released | Refused {
  const refused = ids.flatMap((id) => reasonsAgainst(graph.tasks.get(id), id, owner));
  return refused.length > 0 ? { refused } : release(graph, ids, at);
}

/**
 * Releases all open tasks of an agent that is gone.
 *
 * @param which `begun`: only what it works on; assigned tasks stay its own, for when it comes back.
 * @param session the session that ends, if one does: it does not release what another session of that agent has begun.
 */
export function releaseAll(
  graph: TaskGraph,
  agent: string,
  at: string,
  which: 'open' | 'begun' = 'open',
  session?: string,
): Released {
  const open = [...graph.tasks.values()].filter(
    ({ owner, status, begunIn = session }) =>
      owner === agent &&
      (which === 'begun'
        ? status === 'in_progress' && (session === undefined || begunIn === session)
        : status !== 'completed'),
  );
  return release(
    graph,
    open.map(({ id }) => id),
    at,
  );
}

/** Releases all tasks that were begun in a session which has ended. */
export function releaseBegunIn(graph: TaskGraph, session: string, at: string): Released {
  const begun = [...graph.tasks.values()].filter(
    ({ status, begunIn }) => status === 'in_progress' && begunIn === session,
  );
  return release(
    graph,
    begun.map(({ id }) => id),
    at,
  );
}

/** Releases all tasks whose lease has run out. */
export function releaseExpired(graph: TaskGraph, clock: LeaseClock, at: string): Released {
  const expired = [...graph.tasks.values()].filter((task) => isLeaseOver(task, clock));
  return release(
    graph,
    expired.map(({ id }) => id),
    at,
    true,
  );
}

function reasonsAgainst(task: Task | undefined, id: number, owner: string | undefined): Reason[] {
  if (task === undefined) return [notFound(id)];
  if (task.status === 'completed') return [alreadyResolved(id)];
  const isOthers = owner !== undefined && task.owner !== undefined && task.owner !== owner;
  return isOthers ? [alreadyClaimed(id, task.owner)] : [];
}

function release(graph: TaskGraph, ids: readonly number[], at: string, isLost = false): Released {
  const released = [...new Set(ids)]
    .sort((a, b) => a - b)
    .flatMap((id) => {
      const { owner, lease: _, begunIn: __, ...task } = graph.tasks.get(id) as Task;
      if (owner === undefined) return [];
      const lostBy = [...new Set([...(task.lostBy ?? []), owner])];
      return [{ ...task, ...(isLost && { lostBy }), status: 'pending' as const, updatedAt: at }];
    });
  return released.length === 0
    ? { graph, released }
    : { graph: withTasks(graph, released), released };
}
