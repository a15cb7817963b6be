import type { TaskRow } from '../../tasks/task-store.ts';
import { pairItems } from '../../todo/pair-items.ts';
import type { TodoState } from '../../todo/todo-version.ts';
import { oneLine } from '../terminal/text.ts';
import { type Shown, shownItem, shownTask } from './look.ts';

/** More items that were added are counted. */
const MOST_NAMED_ADDED = 3;

type Listed = Pick<TodoState, 'items'>;

/**
 * A change of the list in one line of words, for screen readers and logs; empty if nothing changed.
 *
 *     Tasks 2/5: in progress: Writing tests; completed: Build the parser
 */
export function plainReport(before: Listed, after: Listed, label = 'Tasks'): string {
  return reportOf(label, pairItems(before.items, after.items), shownItem);
}

export function plainTaskReport(before: readonly TaskRow[], after: readonly TaskRow[]): string {
  const show = (task: TaskRow) => shownTask(task, { blockedBy: [], blocks: [] });
  return reportOf('Team tasks', pairTasks(before, after), show);
}

interface Pair<Row> {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

function pairTasks(before: readonly TaskRow[], after: readonly TaskRow[]): Pair<TaskRow>[] {
  const old = new Map(before.map((task) => [task.id, task]));
  const now = new Map(after.map((task) => [task.id, task]));
  const gone = before.filter(({ id }) => !now.has(id));
  return [
    ...after.map((task) => ({ before: old.get(task.id), after: task })),
    ...gone.map((task) => ({ before: task, after: undefined })),
  ];
}

function reportOf<Row>(
  label: string,
  pairs: readonly Pair<Row>[],
  show: (row: Row) => Shown,
): string {
  const shown = (row: Row | undefined) => (row === undefined ? undefined : show(row));
  const now = pairs.flatMap(({ before, after }) =>
    after === undefined ? [] : [{ was: shown(before), is: show(after) }],
  );
  if (now.length === 0) return pairs.length === 0 ? '' : `${label}: none`;
  const changed = now.filter(({ was, is }) => isNews(is, was)).map(({ is }) => is);
  const added = now.filter(({ was }) => was === undefined).map(({ is }) => is);
  const removed = pairs.length - now.length;
  const news = [
    ...labelledItems(changed, 'in_progress', 'in progress'),
    ...labelledItems(changed, 'completed', 'completed'),
    ...labelledItems(changed, 'pending', 'pending again'),
    ...(removed > 0 ? [`${removed} removed`] : []),
    ...(added.length > MOST_NAMED_ADDED
      ? [`${added.length} added`]
      : labelledItems(added, 'pending', 'added')),
  ];
  const done = now.filter(({ is }) => is.status === 'completed').length;
  return news.length === 0 ? '' : oneLine(`${label} ${done}/${now.length}: ${news.join('; ')}`);
}

/** New pending items are named as added. */
function isNews(is: Shown, was: Shown | undefined): boolean {
  if (is.status !== (was?.status ?? 'pending')) return true;
  return is.status === 'in_progress' && (is.doing !== was?.doing || is.owner !== was.owner);
}

function labelledItems(items: readonly Shown[], status: Shown['status'], label: string): string[] {
  return items
    .filter((item) => item.status === status)
    .map(({ text, doing, owner }) => {
      const by = owner === '' ? '' : ` (${owner})`;
      return `${label}: ${status === 'in_progress' ? doing : text}${by}`;
    });
}
