import type { TaskRow } from '../tasks/task-rows.ts';
import { displayWidth, truncate } from '../terminal/text.ts';
import {
  GLYPH_OF,
  printable,
  type RenderOptions,
  type Row,
  renderAllDone,
  renderList,
} from './render-list.ts';
import type { Theme } from './theme.ts';

const TITLE = 'Team tasks';
/** The text of a task keeps at least so many columns; what is said about it gets the rest. */
const LEAST_TEXT = 12;

/** The lines of the panel for a team's tasks: a row each, with its owner, or with what blocks it. */
export function renderTasks(tasks: readonly TaskRow[], options: RenderOptions): string[] {
  if (tasks.every(({ status }) => status === 'completed')) {
    return renderAllDone(tasks.length, options);
  }
  return renderList(tasks, { title: TITLE, ...options }, (task, columns, theme) =>
    taskRow(task, columns, theme, options.bright ?? false),
  );
}

function taskRow(task: TaskRow, columns: number, theme: Theme, bright: boolean): Row {
  const { id, status, subject, activeForm } = task;
  const glyph = theme[GLYPH_OF[status]];
  const paint = paintOf(task, theme, bright);
  if (columns < 3) return { text: paint(glyph), width: 1 };
  const text = status === 'in_progress' ? `${activeForm ?? subject}...` : subject;
  const label = printable(`#${id} ${text}`, theme);
  const room = columns - 2;
  const remark = truncate(
    printable(remarkOn(task), theme),
    Math.max(0, room - LEAST_TEXT - 1),
    theme.ellipsis,
  );
  const withRemark = remark.length > 1;
  const cut = truncate(label, room - (withRemark ? displayWidth(remark) + 1 : 0), theme.ellipsis);
  const row = `${glyph} ${cut}${withRemark ? ` ${remark}` : ''}`;
  return { text: paint(row), width: displayWidth(row) };
}

function remarkOn({ owner, openBlockers }: TaskRow): string {
  const blocked =
    openBlockers.length > 0 ? `[blocked by ${openBlockers.map((id) => `#${id}`).join(', ')}]` : '';
  return [owner === undefined ? '' : `(${owner})`, blocked].filter(Boolean).join(' ');
}

/** Of the pending tasks, those that wait for others are dim, and those that one can begin are not. */
function paintOf(task: TaskRow, { paint }: Theme, bright: boolean): (text: string) => string {
  if (task.status === 'in_progress' && bright) return paint.bright;
  const isWaiting = task.status === 'pending' && task.openBlockers.length > 0;
  return task.status !== 'pending' || isWaiting ? paint[GLYPH_OF[task.status]] : (text) => text;
}
