import { STATUSES } from '../command/status.ts';
import { briefText } from '../safe-text.ts';
import { pairItems, removedAndAdded } from './pair-items.ts';
import type { Items, TodoItem, TodoStatus } from './todo-item.ts';

const WORDS: Readonly<Record<TodoStatus, string>> = {
  completed: 'completed',
  in_progress: 'began',
  pending: 'put back',
};

/** What a replacement changed, in one line: `completed "Fix login"; began "Run tests"; 1 removed, 2 added`. */
export function describeChange(before: Items, after: Items): string {
  if (after.length === 0) return describeClearing(before);
  const pairs = pairItems(before, after);
  const old = new Map(pairs.map((pair) => [pair.after, pair.before]));
  const moved = after.filter((item) => isMoved(item, old.get(item)));
  const removed = pairs.flatMap((pair) => (pair.before && !pair.after ? [pair.before] : []));
  const begun = removed.filter(({ status }) => status === 'in_progress');
  const parts = [
    ...STATUSES.toReversed().flatMap((status) => named(WORDS[status], having(moved, status))),
    // What was worked on does not go without its name.
    ...named('dropped', begun),
    ...removedAndAdded(pairs),
  ];
  if (parts.length > 0) return parts.join('; ');
  if (JSON.stringify(before) === JSON.stringify(after)) return 'nothing changed';
  const inOneOrder = (items: Items) =>
    JSON.stringify(items.map((item) => JSON.stringify(item)).sort());
  return inOneOrder(before) === inOneOrder(after) ? 'order changed' : 'details changed';
}

function describeClearing(before: Items): string {
  const { length } = before;
  if (length === 0) return 'nothing changed';
  if (having(before, 'completed').length < length) return 'cleared';
  return `finished ${length === 1 ? '1 item' : `${length} items`}`;
}

/** A new item that is pending is only added; one that is already begun or done has been moved as well. */
function isMoved(item: Readonly<TodoItem>, old: Readonly<TodoItem> | undefined): boolean {
  return item.status !== (old?.status ?? 'pending');
}

function having(items: Items, status: TodoStatus): Items {
  return items.filter((item) => item.status === status);
}

function named(what: string, [first, ...others]: Items): string[] {
  if (first === undefined) return [];
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return [`${what} "${briefText(first.content)}"${more}`];
}
