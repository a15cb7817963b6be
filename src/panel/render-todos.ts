import type { TodoItem, TodoState } from '../todo/todo-store.ts';
import { type Arrangement, arrange } from './arrange.ts';
import { displayWidth, oneLine, truncate } from './text.ts';
import { createTheme, type Theme } from './theme.ts';

/** The most rows that a panel takes, its frame included. */
export const MAX_ROWS = 10;
/** The width of the box, where the screen is as wide; fixed, so that it does not jump as items change. */
export const BOX_WIDTH = 60;
/** Below this many columns the box goes and the rows stay. */
export const MIN_BOX_COLUMNS = 24;

const TITLE = 'Tasks';

/** What a panel is drawn for. */
export interface RenderOptions {
  /** The size of the screen. The panel takes at most half of the rows. */
  columns: number;
  rows?: number;
  /** What stands in the frame; `Tasks` unless given. */
  title?: string;
  /** Unicode without colours unless given. */
  theme?: Theme;
  /** How long the item in progress has been so, in milliseconds; shown from one second on. */
  elapsedMs?: number;
  /** Draws the item in progress in the brighter shade of its pulse. */
  bright?: boolean;
}

/** The lines of the panel for a list: none for an empty list, each at most `columns` wide, each without a newline. */
export function renderTodos(state: TodoState, options: RenderOptions): string[] {
  const { columns, rows = 2 * MAX_ROWS, title = TITLE, theme = createTheme() } = options;
  const height = Math.min(MAX_ROWS, Math.floor(rows / 2));
  if (state.items.length === 0 || height < 1) return [];
  const boxed = columns >= MIN_BOX_COLUMNS && height >= 3;
  // The last column stays free: a terminal that has written there is about to wrap.
  const width = boxed ? Math.min(columns - 1, BOX_WIDTH) - 4 : Math.max(1, columns - 1);
  const arrangement = arrange(state.items, boxed ? height - 2 : height);
  const body = arrangement.shown.map((item) => itemRow(item, width, theme, options));
  const note = hiddenNote(arrangement.hidden);
  if (note !== '' && body.length < (boxed ? height - 2 : height)) {
    const text = truncate(`${theme.ellipsis} ${note}`, width, theme.ellipsis);
    body.push({ text: theme.paint.pending(text), width: displayWidth(text) });
  }
  if (!boxed) return body.map((row) => row.text);
  const done = state.items.filter((item) => item.status === 'completed').length;
  const heading = { title: shown(title, theme), progress: `${done}/${state.items.length}` };
  return box(body, width, heading, theme);
}

/** The one line to which a panel folds when all is done. */
export function renderDone(state: TodoState, options: RenderOptions): string[] {
  const { columns, rows = 2 * MAX_ROWS, theme = createTheme() } = options;
  const count = state.items.length;
  if (count === 0 || rows < 2) return [];
  const text = `${theme.completed} ${count} ${count === 1 ? 'task' : 'tasks'} completed`;
  return [theme.paint.completed(truncate(text, Math.max(1, columns - 1), theme.ellipsis))];
}

/** A duration as the panel shows it: `42s`, `3m 05s`, `2h 07m`. */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  const two = (value: number) => String(value).padStart(2, '0');
  if (minutes < 1) return `${seconds}s`;
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

interface Row {
  text: string;
  width: number;
}

function itemRow(item: TodoItem, columns: number, theme: Theme, options: RenderOptions): Row {
  const glyph = theme[GLYPH_OF[item.status]];
  const paint =
    theme.paint[item.status === 'in_progress' && options.bright ? 'bright' : GLYPH_OF[item.status]];
  if (columns < 3) return { text: paint(glyph), width: 1 };
  const active = item.status === 'in_progress';
  const text = shown(active ? `${item.activeForm}...` : item.content, theme);
  const elapsed =
    active && (options.elapsedMs ?? 0) >= 1000 ? formatElapsed(options.elapsedMs ?? 0) : '';
  const room = columns - 2 - (elapsed ? elapsed.length + 1 : 0);
  // Too narrow for both: the text is what matters.
  const timed = elapsed !== '' && room >= 8;
  const label = truncate(text, timed ? room : columns - 2, theme.ellipsis);
  const row = timed ? `${glyph} ${label}${pad(label, room)} ${elapsed}` : `${glyph} ${label}`;
  return { text: paint(row), width: displayWidth(row) };
}

const GLYPH_OF = { completed: 'completed', in_progress: 'inProgress', pending: 'pending' } as const;

/** A terminal without Unicode would take the bytes of a character for controls. */
function shown(text: string, theme: Theme): string {
  const line = oneLine(text);
  return theme.unicode ? line : line.replace(/[^ -~]\p{M}*/gu, '?');
}

function hiddenNote(hidden: Arrangement['hidden']): string {
  return (['completed', 'in_progress', 'pending'] as const)
    .filter((status) => hidden[status] > 0)
    .map((status) => `${hidden[status]} ${status.replace('_', ' ')}`)
    .join(', ');
}

interface Heading {
  title: string;
  progress: string;
}

function box(body: Row[], width: number, { title, progress }: Heading, theme: Theme): string[] {
  const { frame, ellipsis } = theme;
  const start = `${frame.top} ${truncate(title, width - 1, ellipsis)} `;
  const end = ` ${progress} ${frame.top}`;
  const room = width + 2 - displayWidth(start);
  const top = start + (end.length < room ? end : '').padStart(room, frame.top);
  return [
    `${frame.topLeft}${top}${frame.topRight}`,
    ...body.map(
      (row) => `${frame.left} ${row.text}${' '.repeat(width - row.width)} ${frame.right}`,
    ),
    `${frame.bottomLeft}${frame.bottom.repeat(width + 2)}${frame.bottomRight}`,
  ];
}

function pad(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - displayWidth(text)));
}
