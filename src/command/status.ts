/** How far a task is: not begun, being worked on now, fully done. */
export const STATUSES = ['pending', 'in_progress', 'completed'] as const;
export type Status = (typeof STATUSES)[number];

/** How a status is marked in text for models; for people see the theme of a panel. */
export const MARKS = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;

/** How important a task is, the highest first. */
export const PRIORITIES = ['high', 'medium', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** What can come next. */
export interface Ranked {
  readonly status: Status;
  readonly priority?: Priority;
}

/** 0 for the highest priority. Without one, it counts as medium. */
export function rankOf({ priority = 'medium' }: Pick<Ranked, 'priority'>): number {
  return PRIORITIES.indexOf(priority);
}

/** The place of what comes next: the first pending item of the highest priority; -1 if nothing is pending. */
export function nextOf(items: readonly Ranked[]): number {
  const [next] = upcoming(items);
  return next === undefined ? -1 : items.indexOf(next);
}

/** The items with those first that must be seen where not all can be: what is in progress, what comes next, what was done last. */
export function byNeed<Item extends Ranked>(items: readonly Item[]): Item[] {
  const having = (status: Status) => items.filter((item) => item.status === status);
  return [...having('in_progress'), ...upcoming(items), ...having('completed').reverse()];
}

function upcoming<Item extends Ranked>(items: readonly Item[]): Item[] {
  return items.filter(({ status }) => status === 'pending').sort((a, b) => rankOf(a) - rankOf(b));
}

/** What a check may prove. */
interface Provable {
  readonly status: Status;
  readonly check?: string | undefined;
  readonly proof?: object | undefined;
}

/** How an item or a task is marked: `proven` or `unproven` where it is completed and has a check, else not at all. */
export function proofMark({ status, check, proof }: Provable): 'proven' | 'unproven' | '' {
  if (status !== 'completed' || check === undefined) return '';
  return proof === undefined ? 'unproven' : 'proven';
}
