import { type Ranked, STATUSES } from '../command/status.ts';
import { displayWidth, oneLine, truncate } from '../terminal/text.ts';
import { type Arrangement, arrange } from './arrange.ts';
import { createTheme, type Theme } from './theme.ts';

/** The maximum height of a panel, including its frame. */
export const MAX_ROWS = 10;
/** The width of the box, if the screen has room. Fixed, so that it does not jump when items change. */
const BOX_WIDTH = 60;
/** Below this many columns, rows are drawn without a box. */
const MIN_BOX_COLUMNS = 24;

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
  /** The items whose status has just changed; they stand out. */
  fresh?: ReadonlySet<unknown>;
}

/** One row of a panel and its width in columns. */
export interface Row {
  text: string;
  width: number;
}

/** Paints an item: its mark, its text, and the remark at the end of the row. */
export function paintItem(
  { status }: Ranked,
  { mark, text, aside = '' }: { mark: string; text: string; aside?: string },
  { paint }: Theme,
  isFresh = false,
): string {
  if (isFresh) return paint.fresh(mark + text + aside);
  const paintText = paint[GLYPH_OF[status]];
  return status === 'completed'
    ? paint.done(mark) + struck(text, paintText) + (aside && paint.done(aside))
    : paintText(mark + text + aside);
}

/** What is shown of an item or a task: what is being done, while it is. */
export function shownText({ status }: Ranked, text: string, activeForm = text): string {
  return status === 'in_progress' ? `${activeForm}...` : text;
}

/** Strikes through the words, not the blanks around them. */
function struck(text: string, paint: (text: string) => string): string {
  const [, before = '', words = '', after = ''] = /^(\s*)(.*?)(\s*)$/su.exec(text) ?? [];
  return words === '' ? text : before + paint(words) + after;
}

export const GLYPH_OF = {
  completed: 'completed',
  in_progress: 'inProgress',
  pending: 'pending',
} as const;

/**
 * The lines of a panel, each at most `columns` wide and without a newline. None for an empty list.
 *
 * @param row draws one item in at most this many columns.
 */
export function renderList<Item extends Ranked>(
  items: readonly Item[],
  options: RenderOptions & { title: string },
  row: (item: Item, columns: number, theme: Theme) => Row,
): string[] {
  const { columns, rows = 2 * MAX_ROWS, title, theme = createTheme() } = options;
  const height = Math.min(MAX_ROWS, Math.floor(rows / 2));
  if (items.length === 0 || height < 1) return [];
  const boxed = columns >= MIN_BOX_COLUMNS && height >= 3;
  // Leave the last column free: after writing there, a terminal is about to wrap.
  const width = boxed ? Math.min(columns - 1, BOX_WIDTH) - 4 : Math.max(1, columns - 1);
  const arrangement = arrange(items, boxed ? height - 2 : height);
  const body = arrangement.shown.map((item) => row(item, width, theme));
  const note = hiddenNote(arrangement.hidden);
  if (note !== '' && body.length < (boxed ? height - 2 : height)) {
    const text = truncate(`${theme.ellipsis} ${note}`, width, theme.ellipsis);
    body.push({ text: theme.paint.faint(text), width: displayWidth(text) });
  }
  if (!boxed) return body.map((row) => row.text);
  const done = items.filter((item) => item.status === 'completed').length;
  const heading = { title: printable(title, theme), progress: `${done}/${items.length}` };
  return box(body, width, heading, theme);
}

/** The one line for a list whose items are all completed. */
export function renderAllDone(count: number, options: RenderOptions): string[] {
  const { columns, rows = 2 * MAX_ROWS, theme = createTheme() } = options;
  if (count === 0 || rows < 2) return [];
  const text = `${theme.completed} ${count} ${count === 1 ? 'task' : 'tasks'} completed`;
  return [theme.paint.done(truncate(text, Math.max(1, columns - 1), theme.ellipsis))];
}

/** One line of text. Without Unicode, a terminal could take the bytes of a character for controls. */
export function printable(text: string, theme: Theme): string {
  const line = oneLine(text);
  return theme.unicode ? line : line.replace(/[^ -~]\p{M}*/gu, '?');
}

function hiddenNote(hidden: Arrangement<Ranked>['hidden']): string {
  return STATUSES.toReversed()
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
