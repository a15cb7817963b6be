import { byNeed, doneOf, isOpen, type Ranked, statusCounts } from '../../base/command/status.ts';
import type { TaskRow } from '../../tasks/task-store.ts';
import { pairItems } from '../../todo/pair-items.ts';
import type { Item, Items } from '../../todo/todo-fields.ts';
import type { TodoState } from '../../todo/todo-version.ts';
import { type Line, line, padded } from '../terminal/lines.ts';
import { displayWidth, truncate } from '../terminal/text.ts';
import {
  factsOf,
  LONGEST_ROW,
  printable,
  rowLines,
  type Shown,
  shownItem,
  shownTask,
} from './look.ts';
import { shownElapsed } from './shown-times.ts';
import { createTheme, type Theme } from './theme.ts';

/** The most rows of a panel, with its frame. */
const MAX_ROWS = 10;
/** On narrower screens, rows have no box. */
const MIN_BOX_COLUMNS = 24;
/** With fewer rows, the item in progress takes only one. */
const MIN_WRAP_ROWS = 3;
/** A frame with one row, twice: a list takes at most half of its share. */
const LEAST_ROWS = 6;

/** How to draw a panel. */
export interface RenderOptions {
  /** The size of the screen. The panel takes at most half its rows. */
  columns: number;
  rows?: number;
  /** The title in the frame (default: `Tasks`). */
  title?: string;
  /** Default: Unicode, without colours. */
  theme?: Theme;
  /** How long the item has been in progress, in milliseconds; shown from one second on. */
  elapsedMs?: number;
  /** How long completed items were in progress, in milliseconds; shown from one second on. */
  took?: ReadonlyMap<unknown, number>;
  /** The items whose status has just changed; they stand out. */
  fresh?: Pick<ReadonlySet<unknown>, 'has'>;
  /** The numbers of new and removed items, for the title. */
  rewritten?: { readonly added: number; readonly removed: number } | undefined;
}

/** How to draw lists: the time beside an item is given as text. */
export type ListOptions = Omit<RenderOptions, 'elapsedMs' | 'took'> & {
  readonly timeOf?: (item: Item) => string;
};

type Show<Row> = (row: Row) => { readonly shown: Shown; readonly facts: readonly string[] };

export interface NamedList {
  readonly name: string;
  readonly todos: TodoState;
}

/**
 * The lines for a todo list, those of other agents, and a team's tasks, each in a box. Other agents' lists that do not fit are
 * left out.
 *
 * @param isFolded true: a completed todo list takes one line.
 */
export function renderLists(
  todos: TodoState,
  others: readonly NamedList[],
  tasks: readonly TaskRow[],
  options: ListOptions,
  isFolded = false,
): string[] {
  const { rows = 2 * MAX_ROWS } = options;
  const busy = others.filter((other) => other.todos.items.length > 0);
  const render = isFolded ? renderDone : renderList;
  const isAlone = tasks.length + busy.length === 0;
  const lines = render(todos, { ...options, rows: isAlone ? rows : Math.ceil(rows / 2) });
  const room = () => rows - 2 * lines.length;
  for (const [at, other] of busy.entries()) {
    const boxesLeft = busy.length - at + (tasks.length > 0 ? 1 : 0);
    const share = Math.max(LEAST_ROWS, Math.floor(room() / boxesLeft));
    if (share > room()) break;
    const { rewritten: _, ...shown } = options;
    lines.push(...renderList(other.todos, { ...shown, title: other.name, rows: share }));
  }
  return [...lines, ...renderTasks(tasks, { ...options, rows: room() })];
}

/** The lines of the panel for a list, each at most `columns` wide and without a newline. Empty for an empty list. */
export function renderTodos(state: TodoState, options: RenderOptions): string[] {
  const { elapsedMs = 0, took, ...others } = options;
  const spent = (item: Item) => (item.status === 'completed' ? took?.get(item) : elapsedMs);
  const timeOf = (item: Item) => (item.status === 'pending' ? '' : shownElapsed(spent(item) ?? 0));
  return renderList(state, { ...others, timeOf });
}

function renderList(state: Pick<TodoState, 'items'>, options: ListOptions): string[] {
  const show: Show<Item> = (item) => {
    const shown = shownItem(item);
    return { shown, facts: factsOf(shown, options.timeOf?.(item)) };
  };
  return renderBox(state.items, show, { title: 'Tasks', ...options });
}

function renderDone(
  { items: { length: count } }: { readonly items: readonly unknown[] },
  options: ListOptions,
): string[] {
  const { columns, rows = Infinity, theme = createTheme() } = options;
  if (count === 0 || rows < 2) return [];
  const text = `${theme.completed} ${count} ${count === 1 ? 'task' : 'tasks'} completed`;
  return [theme.paint.done(truncate(text, Math.max(1, columns - 1), theme.ellipsis))];
}

/** The lines for a team's tasks; one line if all are completed. */
function renderTasks(tasks: readonly TaskRow[], options: ListOptions): string[] {
  if (!tasks.some(isOpen)) {
    return renderDone({ items: tasks }, options);
  }
  const show: Show<TaskRow> = (task) => {
    const shown = shownTask(task, { blockedBy: task.openBlockers, blocks: [] });
    return { shown, facts: factsOf(shown) };
  };
  const { rewritten: _, ...others } = options;
  return renderBox(tasks, show, { title: 'Team tasks', ...others });
}

function renderBox<Row extends Ranked>(
  items: readonly Row[],
  show: Show<Row>,
  options: ListOptions & { title: string },
): string[] {
  const { columns, rows = 2 * MAX_ROWS, title, theme = createTheme(), rewritten } = options;
  const height = Math.min(MAX_ROWS, Math.floor(rows / 2));
  if (items.length === 0 || height < 1) return [];
  const isBoxed = columns >= MIN_BOX_COLUMNS && height >= 3;
  // The last column stays free: after writing there, a terminal is about to wrap.
  const width = isBoxed ? Math.min(columns - 1, LONGEST_ROW) - 4 : Math.max(1, columns - 1);
  const isFresh = (item: Row) => options.fresh?.has(item) ?? false;
  const draw = (item: Row, most: number) => {
    const { shown, facts } = show(item);
    return rowLines(shown, { theme, columns: width, facts, isFresh: isFresh(item), most });
  };
  const body = panelBody(items, draw, { height: isBoxed ? height - 2 : height, width }, theme);
  if (!isBoxed) return body.map(({ text }) => text);
  const done = doneOf(items);
  const { added = 0, removed = 0 } = rewritten ?? {};
  const change = [added && `+${added}`, removed && `${theme.minus}${removed}`].filter(Boolean);
  const remarks = [change.join(' '), `${done}/${items.length}`].filter(Boolean);
  return box(body, width, { title: printable(title, theme), remarks }, theme);
}

/** The items that fit into `height` rows, in list order; the last row counts hidden ones. Those last in `byNeed` are hidden. */
function panelBody<Row extends Ranked>(
  items: readonly Row[],
  draw: (item: Row, most: number) => Line[],
  { height, width }: { height: number; width: number },
  theme: Theme,
): Line[] {
  const active = items.find(({ status }) => status === 'in_progress');
  const activeRows = active ? draw(active, height >= MIN_WRAP_ROWS ? 2 : 1) : [];
  const rowsFor = (item: Row) => (item === active ? activeRows : draw(item, 1));
  const extra = active ? activeRows.length - 1 : 0;
  if (items.length + extra <= height) return items.flatMap(rowsFor);
  // In a single row, the item in progress matters more than the count.
  const room = height === 1 && active ? 1 : height - 1 - extra;
  const needed = byNeed(items);
  const kept = new Set(needed.slice(0, room));
  const hidden = statusCounts(needed.slice(room)).join(', ');
  const note = truncate(`${theme.ellipsis} ${hidden}`, width, theme.ellipsis);
  const body = items.filter((item) => kept.has(item)).flatMap(rowsFor);
  return body.length < height ? [...body, line(note, theme.paint.faint)] : body;
}

/** The numbers of new and removed items. Returns undefined for the same or a new list. */
export function rewritten(before: Items, after: Items): RenderOptions['rewritten'] {
  if (before === after || before.length === 0) return undefined;
  const pairs = pairItems(before, after);
  const added = pairs.length - before.length;
  return { added, removed: pairs.length - after.length };
}

interface PanelHeading {
  readonly title: string;
  readonly remarks: readonly string[];
}

function box(body: readonly Line[], width: number, { title, remarks }: PanelHeading, theme: Theme) {
  const { frame, ellipsis, paint } = theme;
  const name = truncate(title, width - 1, ellipsis);
  const room = width - 1 - displayWidth(name);
  const ends = remarks.map((_, from) => {
    const shown = remarks.slice(from).map((remark) => ` ${remark} `);
    return `${shown.join(frame.top.repeat(2))}${frame.top}`;
  });
  const end = ends.find(({ length }) => length < room) ?? '';
  const [left, right] = [paint.faint(frame.left), paint.faint(frame.right)];
  const topEnd = paint.faint(end.padStart(room, frame.top) + frame.topRight);
  return [
    `${paint.faint(frame.topLeft + frame.top)} ${name} ${topEnd}`,
    ...body.map((row) => `${left} ${padded(row, width).text} ${right}`),
    paint.faint(frame.bottomLeft + frame.bottom.repeat(width + 2) + frame.bottomRight),
  ];
}
