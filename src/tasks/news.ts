import type { Settings } from '../settings/settings.ts';
import { noticeText, takeNotices } from './inbox.ts';
import { type LeaseClock, nextRenewal, renewLeases } from './lease.ts';
import type { TaskContext } from './task-context.ts';
import type { TaskStore } from './task-store.ts';

/** How many notices are told at once. */
const MOST_TOLD = 5;

/**
 * Call this now and then for an agent that works without task commands. Renews its leases, if due, and returns its new
 * notices, one line each, only once. Nothing if the list cannot be read.
 */
export async function signOfLife(
  { open, clock, unnamedAgent }: TaskContext,
  settings: Settings,
): Promise<string[]> {
  const agent = settings.agent ?? unnamedAgent;
  if (agent === undefined) return [];
  try {
    const store = open(undefined, settings);
    if (clock) await renew(agent, store, clock(undefined, settings));
    return settings.guidance === 'all' ? await newsFor(agent, store) : [];
  } catch {
    return [];
  }
}

/** An agent's new notices, one line each; they are returned only once. */
export async function newsFor(agent: string, store: TaskStore): Promise<string[]> {
  const { graph } = await store.recent();
  if (!graph.inboxes?.has(agent)) return [];
  const outcome = await store.change((now) => takeNotices(now, agent, MOST_TOLD));
  if ('refused' in outcome) return [];
  const { taken, left } = outcome.change;
  const lines = taken.map(noticeText);
  if (left > 0) lines.push(`and ${left} more: TaskInbox`);
  return lines;
}

/**
 * A sign of life: the leases of an agent are renewed, if that is due.
 *
 * @returns after how many milliseconds the next one is due; undefined where the agent has no lease.
 */
export async function renew(
  agent: string,
  store: TaskStore,
  clock: LeaseClock,
): Promise<number | undefined> {
  const { graph } = await store.recent();
  if (renewLeases(graph, agent, clock).graph !== graph) {
    await store.change((now) => renewLeases(now, agent, clock));
  }
  return nextRenewal(graph, agent);
}
