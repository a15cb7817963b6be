import { GLYPH_OF, printable } from '../panel/render-list.ts';
import type { Theme } from '../panel/theme.ts';
import { proofMark } from '../proof/proof.ts';
import { idsText, openBlockers, type Task, type TaskStatus } from '../tasks/task.ts';
import { wrap } from '../terminal/text.ts';
import { beside, EMPTY_LINE, join, type Line, line } from './lines.ts';
import type { ViewerState } from './model.ts';
import { hasJustChanged, type ItemLook } from './render-items.ts';
import type { Body } from './scroll.ts';

/** From this many columns on the states stand side by side, else one below the other. */
const BOARD_COLUMNS = 66;

const STATES: readonly { status: TaskStatus; title: string }[] = [
  { status: 'pending', title: 'Pending' },
  { status: 'in_progress', title: 'In progress' },
  { status: 'completed', title: 'Completed' },
];

/** The tasks of the team by their state, each with its owner, its age, and what it waits for or holds up. */
export function boardBody(state: ViewerState, look: ItemLook): Body {
  const { theme, columns } = look;
  const { tasks } = state.known.tasks;
  if (tasks.size === 0) return { blocks: [[line('The team has no tasks.', theme.paint.faint)]] };
  const shown = STATES.filter(({ status }) => status !== 'completed' || !state.hidesCompleted);
  if (columns < BOARD_COLUMNS) {
    // What is being worked on comes first where one sees little.
    const order = [...shown].sort((a, b) => rank(a.status) - rank(b.status));
    const sections = order.map((section) => [...stateLines(section, state, look), EMPTY_LINE]);
    return { blocks: sections.flat().map((row) => [row]) };
  }
  const separator = line(` ${theme.frame.left} `, theme.paint.faint);
  const width = Math.floor((columns - (shown.length - 1) * separator.width) / shown.length);
  const sections = shown.map((section) => stateLines(section, state, { ...look, columns: width }));
  const height = Math.max(...sections.map(({ length }) => length));
  return { blocks: beside(sections, width, height, separator).map((row) => [row]) };
}

function rank(status: TaskStatus): number {
  return ['in_progress', 'pending', 'completed'].indexOf(status);
}

function stateLines(
  { status, title }: (typeof STATES)[number],
  { known }: ViewerState,
  look: ItemLook,
): Line[] {
  const { theme } = look;
  const { tasks, since } = known.tasks;
  const own = [...tasks.values()].filter((task) => task.status === status && !task.isArchived);
  // The latest success first: there may be hundreds.
  if (status === 'completed') {
    own.sort((a, b) => (since.get(b.id) ?? 0) - (since.get(a.id) ?? 0) || b.id - a.id);
  }
  return [
    line(`${title} ${own.length}`, theme.paint.strong),
    ...own.flatMap((task) => taskLines(task, known.tasks, look)),
  ];
}

function taskLines(
  task: Task,
  { tasks, since }: ViewerState['known']['tasks'],
  { theme, times, columns }: ItemLook,
): Line[] {
  const { id, status, subject, activeForm, owner } = task;
  const blockers = status === 'completed' ? [] : openBlockers({ nextId: 0, tasks }, task);
  const waiting =
    status === 'completed'
      ? []
      : task.blocks.filter((other) => tasks.get(other)?.status !== 'completed');
  const from = since.get(id);
  const isFresh = hasJustChanged(task, from, times);
  const paint = isFresh ? theme.paint.fresh : paintOf(status, blockers.length > 0, theme);
  const isDone = status === 'completed' && !isFresh;
  const mark = line(theme[GLYPH_OF[status]], isDone ? theme.paint.done : paint);
  const text = status === 'in_progress' ? `${activeForm ?? subject}...` : subject;
  const facts = [
    owner ?? '',
    from === undefined ? '' : status === 'in_progress' ? times.running(from) : times.ago(from),
    blockers.length > 0 ? `blocked by ${idsText(blockers)}` : '',
    waiting.length > 0 ? `blocks ${idsText(waiting)}` : '',
    proofMark(task),
  ].filter(Boolean);
  const rows = wrap(printable(`#${id} ${text}`, theme), columns - 2);
  const remarks = wrap(printable(facts.join(theme.unicode ? ' · ' : ' - '), theme), columns - 4);
  return [
    ...rows.map((row, index) => join(index === 0 ? mark : line(' '), line(' '), line(row, paint))),
    ...(facts.length === 0 ? [] : remarks.map((row) => line(`    ${row}`, theme.paint.faint))),
  ];
}

function paintOf(
  status: TaskStatus,
  isBlocked: boolean,
  { paint }: Theme,
): (text: string) => string {
  if (status === 'in_progress') return paint.inProgress;
  if (status === 'completed') return paint.completed;
  return isBlocked ? paint.faint : paint.pending;
}
