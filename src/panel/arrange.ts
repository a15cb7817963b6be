import { byNeed, type Ranked, type Status } from '../command/status.ts';

/** The items that fit, in their order, and how many of each status are hidden. */
export interface Arrangement<Item> {
  readonly shown: readonly Item[];
  readonly hidden: Readonly<Record<Status, number>>;
}

/**
 * Chooses the items for `rows` rows. If not all fit, the last row says what is hidden. Completed items are hidden first,
 * oldest first, then pending ones, the last that would be begun first.
 */
export function arrange<Item extends Ranked>(
  items: readonly Item[],
  rows: number,
): Arrangement<Item> {
  const hidden = { completed: 0, in_progress: 0, pending: 0 };
  if (items.length <= rows) return { shown: items, hidden };
  // In a single row, the item in progress matters more than how many are hidden.
  const active = items.some((item) => item.status === 'in_progress');
  const room = rows === 1 && active ? 1 : Math.max(0, rows - 1);
  const kept = new Set(byNeed(items).slice(0, room));
  for (const item of items) if (!kept.has(item)) hidden[item.status] += 1;
  return { shown: items.filter((item) => kept.has(item)), hidden };
}
