import { timeText } from '../base/command/replies.ts';
import { nameText, safeText } from '../base/safe-text.ts';
import { findAnyCycle } from './dependencies.ts';
import { because, type Refused } from './reasons.ts';
import { inOrder } from './stored-tasks.ts';
import { changedFields, changedIds, NO_TASKS, type Task, type TaskGraph } from './task.ts';
import type { TaskStore, TaskVersion } from './task-store.ts';

export interface TaskChangeEntry {
  readonly version: number;
  readonly at: Date;
  readonly before: TaskGraph;
  readonly after: TaskGraph;
  /** The changed tasks; never empty. */
  readonly ids: readonly number[];
}

const MAX_SUBJECT_IN_HISTORY = 60;
const MOST_NAMED = 5;

/** Newest first. Changes that no list shows, such as renewals of leases, are skipped. */
export function* taskChangesIn(newestFirst: Iterable<TaskVersion>): Generator<TaskChangeEntry> {
  let newer: TaskVersion | undefined;
  for (const version of newestFirst) {
    if (newer) yield* changeBetween(version.graph, newer);
    newer = version;
  }
  // The predecessor of the oldest kept version is known only for the first version.
  if (newer?.version === 1) yield* changeBetween(NO_TASKS, newer);
}

function* changeBetween(
  before: TaskGraph,
  { version, at, graph: after }: TaskVersion,
): Generator<TaskChangeEntry> {
  const ids = changedTasks(before, after);
  if (ids.length > 0) yield { version, at, before, after, ids };
}

/** `12  2026-01-31T12:00:00Z  ann  claimed #3 Fix login`, newest first. @param id default: the changes of all tasks. */
export async function changeLines(store: TaskStore, isLocal: boolean, id?: number) {
  const changes = [...taskChangesIn(await store.versions())];
  const meant = id === undefined ? changes : changes.filter(({ ids }) => ids.includes(id));
  return meant.map((entry) => {
    const by = entry.after.by === undefined ? '-' : nameText(entry.after.by);
    return `${entry.version}  ${timeText(entry.at, isLocal)}  ${by}  ${changeText(entry)}\n`;
  });
}

/** `claimed #3 Fix login; created #4 Ship it`. */
export function changeText({ before, after, ids }: TaskChangeEntry): string {
  const named = ids.slice(0, MOST_NAMED).map((id) => described(before, after, id));
  const more = ids.length > named.length ? `; and ${ids.length - named.length} more` : '';
  return named.join('; ') + more;
}

function described(before: TaskGraph, after: TaskGraph, id: number): string {
  const was = before.tasks.get(id);
  const task = after.tasks.get(id);
  const subject = (task ?? was)?.subject ?? '';
  const name = `#${id} ${safeText(subject, MAX_SUBJECT_IN_HISTORY)}`;
  if (was === undefined) return `${id >= before.nextId ? 'created' : 'restored'} ${name}`;
  if (task === undefined) return `deleted ${name}`;
  const whom = task.owner === undefined ? '' : ` (${nameText(task.owner)})`;
  if (was.status !== task.status || was.owner !== task.owner) {
    if (task.status === 'completed') return `completed ${name}`;
    if (task.status === 'in_progress')
      return `claimed ${name}${task.owner === after.by ? '' : whom}`;
    if (was.status === 'completed') return `reopened ${name}`;
    if (was.owner === task.owner) return `put back ${name}${whom}`;
    return task.owner === undefined ? `released ${name}` : `assigned ${name}${whom}`;
  }
  if (was.isArchived !== task.isArchived) return `${task.isArchived ? '' : 'un'}archived ${name}`;
  const fields = changedFields(was, task).map((field) => (field === 'lostBy' ? 'owner' : field));
  return `${fields.join() === 'comments' ? 'commented on' : `changed ${fields.join(', ')} of`} ${name}`;
}

/** With the clock of its leases, unless it is a past version: which of those had expired is not known. */
export type FoundTasks = TaskVersion & Partial<Pick<TaskStore, 'clock'>>;

export async function graphAt(store: TaskStore, at?: number): Promise<FoundTasks | Refused> {
  if (at === undefined) return { ...(await store.read()), clock: store.clock };
  const kept: number[] = [];
  for (const version of await store.versions()) {
    if (version.version === at) return version;
    kept.push(version.version);
  }
  return { refused: [because('no_such_version', at, kept)] };
}

/** Undoes one change, if every task that it changed is still as it left it. */
export function undoChange(
  graph: TaskGraph,
  { before, after, ids }: TaskChangeEntry,
  at: string,
): { readonly graph: TaskGraph } | Refused {
  const changedSince = ids.filter((id) => !isSameTask(after.tasks.get(id), graph.tasks.get(id)));
  if (changedSince.length > 0)
    return { refused: [because('built_upon', changedSince, 'since; nothing was undone')] };
  const tasks = new Map(graph.tasks);
  for (const id of ids) {
    const was = before.tasks.get(id);
    if (was) tasks.set(id, Object.freeze({ ...was, updatedAt: at }));
    else tasks.delete(id);
  }
  const restored = { ...graph, tasks: inOrder(tasks) };
  const isRelinked = ids.some(
    (id) => `${before.tasks.get(id)?.blocks}` !== `${graph.tasks.get(id)?.blocks}`,
  );
  // Links made since, between other tasks, may close a circle.
  const path = isRelinked ? findAnyCycle(restored, [...tasks.keys()]) : undefined;
  return path ? { refused: [because('cycle', path)] } : { graph: restored };
}

/** The tasks that a change has made, altered or deleted; not those with only a renewed lease. */
function changedTasks(before: TaskGraph, after: TaskGraph): number[] {
  return changedIds(before, after)
    .filter((id) => !isSameTask(before.tasks.get(id), after.tasks.get(id)))
    .sort((a, b) => a - b);
}

/** Ignores renewals of the lease. */
export function isSameTask(a: Task | undefined, b: Task | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b;
  return JSON.stringify(essence(a)) === JSON.stringify(essence(b));
}

/** Sorted and without undefined fields, since stored and computed tasks differ in both. */
function essence(task: Task): [string, unknown][] {
  return Object.entries(task)
    .filter(([name, value]) => value !== undefined && name !== 'lease' && name !== 'updatedAt')
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
