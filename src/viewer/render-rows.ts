import { nextIndex } from '../base/command/status.ts';
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
import { createTheme, type Theme } from '../screen/panel/theme.ts';
import {
  type Body,
  beside,
  EMPTY_LINE,
  join,
  type Line,
  line,
  padded,
  sightOf,
  spread,
} from '../screen/terminal/lines.ts';
import { leaseEndOf } from './details.ts';
import type { KnownList, ViewerState } from './model.ts';
import {
  agentLists,
  type BoardSection,
  boardSections,
  choices,
  foldedItems,
  isWideBoard,
  pageOf,
  selectedIndex,
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

/** The selection is a bar across all columns, in which only items in progress keep their colour. */
export function selectable(
  draw: (look: { theme: Theme; margin: Line }) => Line[],
  { theme, columns }: Pick<ItemLook, 'theme' | 'columns'>,
  isChosen: boolean,
  isActive = false,
): Line[] {
  if (!isChosen) return draw({ theme, margin: MARGIN });
  const plain = createTheme({ unicode: theme.unicode });
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
  let told = '';
  const folded = foldedItems(state).size;
  const fold = folded > 0 ? [foldRow(folded, look, focus === 0)] : [];
  const items = shownItems(state).map((row, index) => {
    const { status, since = 0, isLonger, changed } = row;
    // Only the first of the items completed in a minute shows the time.
    const at = status === 'completed' ? look.times.at(since) : '';
    const time = [rowTime(row, look, isLive), at === told || isLonger ? '' : at];
    if (at !== '') told = at;
    const facts = factsOf(row, time.filter(Boolean).join(` ${look.theme.dot} `));
    const isFresh = isLive && look.times.isFresh(changed);
    return shownRows(row, facts, look, { isChosen: index + fold.length === focus, isFresh });
  });
  return {
    blocks: [...fold, ...items],
    focus: focus === -1 ? undefined : focus,
    follows: pageOf(state).cursor === undefined,
  };
}

function foldRow(count: number, look: ItemLook, isChosen: boolean): Line[] {
  const text = (theme: Theme) => `  ${theme.chosen} ${count} completed`;
  return selectable(
    ({ theme, margin }) => [join(margin, line(text(theme), theme.paint.faint))],
    look,
    isChosen,
  );
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
  const { theme } = look;
  const lists = agentLists(state);
  const focus = selectedIndex(state);
  if (lists.length === 0) {
    return note('No agent of this session has a list.', look);
  }
  const { across, height } = gridOf(state);
  const separator = line(` ${theme.frame.left} `, theme.paint.faint);
  const width = Math.floor((look.columns - (across - 1) * separator.width) / across);
  const blocks: Line[][] = [];
  const things: number[] = [];
  for (let first = 0; first < lists.length; first += across) {
    const cells = lists
      .slice(first, first + across)
      .map((list, index) =>
        agentLines(list, { ...look, columns: width }, height - 1, first + index === focus),
      );
    blocks.push([...beside(cells, width, height - 1, separator), EMPTY_LINE]);
    things.push(cells.length);
  }
  const row = Math.floor(focus / across);
  return { blocks, things, focus: row, follows: pageOf(state).cursor === undefined };
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
  const active = items.findIndex(({ status }) => status === 'in_progress');
  const begun = items[active]?.since;
  const time = begun === undefined ? times.ago(+versions[0].updatedAt) : times.running(begun);
  const facts = `${done}/${items.length}  ${time}`;
  const blocks = items.map((item) => {
    return shownRows(item, factsOf(item), look, { isFresh: times.isFresh(item.changed) });
  });
  const focus = active === -1 ? nextIndex(items) : active;
  const body = { blocks, focus: focus === -1 ? items.length - 1 : focus, follows: true };
  const title = ({ theme, margin }: { theme: Theme; margin: Line }) => {
    const paint = { paint: theme.paint.strong, paintRight: theme.paint.faint };
    const name = `${margin.text}${printable(agentName(agent), theme)}`;
    return [spread(name, facts, columns, { ellipsis: theme.ellipsis, ...paint })];
  };
  const heading = selectable(title, look, isChosen);
  return [...heading, ...sightOf(body, rows - 1, 0).lines];
}

export function boardBody(state: ViewerState, look: ItemLook): Body {
  const { theme, columns } = look;
  if (!shownTasks(state)[0]?.graph.tasks.size) return note('The team has no tasks.', look);
  const sections = boardSections(state);
  const isWide = isWideBoard(state);
  const separator = line(` ${theme.frame.left} `, theme.paint.faint);
  const width = isWide
    ? Math.floor((columns - (sections.length - 1) * separator.width) / sections.length)
    : columns;
  const choice = choices(state)[selectedIndex(state)];
  const drawn = sections.map((section) =>
    sectionBlocks(section, state, { ...look, columns: width }, choice),
  );
  const follows = pageOf(state).cursor === undefined;
  if (!isWide) {
    const blocks = drawn.flatMap((section) => [...section.blocks, [EMPTY_LINE]]);
    const things = drawn.flatMap(({ things }) => [...things, 0]);
    const before = drawn.findIndex(({ focus }) => focus !== undefined);
    const above = drawn.slice(0, before).reduce((sum, { blocks }) => sum + blocks.length + 1, 0);
    const focus = drawn[before]?.focus;
    return { blocks, things, focus: focus === undefined ? undefined : above + focus, follows };
  }
  const columnsOf = drawn.map(({ blocks }) => blocks.flat());
  const height = Math.max(...columnsOf.map(({ length }) => length));
  const rows = beside(columnsOf, width, height, separator);
  const own = drawn.find(({ focus }) => focus !== undefined);
  const begin = rows.map(() => 0);
  for (const section of drawn) {
    let y = 0;
    for (const [index, { length }] of section.blocks.entries()) {
      begin[y] = (begin[y] ?? 0) + (section.things[index] ?? 0);
      y += length;
    }
  }
  if (own?.focus === undefined) return { blocks: rows.map((row) => [row]), things: begin };
  // In columns, a row belongs to several tasks. Keep the rows of the selected one together.
  const start = own.blocks.slice(0, own.focus).flat().length;
  const end = start + (own.blocks[own.focus]?.length ?? 0);
  const single = (some: readonly Line[]) => some.map((row) => [row]);
  return {
    blocks: [...single(rows.slice(0, start)), rows.slice(start, end), ...single(rows.slice(end))],
    things: [
      ...begin.slice(0, start),
      begin.slice(start, end).reduce((sum, each) => sum + each, 0),
      ...begin.slice(end),
    ],
    focus: start,
    follows,
  };
}

/** The title is in the first task's block, so that it scrolls with it. */
function sectionBlocks(
  { title, tasks }: BoardSection,
  state: ViewerState,
  look: ItemLook,
  choice: string | undefined,
): { blocks: Line[][]; things: number[]; focus: number | undefined } {
  const heading = line(`${title} ${tasks.length}`, look.theme.paint.strong);
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
  const focus = tasks.findIndex(({ name }) => name === choice);
  return {
    blocks: blocks.length > 0 ? blocks : [[heading]],
    things: blocks.length > 0 ? blocks.map(() => 1) : [0],
    focus: focus === -1 ? undefined : focus,
  };
}

export function note(text: string, { theme }: ItemLook): Body {
  return { blocks: [[line(text, theme.paint.faint)]] };
}
