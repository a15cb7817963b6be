import {
  agentName,
  factsOf,
  leaseOnBoard,
  printable,
  rowLines,
  type Shown,
} from '../screen/panel/look.ts';
import type { ShownTimes } from '../screen/panel/shown-times.ts';
import { itemRows, type TimedRow } from '../screen/panel/status-times.ts';
import { plainTheme, type Theme } from '../screen/panel/theme.ts';
import {
  type Body,
  below,
  beside,
  EMPTY_LINE,
  join,
  type Line,
  line,
  padded,
  plain,
  sightOf,
  spread,
  stacked,
} from '../screen/terminal/lines.ts';
import { wrap } from '../screen/terminal/text.ts';
import { leaseEndOf } from './details.ts';
import type { KnownList, ViewerState } from './model.ts';
import {
  agentLists,
  type BoardSection,
  boardSections,
  currentOf,
  isWideBoard,
  pageOf,
  selectedIndex,
  selectedName,
  shownItems,
  shownTasks,
} from './shown.ts';

const LEAST_COLUMNS = 30;
const LEAST_LIST_ROWS = 5;
const OTHER_ROWS = 4;
const MARGIN = line(' ');

export interface ItemLook {
  readonly theme: Theme;
  readonly times: ShownTimes;
  readonly columns: number;
}

export interface RowDraw {
  readonly theme: Theme;
  readonly margin: Line;
}

/** The selection is a bar across all columns, in which only items in progress keep their colour. */
export function selectable(
  draw: (look: RowDraw) => Line[],
  { theme, columns }: Pick<ItemLook, 'theme' | 'columns'>,
  isChosen: boolean,
  isActive = false,
): Line[] {
  if (!isChosen) return draw({ theme, margin: MARGIN });
  const plain = plainTheme(theme);
  const rows = draw({ theme: plain, margin: line(theme.chosen) });
  return rows.map((row) => {
    const { text, width } = padded(row, columns);
    return { text: theme.paint.chosen(isActive ? theme.paint.inProgress(text) : text), width };
  });
}

function shownRows(
  shown: Shown,
  facts: readonly string[],
  look: ItemLook,
  { isChosen = false, isFresh = false, factsBelow = false },
): Line[] {
  const isActive = shown.status === 'in_progress';
  return selectable(
    (own) => rowLines(shown, { ...own, columns: look.columns, facts, isFresh, factsBelow }),
    look,
    isChosen,
    isActive,
  );
}

export function itemsBody(state: ViewerState, look: ItemLook): Body {
  const focus = selectedIndex(state);
  const isLive = pageOf(state).version === undefined;
  const { folded, items } = shownItems(state);
  const fold = folded.length > 0 ? [foldRow(folded.length, look, focus === 0)] : [];
  let told = '';
  const rows = items.map((row, index) => {
    const { status, since = 0, isLonger, changed } = row;
    // Only the first of the items completed in a minute shows the time.
    const at = status === 'completed' ? look.times.at(since) : '';
    const time = [rowTime(row, look, isLive), at === told || isLonger ? '' : at];
    if (at !== '') told = at;
    const facts = factsOf(row, time.filter(Boolean).join(` ${look.theme.dot} `));
    const isFresh = isLive && look.times.isFresh(changed);
    return shownRows(row, facts, look, { isChosen: index + fold.length === focus, isFresh });
  });
  return stacked([...fold, ...rows]);
}

function foldRow(count: number, look: ItemLook, isChosen: boolean): Line[] {
  const draw = ({ theme, margin }: RowDraw) => [
    join(margin, line(`  ${theme.chosen} ${count} completed`, theme.paint.faint)),
  ];
  return selectable(draw, look, isChosen);
}

function rowTime(
  { status, since = 0, took = 0, isLonger }: TimedRow,
  { times }: ItemLook,
  isLive: boolean,
): string {
  if (status === 'pending') return '';
  if (status === 'completed') return took < 1000 ? '' : times.lasted(took);
  return isLive ? `${isLonger ? '>' : ''}${times.running(since)}` : `since ${times.at(since)}`;
}

/** How many lists side by side, and how many rows each has. */
export function gridOf(state: ViewerState): { across: number; height: number } {
  const count = Math.max(1, agentLists(state).length);
  const fitting = Math.floor((state.columns + 3) / (LEAST_COLUMNS + 3));
  const across = Math.max(1, Math.min(count, fitting));
  const room = Math.max(1, state.rows - OTHER_ROWS);
  return {
    across,
    height: Math.max(LEAST_LIST_ROWS, Math.floor(room / Math.ceil(count / across))),
  };
}

export function agentsBody(state: ViewerState, look: ItemLook): Body {
  const lists = agentLists(state);
  if (lists.length === 0) return note('No agent of this session has a list.', look);
  const focus = selectedIndex(state);
  const { across, height } = gridOf(state);
  const separator = line(` ${look.theme.frame.left} `, look.theme.paint.faint);
  const width = Math.floor((look.columns - (across - 1) * separator.width) / across);
  const cells = lists.map((list, index) =>
    stacked([agentLines(list, { ...look, columns: width }, height - 1, index === focus)]),
  );
  const rows = Array.from({ length: Math.ceil(cells.length / across) }, (_, y) => [
    beside(cells.slice(y * across, (y + 1) * across), width, separator),
    plain(EMPTY_LINE),
  ]);
  return below(rows.flat());
}

/** One agent's list in this many rows, with the item in progress visible. */
function agentLines(
  { agent, versions }: KnownList,
  look: ItemLook,
  rows: number,
  isChosen: boolean,
): Line[] {
  const { times, columns } = look;
  const items = itemRows(versions);
  const done = items.filter(({ status }) => status === 'completed').length;
  const current = currentOf(items);
  const { status, since = 0 } = items[current] ?? {};
  const isActive = status === 'in_progress';
  const time = isActive ? times.running(since) : times.ago(+versions[0].updatedAt);
  const rowsOf = (item: TimedRow) =>
    shownRows(item, factsOf(item), look, { isFresh: times.isFresh(item.changed) });
  const none = plain(line(' The list is empty.', look.theme.paint.faint));
  const body = items.length > 0 ? stacked(items.map(rowsOf)) : none;
  const title = ({ theme, margin }: RowDraw) => {
    const paint = { paint: theme.paint.strong, paintRight: theme.paint.faint };
    const name = `${margin.text}${printable(agentName(agent), theme)}`;
    const facts = `${done}/${items.length}  ${time}`;
    return [spread(name, facts, columns, { ellipsis: theme.ellipsis, ...paint })];
  };
  const focus = current === -1 ? items.length - 1 : current;
  return [
    ...selectable(title, look, isChosen),
    ...sightOf(body, rows - 1, { top: 0, focus, follows: true }).lines,
  ];
}

export function boardBody(state: ViewerState, look: ItemLook): Body {
  if (!shownTasks(state)[0]?.graph.tasks.size) return note('The team has no tasks.', look);
  const sections = boardSections(state);
  const choice = selectedName(state);
  if (!isWideBoard(state)) {
    return below(
      sections.flatMap((section) => [sectionBody(section, state, look, choice), plain(EMPTY_LINE)]),
    );
  }
  const separator = line(` ${look.theme.frame.left} `, look.theme.paint.faint);
  const taken = (sections.length - 1) * separator.width;
  const columns = Math.floor((look.columns - taken) / sections.length);
  const own = { ...look, columns };
  const bodies = sections.map((section) => sectionBody(section, state, own, choice));
  return beside(bodies, columns, separator);
}

/** The title belongs to the first task, so that it scrolls with it. */
function sectionBody(
  { title, tasks }: BoardSection,
  state: ViewerState,
  look: ItemLook,
  choice: string | undefined,
): Body {
  const heading = line(`${title} ${tasks.length}`, look.theme.paint.strong);
  if (tasks.length === 0) return plain(heading);
  const isLive = pageOf(state).version === undefined;
  const graph = shownTasks(state)[0]?.graph;
  const blocks = tasks.map((task, index) => {
    const { name, status, since, changed } = task;
    const time = status === 'in_progress' ? 'running' : 'ago';
    const ends = isLive ? leaseEndOf(graph?.tasks.get(Number(name))) : undefined;
    const lease = leaseOnBoard(ends, look.times);
    const own = factsOf(task, isLive && since !== undefined ? look.times[time](since) : '');
    const facts = lease === '' ? own : own.toSpliced(1, 0, lease);
    const isFresh = isLive && look.times.isFresh(changed);
    const flags = { isChosen: name === choice, isFresh, factsBelow: true };
    return [...(index === 0 ? [heading] : []), ...shownRows(task, facts, look, flags)];
  });
  return stacked(blocks);
}

export function note(text: string, { theme, columns }: ItemLook): Body {
  return plain(...wrap(text, columns).map((row) => line(row, theme.paint.faint)));
}
