import {
  agentBusy,
  alreadyClaimed,
  alreadyResolved,
  blocked,
  NOTHING_READY,
  notFound,
  type Reason,
  type Refused,
} from './refused.ts';
import { isReady, openBlockers, type Task, type TaskGraph, withTasks } from './task.ts';

/** Who wants a task, and whether it may have only one at a time. */
export interface Claimant {
  readonly agent: string;
  readonly checkBusy: boolean;
}

export interface Claimed {
  readonly graph: TaskGraph;
  readonly task: Task;
  /** Whether it was the agent's, and in progress, before. */
  readonly wasMine: boolean;
}

/**
 * Makes an agent the owner of a task that is now in progress, in one step.
 *
 * @param id the task, or `next` for the first one that is ready.
 */
export function claimTask(
  graph: TaskGraph,
  id: number | 'next',
  claimant: Claimant,
  at: string,
): Claimed | Refused {
  const task = id === 'next' ? firstReady(graph) : graph.tasks.get(id);
  if (task === undefined) return { refused: [id === 'next' ? NOTHING_READY : notFound(id)] };
  const refused = reasonsAgainst(graph, task, claimant);
  if (refused.length > 0) return { refused };
  if (task.owner === claimant.agent && task.status === 'in_progress') {
    return { graph, task, wasMine: true };
  }
  const claimed: Task = {
    ...task,
    owner: claimant.agent,
    status: 'in_progress',
    updatedAt: at,
  };
  return { graph: withTasks(graph, [claimed]), task: claimed, wasMine: false };
}

/** Why an agent may not have a task: all reasons, none where it may. */
export function reasonsAgainst(
  graph: TaskGraph,
  task: Task,
  { agent, checkBusy }: Claimant,
): Reason[] {
  const { id, owner, status } = task;
  if (status === 'completed') return [alreadyResolved(id)];
  const blockers = openBlockers(graph, task);
  const others = checkBusy ? workOf(graph, agent).filter((other) => other !== id) : [];
  return [
    ...(owner !== undefined && owner !== agent ? [alreadyClaimed(id, owner)] : []),
    ...(blockers.length > 0 ? [blocked(id, blockers)] : []),
    ...(others.length > 0 ? [agentBusy(agent, others)] : []),
  ];
}

function firstReady(graph: TaskGraph): Task | undefined {
  for (const task of graph.tasks.values()) if (isReady(graph, task)) return task;
  return undefined;
}

function workOf({ tasks }: TaskGraph, agent: string): number[] {
  const ids: number[] = [];
  for (const { id, owner, status } of tasks.values()) {
    if (owner === agent && status === 'in_progress') ids.push(id);
  }
  return ids;
}
