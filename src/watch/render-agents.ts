import { nextOf } from '../command/status.ts';
import { printable } from '../panel/render-list.ts';
import { beside, EMPTY_LINE, type Line, line, spread } from './lines.ts';
import type { KnownList, ViewerState } from './model.ts';
import { chosenMark, hasJustChanged, type ItemLook, itemLines, timesOf } from './render-items.ts';
import { type Body, sightOf } from './scroll.ts';
import { busyLists, chosen, pageOf } from './shown.ts';

const LEAST_COLUMNS = 30;
const LEAST_ROWS = 5;
/** Rows used by the header and footer. */
const OTHER_ROWS = 4;

/** The grid of all agents' lists: how many side by side, and how many rows each has. */
export function gridOf(state: ViewerState): { across: number; height: number } {
  const count = Math.max(1, busyLists(state).length);
  const across = Math.max(
    1,
    Math.min(count, Math.floor((state.columns + 3) / (LEAST_COLUMNS + 3))),
  );
  const down = Math.ceil(count / across);
  const room = Math.max(1, state.rows - OTHER_ROWS);
  return { across, height: Math.max(LEAST_ROWS, Math.floor(room / down)) };
}

/** The lists of all agents, in columns. */
export function agentsBody(state: ViewerState, look: ItemLook): Body {
  const { theme } = look;
  const lists = busyLists(state);
  const focus = chosen(state);
  if (lists.length === 0) {
    return {
      blocks: [[line('No agent of this session has anything on its list.', theme.paint.faint)]],
    };
  }
  const { across, height } = gridOf(state);
  const separator = line(` ${theme.frame.left} `, theme.paint.faint);
  const width = Math.floor((look.columns - (across - 1) * separator.width) / across);
  const blocks: Line[][] = [];
  for (let first = 0; first < lists.length; first += across) {
    const cells = lists
      .slice(first, first + across)
      .map((list, index) =>
        agentLines(list, { ...look, columns: width }, height - 1, first + index === focus),
      );
    blocks.push([...beside(cells, width, height - 1, separator), EMPTY_LINE]);
  }
  const row = Math.floor(focus / across);
  return { blocks, focus: row, follows: pageOf(state).cursor === undefined };
}

/** One agent's list in this many rows, with the item in progress visible. */
function agentLines(
  { agent, versions }: KnownList,
  look: ItemLook,
  rows: number,
  isChosen: boolean,
): Line[] {
  const { theme, times, columns } = look;
  const { items, updatedAt } = versions[0];
  const done = items.filter(({ status }) => status === 'completed').length;
  const { since } = timesOf(versions);
  const active = items.findIndex(({ status }) => status === 'in_progress');
  const activeItem = items[active];
  const begun = activeItem && since.get(activeItem);
  const time = begun === undefined ? times.ago(+updatedAt) : times.running(begun);
  const title = spread(
    `${isChosen ? chosenMark(theme) : ' '}${printable(agent, theme)}`,
    `${done}/${items.length}  ${time}`,
    columns,
    { ellipsis: theme.ellipsis, paint: theme.paint.strong, paintRight: theme.paint.faint },
  );
  const blocks = items.map((item) =>
    itemLines(item, look, { isFresh: hasJustChanged(item, since.get(item), look.times) }),
  );
  const focus = active === -1 ? nextOf(items) : active;
  const body = { blocks, focus: focus === -1 ? items.length - 1 : focus, follows: true };
  return [title, ...sightOf(body, rows - 1, 0).lines];
}
