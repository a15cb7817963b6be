import { proofMark, STATUSES, type Status } from '../../base/command/status.ts';
import type { Task } from '../../tasks/task.ts';
import type { TodoVersion } from '../../todo/todo-version.ts';
import { table } from '../terminal/lines.ts';
import { factsOf, printable, rowLines, shownTask } from './look.ts';
import { ShownTimes } from './shown-times.ts';
import { statusTimes } from './status-times.ts';
import { GLYPH_OF, type Theme } from './theme.ts';

/** Below this, facts of a task stand below its subject. */
const NARROW_TABLE_COLUMNS = 60;

/** A terminal to print a list on, once. */
export interface PeopleLook {
  readonly theme: Theme;
  readonly columns: number;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** A list with its times and a summary line. @param versions of the list, newest first. */
export function todosForPeople(versions: readonly TodoVersion[], look: PeopleLook): string {
  const { theme } = look;
  const [list] = versions;
  const items = list?.items ?? [];
  if (list === undefined || items.length === 0) return 'No todos.\n';
  const times = new ShownTimes(look.now);
  const { since } = statusTimes(versions);
  const rows = items.map((item) => {
    const at = since.get(item);
    const { status, content, activeForm, priority = '', proof: _, ...others } = item;
    const isKnown = status !== 'pending' && at !== undefined;
    const time = isKnown ? times[status === 'completed' ? 'at' : 'running'](at) : '';
    const details = Object.entries(others).map((field) => field.join(': '));
    const doing = status === 'in_progress' ? ` <- ${activeForm}...` : '';
    const text = content + doing + (details.length > 0 ? ` (${details.join(', ')})` : '');
    return [theme[GLYPH_OF[status]], time, priority, proofMark(item), text];
  });
  const changed = `changed ${times.ago(+list.updatedAt)}`;
  return page(rows, items, [changed], look);
}

export function tasksForPeople(
  tasks: readonly (Task & {
    readonly openBlockers: readonly number[];
    readonly isReady: boolean;
    readonly isLeaseOver: boolean;
  })[],
  look: PeopleLook,
): string {
  const { theme } = look;
  if (tasks.length === 0) return 'No tasks.\n';
  const times = new ShownTimes(look.now);
  const columns = Math.max(20, look.columns - 1);
  const rows = tasks.flatMap((task) => {
    const { subject, activeForm, openBlockers: blockedBy } = task;
    const doing = activeForm === undefined ? subject : `${subject} <- ${activeForm}`;
    const shown = shownTask({ ...task, activeForm: doing }, { blockedBy, blocks: [] });
    // The age comes last: it is the first that is left out.
    const own = factsOf(shown);
    const facts = task.isLeaseOver ? own.toSpliced(1, 0, 'lease expired') : own;
    const look = {
      ...{ theme, columns, facts: [...facts, times.ago(Date.parse(task.updatedAt))] },
      factsBelow: columns < NARROW_TABLE_COLUMNS,
    };
    return rowLines(shown, look).map(({ text }) => text.trimEnd());
  });
  const ready = tasks.filter(({ isReady }) => isReady).length;
  return withSummary(rows, tasks, [`${ready} ready to claim`], theme);
}

function page(
  rows: readonly (readonly string[])[],
  items: readonly { readonly status: Status }[],
  more: readonly string[],
  { theme, columns }: PeopleLook,
): string {
  const used = (rows[0] ?? []).map((_, x) => rows.some((row) => row[x] !== ''));
  const cells = rows.map((row) =>
    row.filter((_, x) => used[x]).map((text) => printable(text, theme)),
  );
  const last = (cells[0]?.length ?? 0) - 1;
  const lines = table(
    cells,
    { width: Math.max(20, columns - 1), ellipsis: theme.ellipsis },
    (y, x) => {
      const paint = theme.paint[GLYPH_OF[items[y]?.status ?? 'pending']];
      return x === 0 || x === last ? paint : theme.paint.faint;
    },
  );
  return withSummary(lines, items, more, theme);
}

function withSummary(
  lines: readonly string[],
  items: readonly { readonly status: Status }[],
  more: readonly string[],
  theme: Theme,
): string {
  const counts = STATUSES.toReversed()
    .map((status) => {
      const count = items.filter((item) => item.status === status).length;
      return count > 0 ? `${count} ${status.replace('_', ' ')}` : '';
    })
    .filter(Boolean);
  const summary = theme.paint.faint([...counts, ...more].join(', '));
  return `${lines.join('\n')}\n\n${summary}\n`;
}
