import { displayWidth, truncate } from '../terminal/text.ts';
import type { TodoItem } from '../todo/todo-item.ts';
import type { TodoState } from '../todo/todo-version.ts';
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

const TITLE = 'Tasks';

/** The lines of the panel for a list, each at most `columns` wide and without a newline. None for an empty list. */
export function renderTodos(state: TodoState, options: RenderOptions): string[] {
  const row = (item: TodoItem, columns: number, theme: Theme) =>
    itemRow(item, columns, theme, options);
  return renderList(state.items, { title: TITLE, ...options }, row);
}

/** The one line that a completed list folds to. */
export function renderDone(state: TodoState, options: RenderOptions): string[] {
  return renderAllDone(state.items.length, options);
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

function itemRow(item: TodoItem, columns: number, theme: Theme, options: RenderOptions): Row {
  const mark = theme[GLYPH_OF[item.status]];
  const isFresh = options.fresh?.has(item) ?? false;
  if (columns < 3) return { text: paintItem(item, { mark, text: '' }, theme, isFresh), width: 1 };
  const active = item.status === 'in_progress';
  const text = printable(shownText(item, item.content, item.activeForm), theme);
  const aside = active ? elapsedText(options) : item.proof ? 'proven' : '';
  const room = columns - 2 - (aside ? aside.length + 1 : 0);
  // If there is no room for both, show the text.
  const isWide = aside !== '' && room >= 8;
  const label = truncate(text, isWide ? room : columns - 2, theme.ellipsis);
  const row = isWide ? ` ${label}${pad(label, room)} ` : ` ${label}`;
  const shown = { mark, text: row, aside: isWide ? aside : '' };
  return {
    text: paintItem(item, shown, theme, isFresh),
    width: displayWidth(mark + row + shown.aside),
  };
}

function elapsedText({ elapsedMs = 0 }: RenderOptions): string {
  return elapsedMs >= 1000 ? formatElapsed(elapsedMs) : '';
}

function pad(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - displayWidth(text)));
}
