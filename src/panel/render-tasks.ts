import type { TaskRow } from '../tasks/task-store.ts';
import { displayWidth, truncate } from '../terminal/text.ts';
import {
  GLYPH_OF,
  paintItem,
  printable,
  type RenderOptions,
  type Row,
  renderAllDone,
  renderList,
  shownText,
} from './render-list.ts';
import type { Theme } from './theme.ts';

const TITLE = 'Team tasks';
/** The minimum width of a task's text; the remark gets the rest. */
const LEAST_TEXT = 12;

/** The lines of the panel for a team's tasks: one row each, with its owner or what blocks it. */
export function renderTasks(tasks: readonly TaskRow[], options: RenderOptions): string[] {
  if (tasks.every(({ status }) => status === 'completed')) {
    return renderAllDone(tasks.length, options);
  }
  return renderList(tasks, { title: TITLE, ...options }, (task, columns, theme) =>
    taskRow(task, columns, theme, options.fresh?.has(task)),
  );
}

function taskRow(task: TaskRow, columns: number, theme: Theme, isFresh = false): Row {
  const { id, status, subject, activeForm } = task;
  const glyph = theme[GLYPH_OF[status]];
  if (columns < 3) return { text: paintItem(task, { mark: glyph, text: '' }, theme), width: 1 };
  const label = printable(`#${id} ${shownText(task, subject, activeForm)}`, theme);
  const room = columns - 2;
  const remark = truncate(
    printable(remarkOn(task), theme),
    Math.max(0, room - LEAST_TEXT - 1),
    theme.ellipsis,
  );
  const withRemark = remark.length > 1;
  const cut = truncate(label, room - (withRemark ? displayWidth(remark) + 1 : 0), theme.ellipsis);
  const rest = ` ${cut}${withRemark ? ` ${remark}` : ''}`;
  const width = displayWidth(glyph + rest);
  // Pending tasks are dim if they wait for others.
  const isWaiting = status === 'pending' && task.openBlockers.length > 0;
  if (isWaiting && !isFresh) return { text: theme.paint.faint(glyph + rest), width };
  return { text: paintItem(task, { mark: glyph, text: rest }, theme, isFresh), width };
}

function remarkOn({ owner, openBlockers, proof }: TaskRow): string {
  const blocked =
    openBlockers.length > 0 ? `[blocked by ${openBlockers.map((id) => `#${id}`).join(', ')}]` : '';
  const proven = proof ? '[proven]' : '';
  return [owner === undefined ? '' : `(${owner})`, blocked, proven].filter(Boolean).join(' ');
}
