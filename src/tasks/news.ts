import type { Settings } from '../settings/settings.ts';
import { noticeText, takeNotices } from './inbox.ts';
import { renewLeases } from './lease.ts';
import { callerOf, type TaskContext } from './task-context.ts';
import type { TaskStore } from './task-store.ts';

/** How many notices are told at once. */
const MOST_TOLD = 5;

/**
 * The new notices of an agent that works without task commands, one line each, only once; its leases are renewed. Nothing if
 * the list cannot be read.
 */
export async function teamNews(context: TaskContext, settings: Settings): Promise<string[]> {
  try {
    const store = await renewOwn(context, settings);
    return settings.guidance === 'all' ? await newsFor(callerOf(context, settings), store) : [];
  } catch {
    return [];
  }
}

/** Renews the leases of an agent in the list that its settings name. */
export async function renewOwn(context: TaskContext, settings: Settings): Promise<TaskStore> {
  const store = context.open(undefined, settings);
  await renew(callerOf(context, settings), store);
  return store;
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

/** Renews the leases of an agent, if that is due. */
export async function renew(agent: string, store: TaskStore): Promise<void> {
  const { clock } = store;
  const { graph } = await store.recent();
  if (renewLeases(graph, agent, clock).graph !== graph) {
    await store.change((now) => renewLeases(now, agent, clock));
  }
}
