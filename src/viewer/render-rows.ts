import { doneOf } from '../base/command/status.ts';
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
  type Sight,
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

/** How many lists stand side by side. */
export function listsAcross(state: ViewerState): number {
  const fitting = Math.floor((state.columns + 3) / (LEAST_COLUMNS + 3));
  return Math.max(1, Math.min(agentLists(state).length, fitting));
}

export function agentsBody(state: ViewerState, look: ItemLook): Body {
  const lists = agentLists(state);
  if (lists.length === 0) return note('No agent of this session has a list.', look);
  const focus = selectedIndex(state);
  const across = listsAcross(state);
  const separator = line(` ${look.theme.frame.left} `, look.theme.paint.faint);
  const width = Math.floor((look.columns - (across - 1) * separator.width) / across);
  const cards = lists.map((list, index) =>
    agentCard(list, { ...look, columns: width }, index === focus),
  );
  const rows = Array.from({ length: Math.ceil(cards.length / across) }, (_, y) =>
    cards.slice(y * across, (y + 1) * across),
  );
  const wanted = rows.map((row) => Math.max(...row.map(({ rows }) => rows)) + 1);
  const room = state.rows - OTHER_ROWS;
  const most = heightFor(wanted, room);
  return below(
    rows.flatMap((row, y) => {
      const height = Math.min(most, wanted[y] ?? 0) - 1;
      const cells = row.map(({ draw }) => stacked([draw(height)]));
      return [beside(cells, width, separator), plain(EMPTY_LINE)];
    }),
  );
}

/** The most rows that each may have, so that all fit into `room`. */
function heightFor(wanted: readonly number[], room: number): number {
  const taken = (most: number) => wanted.reduce((sum, rows) => sum + Math.min(rows, most), 0);
  let most = LEAST_LIST_ROWS;
  while (most < Math.max(...wanted) && taken(most + 1) <= room) most += 1;
  return most;
}

/** One agent's list: how many rows it wants, and its lines in so many, with the item in progress visible. */
function agentCard({ agent, versions }: KnownList, look: ItemLook, isChosen: boolean) {
  const { times, columns } = look;
  const items = itemRows(versions);
  const done = doneOf(items);
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
  const rows = body.lines.length + 1;
  const draw = (height: number): Line[] => {
    const isCut = height < rows;
    const room = height - (isCut ? 2 : 1);
    const sight = sightOf(body, room, { top: 0, focus, follows: true });
    const hidden = isCut ? [hiddenLine(sight, look)] : [];
    return [...selectable(title, look, isChosen), ...sight.lines, ...hidden];
  };
  return { rows, draw };
}

/** How many things are above and below. */
export function hiddenLine({ above, below }: Sight, { theme }: ItemLook): Line {
  const [up, down] = theme.arrows;
  const counts = [above > 0 && ` ${up} ${above} more`, below > 0 && ` ${down} ${below} more`];
  return line(counts.filter(Boolean).join(' '), theme.paint.faint);
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
