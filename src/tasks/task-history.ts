import { safeText } from '../safe-text.ts';
import { agentText, noSuchVersion, type Refused } from './reasons.ts';
import { NO_TASKS, type Task, type TaskGraph } from './task.ts';
import type { TaskStore, TaskVersion } from './task-store.ts';
import { changedTasks } from './undo-change.ts';

/** One change that is kept, and what it did. */
export interface TaskChangeEntry {
  readonly version: number;
  readonly at: Date;
  readonly before: TaskGraph;
  readonly after: TaskGraph;
  /** The tasks that it has changed; never none. */
  readonly ids: readonly number[];
}

const MAX_SUBJECT_CHARACTERS = 60;
const MOST_NAMED = 5;

/** The changes that are kept, newest first. What no list shows, such as the renewal of a lease, is left out. */
export async function changesOf(store: TaskStore): Promise<TaskChangeEntry[]> {
  const versions = await store.history();
  const entries: TaskChangeEntry[] = [];
  for (const [index, { version, at, graph: after }] of versions.entries()) {
    // What was before the oldest version that is kept is known only if that is the first.
    const before = versions[index + 1]?.graph ?? (version === 1 ? NO_TASKS : undefined);
    const ids = before ? changedTasks(before, after) : [];
    if (before && ids.length > 0) entries.push({ version, at, before, after, ids });
  }
  return entries;
}

/** `12  2026-01-31T12:00:00Z  ann  claimed #3 Fix login`. */
export function changeLine(entry: TaskChangeEntry): string {
  const time = `${entry.at.toISOString().slice(0, 19)}Z`;
  const by = entry.after.by === undefined ? '-' : agentText(entry.after.by);
  return `${entry.version}  ${time}  ${by}  ${changeText(entry)}\n`;
}

/** `claimed #3 Fix login; created #4 Ship it`. */
export function changeText({ before, after, ids }: TaskChangeEntry): string {
  const named = ids
    .slice(0, MOST_NAMED)
    .map((id) => described(before.tasks.get(id), after.tasks.get(id)));
  const more = ids.length > named.length ? `; and ${ids.length - named.length} more` : '';
  return named.join('; ') + more;
}

function described(was: Task | undefined, task: Task | undefined): string {
  const known = (task ?? was) as Task;
  const name = `#${known.id} ${safeText(known.subject, MAX_SUBJECT_CHARACTERS)}`;
  if (was === undefined) return `created ${name}`;
  if (task === undefined) return `deleted ${name}`;
  const whom = task.owner === undefined ? '' : ` (${agentText(task.owner)})`;
  if (was.status !== task.status || was.owner !== task.owner) {
    if (task.status === 'completed') return `completed ${name}`;
    if (task.status === 'in_progress') return `claimed ${name}${whom}`;
    if (was.status === 'completed') return `reopened ${name}`;
    if (was.owner === task.owner) return `put back ${name}${whom}`;
    return task.owner === undefined ? `released ${name}` : `assigned ${name}${whom}`;
  }
  const fields = FIELDS.filter(
    (field) => JSON.stringify(was[field]) !== JSON.stringify(task[field]),
  ).map((field) => NAMES[field] ?? field);
  return `changed ${fields.join(', ')} of ${name}`;
}

const FIELDS = [
  'subject',
  'description',
  'activeForm',
  'priority',
  'blocks',
  'blockedBy',
  'metadata',
  'check',
  'proof',
  'comments',
  'isArchived',
  'lostBy',
] as const;
const NAMES: Partial<Record<(typeof FIELDS)[number], string>> = {
  isArchived: 'archive',
  lostBy: 'owner',
};

/** The list as it was at a version, or why that cannot be told. */
export async function graphAt(
  store: TaskStore,
  at: number | undefined,
): Promise<TaskVersion | Refused> {
  if (at === undefined) return store.read();
  const versions = await store.history();
  const found = versions.find(({ version }) => version === at);
  return (
    found ?? {
      refused: [
        noSuchVersion(
          at,
          versions.map(({ version }) => version),
        ),
      ],
    }
  );
}
