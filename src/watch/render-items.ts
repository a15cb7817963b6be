import { proofMark } from '../command/status.ts';
import { GLYPH_OF, printable, shownText } from '../panel/render-list.ts';
import type { ShownTimes } from '../panel/shown-times.ts';
import { type StatusTimes, statusTimes } from '../panel/status-times.ts';
import type { Theme } from '../panel/theme.ts';
import { wrap } from '../terminal/text.ts';
import type { TodoItem } from '../todo/todo-item.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import { join, type Line, line, padded } from './lines.ts';
import type { ViewerState } from './model.ts';
import type { Body } from './scroll.ts';
import { chosen, pageOf, shownItems, shownVersions } from './shown.ts';

/** From this many columns on, a time is shown before each item. */
const TIMED_COLUMNS = 50;
const TIME_COLUMNS = 10;

/** Everything needed to draw items. */
export interface ItemLook {
  readonly theme: Theme;
  readonly times: ShownTimes;
  readonly columns: number;
}

/** The items of the list or version that the page shows. */
export function itemsBody(state: ViewerState, look: ItemLook): Body {
  const items = shownItems(state);
  const versions = shownVersions(state);
  const statuses = timesOf(versions);
  const focus = chosen(state);
  const isLive = pageOf(state).name === 'list';
  return {
    blocks: items.map(({ item }, index) => {
      const since = statuses.since.get(item);
      const isLonger = statuses.isLonger.has(item);
      const time =
        look.columns < TIMED_COLUMNS ? undefined : timeText(item, since, isLonger, look, isLive);
      const isFresh = isLive && hasJustChanged(item, since, look.times);
      return itemLines(item, look, { isChosen: index === focus, time, isFresh });
    }),
    focus: focus === -1 ? undefined : focus,
    follows: pageOf(state).cursor === undefined,
  };
}

/** Whether an item or task was started or completed just now. */
export function hasJustChanged(
  { status }: Pick<TodoItem, 'status'>,
  since: number | undefined,
  times: ShownTimes,
): boolean {
  return status !== 'pending' && since !== undefined && times.isFresh(since);
}

/** A cache, so that a busy list's whole history is not read again and again. */
const remembered = new WeakMap<TodoVersion, StatusTimes>();

export function timesOf(versions: readonly TodoVersion[]): StatusTimes {
  const [newest] = versions;
  const known = newest && remembered.get(newest);
  if (known) return known;
  const times = statusTimes(versions, (version) => remembered.get(version));
  if (newest) remembered.set(newest, times);
  return times;
}

/** An item, wrapped: the selection mark, its time, its status mark and its text. */
export function itemLines(
  item: Readonly<TodoItem>,
  { theme, columns }: Pick<ItemLook, 'theme' | 'columns'>,
  {
    isChosen = false,
    time,
    isFresh = false,
  }: { isChosen?: boolean; time?: string | undefined; isFresh?: boolean } = {},
): Line[] {
  const { status } = item;
  const paint = isFresh ? theme.paint.fresh : theme.paint[GLYPH_OF[status]];
  const marker = line(isChosen ? chosenMark(theme) : ' ', theme.paint.strong);
  const start = join(
    marker,
    ...(time === undefined ? [] : [padded(line(time, theme.paint.faint), TIME_COLUMNS)]),
    line(
      `${theme[GLYPH_OF[status]]} `,
      status === 'completed' && !isFresh ? theme.paint.done : paint,
    ),
  );
  const text = shownText(item, item.content, item.activeForm);
  const remarks = [item.priority ?? '', proofMark(item)].filter(Boolean).join(', ');
  const shown = printable(text + (remarks && ` (${remarks})`), theme);
  const rows = wrap(shown, columns - start.width);
  return rows.map((row, index) =>
    join(index === 0 ? start : padded(line(''), start.width), line(row, paint)),
  );
}

export function chosenMark({ unicode }: Theme): string {
  return unicode ? '▸' : '*';
}

/** When it was completed, or for how long it has been in progress. */
function timeText(
  { status }: Readonly<TodoItem>,
  since: number | undefined,
  isLonger: boolean,
  { times }: ItemLook,
  isLive: boolean,
): string {
  if (since === undefined || status === 'pending') return '';
  if (status === 'completed') return isLonger ? '' : times.at(since);
  return isLive ? `${isLonger ? '>' : ''}${times.running(since)}` : times.at(since);
}
