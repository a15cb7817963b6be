import { printable } from '../panel/render-list.ts';
import type { ShownTimes } from '../panel/shown-times.ts';
import type { Theme } from '../panel/theme.ts';
import { safeText } from '../safe-text.ts';
import { displayWidth, truncate } from '../terminal/text.ts';
import { EMPTY_LINE, join, type Line, line, spread } from './lines.ts';
import { type Input, type Page, TERSE_COLUMNS, type ViewerState } from './model.ts';
import { agentsBody } from './render-agents.ts';
import { boardBody } from './render-board.ts';
import { headerLines } from './render-header.ts';
import { type ItemLook, itemsBody } from './render-items.ts';
import {
  helpBody,
  historyBody,
  sessionsBody,
  taskHistoryBody,
  waitingBody,
} from './render-pages.ts';
import { type Body, type Sight, sightOf } from './scroll.ts';
import { isWaiting, pageOf, shownList, shownVersions } from './shown.ts';

/** From this many rows on, there is room for a larger header and the key hints. */
const ROOMY_ROWS = 9;
/** A rendered state, with its page's new scroll position. */
export interface Picture {
  /** From the top. Each is narrower than the screen, so that none wraps. */
  readonly rows: readonly string[];
  readonly page: Page;
  /** Where the cursor is while the user types. */
  readonly cursor?: { readonly x: number; readonly y: number };
}

/** Renders a state for a screen of its size. */
export function render(state: ViewerState, theme: Theme, times: ShownTimes): Picture {
  const look = { theme, times, columns: Math.max(1, state.columns - 1) };
  const isRoomy = state.rows >= ROOMY_ROWS;
  const header = headerLines(state, look, isRoomy);
  const typing = state.input && inputLine(state.input, look);
  const told = toldLine(state, look);
  const hasFooter = isRoomy || typing || told;
  const height = Math.max(0, state.rows - header.length - (typing && told ? 2 : hasFooter ? 1 : 0));
  const page = pageOf(state);
  const sight = sightOf(bodyOf(state, look), height, page.top);
  const body = Array.from({ length: height }, (_, y) => sight.lines[y] ?? EMPTY_LINE);
  const footer =
    typing || told ? [told, typing?.line] : isRoomy ? [footerLine(state, sight, look)] : [];
  const rows = [...header, ...body, ...footer.filter((row) => row !== undefined)].slice(
    0,
    state.rows,
  );
  return {
    rows: rows.map((row) => fitting(row, look.columns, theme)),
    page: { ...page, top: sight.top, goesUp: sight.focusGoesUp, goesDown: sight.focusGoesDown },
    cursor: typing && { x: typing.x, y: rows.length - 1 },
  };
}

/** The typed text, as much as fits, and the cursor's column. */
function inputLine(input: Input, { theme, columns }: ItemLook) {
  const label = columns < TERSE_COLUMNS ? '> ' : labelOf(input);
  const { before, after } = input;
  const room = columns - label.length - 1;
  const isLong = displayWidth(before) > room;
  const shown = isLong ? lastColumns(before, room) : before;
  const text = truncate(shown + after, room + 1, '');
  return {
    line: join(line(label, theme.paint.strong), line(printableInput(text, theme))),
    x: Math.min(columns, label.length + displayWidth(shown)),
  };
}

function labelOf(input: Input): string {
  if (input.kind === 'edit') return 'Change to: ';
  if (!('task' in input)) return 'New item: ';
  const { task } = input;
  if (task === undefined) return 'New task: ';
  const now = task.owner === undefined ? '' : `, now ${safeText(task.owner, 20)}; empty: nobody`;
  return `Owner of #${task.id}${now}: `;
}

/** The end of a text, in at most this many columns. */
function lastColumns(text: string, columns: number): string {
  let result = '';
  for (const character of [...text].reverse()) {
    if (displayWidth(character + result) > columns) break;
    result = character + result;
  }
  return result;
}

/** Keeps trailing blanks, which count while typing. */
function printableInput(text: string, theme: Theme): string {
  return theme.unicode ? safeText(text) : safeText(text).replace(/[^ -~]/gu, '?');
}

/** On a tiny screen, a row that is too wide is cut and loses its colours. */
function fitting({ text, width }: Line, columns: number, { ellipsis }: Theme): string {
  if (width <= columns) return text;
  return truncate(text.replace(/\x1b\[[\d;]*m/g, ''), columns, ellipsis);
}

function bodyOf(state: ViewerState, look: ItemLook): Body {
  switch (pageOf(state).name) {
    case 'list':
      if (isWaiting(state)) return waitingBody(state, look);
      return emptyBody(state, look) ?? itemsBody(state, look);
    case 'version':
      return emptyBody(state, look) ?? itemsBody(state, look);
    case 'agents':
      return agentsBody(state, look);
    case 'board':
    case 'taskVersion':
      return boardBody(state, look);
    case 'taskHistory':
      return taskHistoryBody(state, look);
    case 'history':
      return historyBody(state, look);
    case 'sessions':
      return sessionsBody(state, look);
    case 'help':
      return helpBody(look);
  }
}

function emptyBody(state: ViewerState, { theme, columns }: ItemLook): Body | undefined {
  const items = shownVersions(state)[0]?.items ?? [];
  const open = items.filter(({ status }) => status !== 'completed');
  if (items.length > 0 && (open.length > 0 || !state.hidesCompleted)) return undefined;
  const text =
    items.length === 0 ? 'The list is empty.' : 'Everything is completed; press c to show it.';
  return { blocks: [[line(truncate(text, columns, theme.ellipsis), theme.paint.faint)]] };
}

/** The result of the last key, or why something cannot be read. */
function toldLine({ message, known }: ViewerState, { theme, columns }: ItemLook): Line | undefined {
  const told = message ?? known.problem;
  if (told === undefined) return undefined;
  return line(truncate(printable(told, theme), columns, theme.ellipsis), theme.paint.strong);
}

function footerLine(state: ViewerState, { above, below }: Sight, look: ItemLook): Line {
  const { theme, columns } = look;
  const [up, down] = theme.unicode ? ['↑', '↓'] : ['^', 'v'];
  const more = [above > 0 ? `${up}${above}` : '', below > 0 ? `${down}${below}` : '']
    .join(' ')
    .trim();
  const room = columns - (more === '' ? 0 : displayWidth(more) + 2);
  const hints = hintsFor(state);
  // Drop hints from the end, but keep help: it lists the others.
  while (hints.length > 2 && displayWidth(hints.join('  ')) > room) hints.splice(-2, 1);
  return spread(hints.join('  '), more, columns, {
    ellipsis: theme.ellipsis,
    paint: theme.paint.faint,
    paintRight: theme.paint.strong,
  });
}

function hintsFor(state: ViewerState): string[] {
  const { name } = pageOf(state);
  const completed = state.hidesCompleted ? 'c show completed' : 'c hide completed';
  const back = name === 'list' ? [] : ['Esc back'];
  const enter =
    ['agents', 'history', 'taskHistory', 'sessions'].includes(name) || isWaiting(state)
      ? ['Enter open']
      : [];
  const others =
    state.known.lists.length > 1 && name !== 'agents'
      ? [`a all ${state.known.lists.length} agents`]
      : [];
  const board = state.known.tasks.tasks.size > 0 && name !== 'board' ? ['b board'] : [];
  const hasHistory = name === 'board' || (name === 'list' && !isWaiting(state));
  const history = hasHistory ? ['h history'] : [];
  const hide =
    ['list', 'version', 'board', 'taskVersion'].includes(name) && !isWaiting(state)
      ? [completed]
      : [];
  const canEdit = name === 'board' || (name === 'list' && shownList(state) !== undefined);
  const edit = canEdit ? ['n new', 'x complete'] : [];
  return [
    'q quit',
    ...back,
    ...enter,
    ...others,
    ...board,
    ...history,
    ...hide,
    ...edit,
    's sessions',
    '? help',
  ];
}
