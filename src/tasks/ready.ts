import { rankOf } from '../command/status.ts';
import { isLeaseOver, type LeaseClock } from './lease.ts';
import { openBlockers, type Task, type TaskGraph } from './task.ts';

/**
 * Whether an agent may claim a task: it is unblocked, and either pending and its own or unowned, or begun by another
 * agent whose lease has run out.
 *
 * @param agent undefined: whether anyone may.
 * @param clock what judges leases; without it none runs out.
 */
export function isReady(graph: TaskGraph, task: Task, agent?: string, clock?: LeaseClock): boolean {
  const { status, owner } = task;
  const isOpen = status === 'pending' && (owner === undefined || owner === agent);
  const isLeft = owner !== agent && clock !== undefined && isLeaseOver(task, clock);
  return (isOpen || isLeft) && openBlockers(graph, task).length === 0;
}

/**
 * What an agent may claim, in the order in which it should: its own tasks first, since nobody else can begin them; then
 * by priority and id.
 */
export function readyTasks(graph: TaskGraph, agent?: string, clock?: LeaseClock): Task[] {
  const ready = [...graph.tasks.values()].filter((task) => isReady(graph, task, agent, clock));
  const isOthers = ({ owner }: Task) => Number(agent === undefined || owner !== agent);
  return ready.sort((a, b) => isOthers(a) - isOthers(b) || rankOf(a) - rankOf(b));
}
