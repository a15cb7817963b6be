import type { TodoItem, TodoStatus } from '../todo/todo-item.ts';

/** What `arrange` needs of an item. */
export type Arrangeable = Pick<TodoItem, 'status' | 'priority'>;

/** The items that fit, and how many of each status are hidden. */
export interface Arrangement<Item> {
  readonly shown: readonly Item[];
  readonly hidden: Readonly<Record<TodoStatus, number>>;
}

const STATUSES: readonly TodoStatus[] = ['completed', 'in_progress', 'pending'];
const PRIORITIES = ['high', 'medium', 'low'];

/**
 * Chooses the items for `rows` rows. If not all fit, the last row says what is hidden. Completed items are hidden first,
 * oldest first, then pending ones from the end.
 */
export function arrange<Item extends Arrangeable>(
  items: readonly Item[],
  rows: number,
): Arrangement<Item> {
  const sorted = sortPrioritised(items);
  const hidden = { completed: 0, in_progress: 0, pending: 0 };
  if (sorted.length <= rows) return { shown: sorted, hidden };
  // In a single row, the item in progress matters more than how many are hidden.
  const active = sorted.some((item) => item.status === 'in_progress');
  const room = rows === 1 && active ? 1 : Math.max(0, rows - 1);
  const kept = new Set(byImportance(sorted).slice(0, room));
  for (const item of sorted) if (!kept.has(item)) hidden[item.status] += 1;
  return { shown: sorted.filter((item) => kept.has(item)), hidden };
}

/** Sorts items with a priority among themselves; the others keep their places. */
function sortPrioritised<Item extends Arrangeable>(items: readonly Item[]): readonly Item[] {
  const sorted = items
    .filter((item) => item.priority)
    .sort((a, b) => STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status) || rank(a) - rank(b));
  let next = 0;
  return items.map((item) => (item.priority && sorted[next++]) || item);
}

function rank(item: Arrangeable): number {
  return PRIORITIES.indexOf(item.priority ?? '');
}

function byImportance<Item extends Arrangeable>(items: readonly Item[]): Item[] {
  const having = (status: TodoStatus) => items.filter((item) => item.status === status);
  return [...having('in_progress'), ...having('pending'), ...having('completed').reverse()];
}
