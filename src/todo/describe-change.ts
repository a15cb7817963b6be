import { briefText } from '../safe-text.ts';
import { pairItems } from './pair-items.ts';
import type { Items, TodoItem, TodoStatus } from './todo-item.ts';

const WORDS: Readonly<Record<TodoStatus, string>> = {
  completed: 'completed',
  in_progress: 'began',
  pending: 'put back',
};

/** What a replacement changed, in one line: `completed "Fix login"; began "Run tests"; 2 added`. */
export function describeChange(before: Items, after: Items): string {
  if (after.length === 0) return before.length === 0 ? 'nothing changed' : 'cleared';
  const pairs = pairItems(before, after);
  const old = new Map(pairs.map((pair) => [pair.after, pair.before]));
  const moved = after.filter((item) => isMoved(item, old.get(item)));
  const added = after.filter((item) => old.get(item) === undefined).length;
  const removed = pairs.filter((pair) => pair.after === undefined).length;
  const parts = [
    ...(['completed', 'in_progress', 'pending'] as const).flatMap((status) => named(moved, status)),
    ...(added > 0 ? [`${added} added`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
  ];
  if (parts.length > 0) return parts.join('; ');
  if (JSON.stringify(before) === JSON.stringify(after)) return 'nothing changed';
  const inOneOrder = (items: Items) =>
    JSON.stringify(items.map((item) => JSON.stringify(item)).sort());
  return inOneOrder(before) === inOneOrder(after) ? 'order changed' : 'details changed';
}

/** A new item that is pending is only added; one that is already begun or done has been moved as well. */
function isMoved(item: Readonly<TodoItem>, old: Readonly<TodoItem> | undefined): boolean {
  return item.status !== (old?.status ?? 'pending');
}

function named(moved: Items, status: TodoStatus): string[] {
  const [first, ...others] = moved.filter((item) => item.status === status);
  if (first === undefined) return [];
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return [`${WORDS[status]} "${briefText(first.content)}"${more}`];
}
