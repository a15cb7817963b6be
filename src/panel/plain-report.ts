import type { TaskRow } from '../tasks/task-store.ts';
import { oneLine } from '../terminal/text.ts';
import { type ItemPair, pairItems, removedAndAdded } from '../todo/pair-items.ts';
import type { TodoItem } from '../todo/todo-item.ts';
import type { TodoState } from '../todo/todo-version.ts';

type Listed = Pick<TodoState, 'items'>;

/**
 * A change of the list in one line of words, for screen readers and logs; empty if nothing changed.
 *
 *     Tasks 2/5: in progress: Writing tests; completed: Build the parser
 */
export function plainReport(before: Listed, after: Listed, label = 'Tasks'): string {
  return reportOf(label, pairItems(before.items, after.items), after.items);
}

/** The same for a team's tasks. */
export function plainTaskReport(before: readonly TaskRow[], after: readonly TaskRow[]): string {
  const items = new Map(after.map((task) => [task, asItem(task)]));
  const pairs = pairTasks(before, after).map((pair) => ({
    before: pair.before && asItem(pair.before),
    after: pair.after && items.get(pair.after),
  }));
  return reportOf('Team tasks', pairs, [...items.values()]);
}

/** Each task before and after a change; undefined where it did not exist. */
export function pairTasks(
  before: readonly TaskRow[],
  after: readonly TaskRow[],
): { before: TaskRow | undefined; after: TaskRow | undefined }[] {
  const found = new Map(after.map((task) => [task.id, task]));
  const pairs = before.map((task) => ({ before: task, after: found.get(task.id) }));
  for (const { id } of before) found.delete(id);
  return [...pairs, ...[...found.values()].map((task) => ({ before: undefined, after: task }))];
}

function reportOf(label: string, pairs: readonly ItemPair[], items: readonly TodoItem[]): string {
  if (items.length === 0) return pairs.length === 0 ? '' : `${label}: none`;
  const old = new Map(pairs.map(({ before, after }) => [after, before]));
  const changed = items.filter((item) => isNews(item, old.get(item)));
  const news = [
    ...named(changed, 'in_progress', 'in progress'),
    ...named(changed, 'completed', 'completed'),
    ...named(changed, 'pending', 'pending again'),
    ...removedAndAdded(pairs),
  ];
  const done = items.filter(({ status }) => status === 'completed').length;
  return news.length === 0 ? '' : oneLine(`${label} ${done}/${items.length}: ${news.join('; ')}`);
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

/** New pending items are only counted, as added; others are also named. */
function isNews(item: TodoItem, old: Readonly<TodoItem> | undefined): boolean {
  if (item.status !== (old?.status ?? 'pending')) return true;
  return item.status === 'in_progress' && item.activeForm !== old?.activeForm;
}

function named(items: readonly TodoItem[], status: TodoItem['status'], label: string): string[] {
  return items
    .filter((item) => item.status === status)
    .map((item) => `${label}: ${status === 'in_progress' ? item.activeForm : item.content}`);
}
