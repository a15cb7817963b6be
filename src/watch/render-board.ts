import { proofMark } from '../command/status.ts';
import { GLYPH_OF, printable, shownText } from '../panel/render-list.ts';
import type { Theme } from '../panel/theme.ts';
import { idsText, openBlockers, type Task, type TaskStatus } from '../tasks/task.ts';
import { wrap } from '../terminal/text.ts';
import { type BoardSection, boardSections, boardTasks, isWideBoard } from './board.ts';
import { beside, EMPTY_LINE, join, type Line, line, padded } from './lines.ts';
import type { ViewerState } from './model.ts';
import { chosenMark, hasJustChanged, type ItemLook } from './render-items.ts';
import type { Body } from './scroll.ts';
import { choices, chosen, pageOf } from './shown.ts';

/** The team's tasks by status, each with its owner, its age, and what blocks what. */
export function boardBody(state: ViewerState, look: ItemLook): Body {
  const { theme, columns } = look;
  const { tasks } = boardTasks(state);
  if (tasks.size === 0) return { blocks: [[line('The team has no tasks.', theme.paint.faint)]] };
  const sections = boardSections(state);
  const isWide = isWideBoard(state);
  const separator = line(` ${theme.frame.left} `, theme.paint.faint);
  const width = isWide
    ? Math.floor((columns - (sections.length - 1) * separator.width) / sections.length)
    : columns;
  const choice = choices(state)[chosen(state)];
  const drawn = sections.map((section) =>
    sectionBlocks(section, state, { ...look, columns: width }, choice),
  );
  const follows = pageOf(state).cursor === undefined;
  if (!isWide) {
    const blocks = drawn.flatMap((section) => [...section.blocks, [EMPTY_LINE]]);
    const before = drawn.findIndex(({ focus }) => focus !== undefined);
    const above = drawn.slice(0, before).reduce((sum, { blocks }) => sum + blocks.length + 1, 0);
    const focus = drawn[before]?.focus;
    return { blocks, focus: focus === undefined ? undefined : above + focus, follows };
  }
  const columnsOf = drawn.map(({ blocks }) => blocks.flat());
  const height = Math.max(...columnsOf.map(({ length }) => length));
  const rows = beside(columnsOf, width, height, separator);
  const own = drawn.find(({ focus }) => focus !== undefined);
  if (own?.focus === undefined) return { blocks: rows.map((row) => [row]) };
  // In columns, a row belongs to several tasks. Keep the rows of the selected one together.
  const start = own.blocks.slice(0, own.focus).flat().length;
  const end = start + (own.blocks[own.focus]?.length ?? 0);
  const single = (some: readonly Line[]) => some.map((row) => [row]);
  return {
    blocks: [...single(rows.slice(0, start)), rows.slice(start, end), ...single(rows.slice(end))],
    focus: start,
    follows,
  };
}

/** The title is in the same block as the first task, so that it is visible with it. */
function sectionBlocks(
  { title, tasks }: BoardSection,
  state: ViewerState,
  look: ItemLook,
  choice: string | undefined,
): { blocks: Line[][]; focus: number | undefined } {
  const heading = line(`${title} ${tasks.length}`, look.theme.paint.strong);
  const blocks = tasks.map((task, index) => [
    ...(index === 0 ? [heading] : []),
    ...taskLines(task, boardTasks(state), look, String(task.id) === choice),
  ]);
  const focus = tasks.findIndex(({ id }) => String(id) === choice);
  return {
    blocks: blocks.length > 0 ? blocks : [[heading]],
    focus: focus === -1 ? undefined : focus,
  };
}

function taskLines(
  task: Task,
  { tasks, since }: ViewerState['known']['tasks'],
  { theme, times, columns }: ItemLook,
  isChosen: boolean,
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
  const text = shownText(task, subject, activeForm);
  const facts = [
    owner ?? '',
    from === undefined ? '' : status === 'in_progress' ? times.running(from) : times.ago(from),
    blockers.length > 0 ? `blocked by ${idsText(blockers)}` : '',
    waiting.length > 0 ? `blocks ${idsText(waiting)}` : '',
    proofMark(task),
  ].filter(Boolean);
  const marker = line(isChosen ? chosenMark(theme) : ' ', theme.paint.strong);
  const start = join(marker, mark, line(' '));
  const rows = wrap(printable(`#${id} ${text}`, theme), columns - start.width);
  const remarks = wrap(printable(facts.join(theme.unicode ? ' · ' : ' - '), theme), columns - 5);
  return [
    ...rows.map((row, index) =>
      join(index === 0 ? start : padded(line(''), start.width), line(row, paint)),
    ),
    ...(facts.length === 0 ? [] : remarks.map((row) => line(`     ${row}`, theme.paint.faint))),
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
