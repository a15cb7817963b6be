import { rankOf } from '../base/command/status.ts';
import { isLeaseOver, type LeaseClock, leaseFor } from './lease.ts';
import { because, type Reason, type Refused } from './reasons.ts';
import { openBlockers, type Task, type TaskGraph, type TaskStatus, withTasks } from './task.ts';

/**
 * True if an agent may claim a task: it is unblocked, and either pending and its own or unowned, or begun by another agent
 * whose lease has expired.
 *
 * @param agent undefined: whether anyone may.
 * @param clock for leases; without it none expires.
 */
export function isReady(graph: TaskGraph, task: Task, agent?: string, clock?: LeaseClock): boolean {
  const { status, owner } = task;
  const isOpen = status === 'pending' && (owner === undefined || owner === agent);
  const isLeft = owner !== agent && clock !== undefined && isLeaseOver(task, clock);
  return (isOpen || isLeft) && openBlockers(graph, task).length === 0;
}

/** The tasks that an agent may claim, in order: its own first, since nobody else can begin them; then by priority and id. */
export function readyTasks(graph: TaskGraph, agent?: string, clock?: LeaseClock): Task[] {
  const ready = [...graph.tasks.values()].filter((task) => isReady(graph, task, agent, clock));
  const isOthers = ({ owner }: Task) => Number(agent === undefined || owner !== agent);
  return ready.sort((a, b) => isOthers(a) - isOthers(b) || rankOf(a) - rankOf(b));
}

export interface ClaimRules {
  /** True if an agent may own only one unfinished task. */
  readonly checkBusy: boolean;
  /** For other agents' leases. Without it none expires. */
  readonly clock?: LeaseClock | undefined;
  /** How many milliseconds the claim lasts unless it is renewed; undefined: until it is released. */
  readonly leaseMs?: number | undefined;
  readonly session?: string | undefined;
}

export interface Claimant extends ClaimRules {
  readonly agent: string;
}

export interface Claimed {
  readonly graph: TaskGraph;
  readonly task: Task;
  /** True if the agent already owned it, in progress. */
  readonly wasMine: boolean;
  /** The previous owner, whose lease expired, and the start of its claim. */
  readonly takenFrom?: { readonly owner: string; readonly since: string };
}

/** @param id the task, or `next` for the first ready one. */
export function claimTask(
  graph: TaskGraph,
  id: number | 'next',
  claimant: Claimant,
  at: string,
): Claimed | Refused {
  const { agent, clock } = claimant;
  const task = id === 'next' ? readyTasks(graph, agent, clock)[0] : graph.tasks.get(id);
  const refused = task ? reasonsAgainst(graph, task, claimant) : [whyNotFound(graph, id, agent)];
  if (task === undefined || refused.length > 0) return { refused };
  const wasMine = task.owner === agent && task.status === 'in_progress';
  const isAsWas = claimant.leaseMs === task.lease?.ms && claimant.session === task.begunIn;
  if (wasMine && isAsWas) {
    // A server that accepts the renewal has kept our claim, too.
    const { lease } = task;
    const renewed = lease && clock && { ...task, lease: leaseFor(lease.ms, clock, lease) };
    return { graph: renewed ? withTasks(graph, [renewed]) : graph, task, wasMine };
  }
  const claimed = claimedBy(task, claimant, at);
  const isTaken = task.owner !== undefined && task.owner !== agent;
  return {
    graph: withTasks(graph, [claimed]),
    task: claimed,
    wasMine,
    ...(isTaken && { takenFrom: { owner: task.owner, since: task.updatedAt } }),
  };
}

export function claimedBy(
  { lease, begunIn: _, lostBy = [], ...task }: Task,
  { agent, clock, leaseMs, session }: Claimant,
  at: string,
): Task {
  const { owner } = task;
  const losers = new Set(lostBy);
  if (owner !== undefined && owner !== agent && lease !== undefined) losers.add(owner);
  losers.delete(agent);
  return {
    ...task,
    owner: agent,
    status: 'in_progress',
    ...(losers.size > 0 && { lostBy: [...losers] }),
    ...(leaseMs !== undefined && clock && { lease: leaseFor(leaseMs, clock, lease) }),
    begunIn: session,
    updatedAt: at,
  };
}

/** The tasks that other agents hold, longest held first. */
function heldByOthers(graph: TaskGraph, agent: string): Task[] {
  return [...graph.tasks.values()]
    .filter(({ owner = agent, status }) => owner !== agent && status !== 'completed')
    .filter((task) => openBlockers(graph, task).length === 0)
    .sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
}

function whyNotFound(graph: TaskGraph, id: number | 'next', agent: string): Reason {
  if (id !== 'next') return because('task_not_found', id);
  const begun = idsOf(workOf(graph, agent), 'in_progress');
  return because('nothing_ready', begun, heldByOthers(graph, agent));
}

export function reasonsAgainst(
  graph: TaskGraph,
  task: Task,
  { agent, checkBusy, clock }: Claimant,
): Reason[] {
  const { id, owner, status } = task;
  if (status === 'completed') return [because('already_resolved', id)];
  const blockers = openBlockers(graph, task);
  const others = checkBusy ? workOf(graph, agent).filter((other) => other.id !== id) : [];
  return [
    ...(owner !== undefined && owner !== agent && !(clock && isLeaseOver(task, clock))
      ? [because('already_claimed', id, owner)]
      : []),
    ...(blockers.length > 0 ? [because('blocked', id, blockers)] : []),
    ...(others.length > 0
      ? [because('agent_busy', agent, idsOf(others, 'in_progress'), idsOf(others, 'pending'))]
      : []),
  ];
}

function workOf({ tasks }: TaskGraph, agent: string): Task[] {
  return [...tasks.values()].filter(
    ({ owner, status }) => owner === agent && status !== 'completed',
  );
}

function idsOf(tasks: readonly Task[], status: TaskStatus): number[] {
  return tasks.filter((task) => task.status === status).map(({ id }) => id);
}

/** Makes tasks pending and unowned, all or none. */
export function releaseTasks(
  graph: TaskGraph,
  ids: readonly number[],
  owner: string | undefined,
  at: string,
): ReturnType<typeof release> | Refused {
  const refused = ids.flatMap((id) => whyNotReleased(graph.tasks.get(id), id, owner));
  const chosen = new Set(ids);
  return refused.length > 0 ? { refused } : release(graph, ({ id }) => chosen.has(id), at);
}

/**
 * Releases all open tasks of an agent.
 *
 * @param which `begun`: only tasks in progress; assigned ones stay its own.
 * @param session the session that ends, if any: tasks begun in the agent's other sessions stay.
 */
export function releaseAll(
  graph: TaskGraph,
  agent: string,
  at: string,
  which: 'open' | 'begun' = 'open',
  session?: string,
) {
  const isMeant = ({ owner, status, begunIn = session }: Task) =>
    owner === agent &&
    (which === 'begun'
      ? status === 'in_progress' && (session === undefined || begunIn === session)
      : status !== 'completed');
  return release(graph, isMeant, at);
}

/** The change that releases what was begun in a session, by whichever agent. */
export function releaseSession(session: string) {
  const isBegun = ({ status, begunIn }: Task) => status === 'in_progress' && begunIn === session;
  return (graph: TaskGraph, at: string) => release(graph, isBegun, at);
}

function whyNotReleased(task: Task | undefined, id: number, owner: string | undefined): Reason[] {
  if (task === undefined) return [because('task_not_found', id)];
  if (task.status === 'completed') return [because('already_resolved', id)];
  const isOthers = owner !== undefined && task.owner !== undefined && task.owner !== owner;
  return isOthers ? [because('already_claimed', id, task.owner)] : [];
}

/**
 * Makes owned tasks pending and unowned. Returns those that were, by id.
 *
 * @param isLost true if their owners lost them by expired leases.
 */
export function release(
  graph: TaskGraph,
  isMeant: (task: Task) => boolean,
  at: string,
  isLost = false,
): { readonly graph: TaskGraph; readonly released: readonly Task[] } {
  const released: Task[] = [];
  for (const task of graph.tasks.values()) {
    if (task.owner === undefined || !isMeant(task)) continue;
    const { owner, lease: _, begunIn: __, ...rest } = task;
    const lostBy = [...new Set([...(rest.lostBy ?? []), owner])];
    released.push({ ...rest, ...(isLost && { lostBy }), status: 'pending', updatedAt: at });
  }
  return { graph: released.length === 0 ? graph : withTasks(graph, released), released };
}
