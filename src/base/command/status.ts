export const STATUSES = ['pending', 'in_progress', 'completed'] as const;
export type Status = (typeof STATUSES)[number];

/** The marks of statuses in text for models. Those for people are in a panel's theme. */
export const MARKS = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;

/** The highest first. */
export const PRIORITIES = ['high', 'medium', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

export interface Ranked {
  readonly status: Status;
  readonly priority?: Priority | undefined;
}

type HasStatus = Pick<Ranked, 'status'>;

export function isOpen({ status }: HasStatus): boolean {
  return status !== 'completed';
}

/** How many are completed. */
export function doneOf(rows: readonly HasStatus[]): number {
  return rows.filter(({ status }) => status === 'completed').length;
}

/** For people: `in progress`. */
export function statusText(status: string): string {
  return status.replace('_', ' ');
}

/** For people: `2 completed`, `1 in progress`; no status that nothing has. */
export function statusCounts(rows: readonly HasStatus[]): string[] {
  return STATUSES.toReversed().flatMap((status) => {
    const count = rows.filter((row) => row.status === status).length;
    return count > 0 ? [`${count} ${statusText(status)}`] : [];
  });
}

/** 0 for the highest priority. The default is medium. */
export function rankOf({ priority = 'medium' }: Pick<Ranked, 'priority'>): number {
  return PRIORITIES.indexOf(priority);
}

/** The index of the first pending item of the highest priority; -1 if nothing is pending. */
export function nextIndex(items: readonly Ranked[]): number {
  const [next] = upcoming(items);
  return next === undefined ? -1 : items.indexOf(next);
}

/** The items in the order in which a short screen needs them: in progress, pending by priority, completed from the last. */
export function byNeed<Item extends Ranked>(items: readonly Item[]): Item[] {
  const having = (status: Status) => [...items].filter((item) => item.status === status);
  return having('in_progress').concat(upcoming(items), having('completed').reverse());
}

function upcoming<Item extends Ranked>(items: readonly Item[]): Item[] {
  return [...items]
    .filter(({ status }) => status === 'pending')
    .sort((a, b) => rankOf(a) - rankOf(b));
}

interface Provable {
  readonly status: Status;
  readonly check?: string | undefined;
  readonly proof?: object | undefined;
}

/** `proven` or `unproven` for a completed item or task with a check, else empty. */
export function proofMark({ status, check, proof }: Provable): 'proven' | 'unproven' | '' {
  if (status !== 'completed' || check === undefined) return '';
  return proof === undefined ? 'unproven' : 'proven';
}

/** `#1, #2`. */
export function idsText(ids: readonly number[]): string {
  return ids.map((id) => `#${id}`).join(', ');
}
