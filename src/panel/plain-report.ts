import type { TaskRow } from '../tasks/task-rows.ts';
import { oneLine } from '../terminal/text.ts';
import type { TodoItem, TodoState } from '../todo/todo-store.ts';

type Listed = Pick<TodoState, 'items'>;

/**
 * A change of the list in one line of words, for screen readers and logs; empty where nothing changed.
 *
 *     Tasks 2/5: in progress: Writing tests; completed: Build the parser
 */
export function plainReport(before: Listed, after: Listed, label = 'Tasks'): string {
  const total = after.items.length;
  if (total === 0) return before.items.length === 0 ? '' : `${label}: none`;
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
  return news.length === 0 ? '' : oneLine(`${label} ${done}/${total}: ${news.join('; ')}`);
}

/** The same for the tasks of a team. */
export function plainTaskReport(before: readonly TaskRow[], after: readonly TaskRow[]): string {
  return plainReport({ items: before.map(asItem) }, { items: after.map(asItem) }, 'Team tasks');
}

function asItem({ id, subject, activeForm, owner, status }: TaskRow): TodoItem {
  const by = owner === undefined ? '' : ` (${owner})`;
  return {
    id: String(id),
    content: `#${id} ${subject}${by}`,
    activeForm: `#${id} ${activeForm ?? subject}${by}`,
    status,
  };
}

/** The items are the same task if they have the same id or, without one, the same content. */
export function keyOf(item: TodoItem): string {
  return item.id === undefined ? `content ${item.content}` : `id ${item.id}`;
}

function byKey({ items }: Listed): Map<string, TodoItem> {
  return new Map(items.map((item) => [keyOf(item), item]));
}

function count({ items }: Listed, test: (item: TodoItem) => boolean): number {
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
