import { statusCounts } from '../../base/command/status.ts';
import type { Task } from '../../tasks/task.ts';
import type { TodoVersion } from '../../todo/todo-version.ts';
import { wrap } from '../terminal/text.ts';
import { factsOf, LONGEST_ROW, rowLines, type Shown, shownItem, shownTask } from './look.ts';
import { ShownTimes } from './shown-times.ts';
import { statusTimes } from './status-times.ts';
import type { Theme } from './theme.ts';

/** Up to this, facts of a task stand below its subject. */
const FACTS_BELOW_COLUMNS = 60;

/** A terminal to print a list on, once. */
export interface PeopleLook {
  readonly theme: Theme;
  readonly columns: number;
  /** In milliseconds since 1970. */
  readonly now: number;
}

interface PeopleRow {
  readonly shown: Shown;
  readonly facts: readonly string[];
}

/** A list with its times and a summary. @param versions of the list, newest first. */
export function todosForPeople(versions: readonly TodoVersion[], look: PeopleLook): string {
  const [list] = versions;
  if (list === undefined || list.items.length === 0) return 'No todos.\n';
  const times = new ShownTimes(look.now);
  const { of } = statusTimes(versions);
  const rows = list.items.map((item) => {
    const { status, content, activeForm, priority: _, proof: __, ...others } = item;
    const at = status === 'pending' ? undefined : of.get(item)?.since;
    const time = at === undefined ? '' : times[status === 'completed' ? 'at' : 'running'](at);
    const details = Object.entries(others).map((field) => field.join(': '));
    const text = content + (details.length > 0 ? ` (${details.join(', ')})` : '');
    const shown = { ...shownItem(item), text, doing: `${text} <- ${activeForm}`, more: [] };
    return { shown, facts: factsOf(shown, time) };
  });
  return page(rows, `changed ${times.ago(+list.updatedAt)}`, look);
}

export function tasksForPeople(
  tasks: readonly (Task & {
    readonly openBlockers: readonly number[];
    readonly isReady: boolean;
    readonly isLeaseOver: boolean;
  })[],
  look: PeopleLook,
): string {
  if (tasks.length === 0) return 'No tasks.\n';
  const times = new ShownTimes(look.now);
  const rows = tasks.map((task) => {
    const { subject, activeForm, openBlockers: blockedBy } = task;
    const doing = activeForm === undefined ? subject : `${subject} <- ${activeForm}`;
    const shown = shownTask({ ...task, activeForm: doing }, { blockedBy, blocks: [] });
    // The age comes last: it is the first that is left out.
    const own = factsOf(shown);
    const facts = task.isLeaseOver ? own.toSpliced(1, 0, 'lease expired') : own;
    return { shown, facts: [...facts, times.ago(Date.parse(task.updatedAt))] };
  });
  const ready = tasks.filter(({ isReady }) => isReady).length;
  return page(rows, `${ready} ready to claim`, look, look.columns <= FACTS_BELOW_COLUMNS);
}

function page(
  rows: readonly PeopleRow[],
  remark: string,
  { theme, columns }: PeopleLook,
  factsBelow = false,
): string {
  const width = Math.min(LONGEST_ROW, Math.max(20, columns - 1));
  const lines = rows.flatMap(({ shown, facts }) =>
    rowLines(shown, { theme, columns: width, facts, factsBelow }),
  );
  const counts = statusCounts(rows.map(({ shown }) => shown));
  const summary = wrap([...counts, remark].join(', '), width).map(theme.paint.faint);
  return `${[...lines.map(({ text }) => text.trimEnd()), '', ...summary].join('\n')}\n`;
}
