import type { TodoItem, TodoState } from '../todo/todo-store.ts';
import { oneLine } from './text.ts';

/**
 * A change of the list in one line of words, for screen readers and logs; empty where nothing changed.
 *
 *     Tasks 2/5: in progress: Writing tests; completed: Build the parser
 */
export function plainReport(before: TodoState, after: TodoState): string {
  const total = after.items.length;
  if (total === 0) return before.items.length === 0 ? '' : 'Tasks: none';
  const old = byKey(before);
  const now = byKey(after);
  const added = total - count(after, (item) => old.has(keyOf(item)));
  const removed = count(before, (item) => !now.has(keyOf(item)));
  const changed = after.items.filter((item) => isNews(item, old.get(keyOf(item))));
  const news = [
    ...named(changed, 'in_progress', 'in progress'),
    ...named(changed, 'completed', 'completed'),
    ...named(changed, 'pending', 'pending again'),
    ...(added > 0 ? [`${added} added`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
  ];
  const done = count(after, (item) => item.status === 'completed');
  return news.length === 0 ? '' : oneLine(`Tasks ${done}/${total}: ${news.join('; ')}`);
}

/** The items are the same task if they have the same id or, without one, the same content. */
export function keyOf(item: TodoItem): string {
  return item.id === undefined ? `content ${item.content}` : `id ${item.id}`;
}

function byKey({ items }: TodoState): Map<string, TodoItem> {
  return new Map(items.map((item) => [keyOf(item), item]));
}

function count({ items }: TodoState, test: (item: TodoItem) => boolean): number {
  return items.filter(test).length;
}

/** A new item is news of its own only when it is not pending: how many were added is told anyway. */
function isNews(item: TodoItem, old: TodoItem | undefined): boolean {
  if (item.status !== (old?.status ?? 'pending')) return true;
  return item.status === 'in_progress' && item.activeForm !== old?.activeForm;
}

function named(items: readonly TodoItem[], status: TodoItem['status'], label: string): string[] {
  return items
    .filter((item) => item.status === status)
    .map((item) => `${label}: ${status === 'in_progress' ? item.activeForm : item.content}`);
}
