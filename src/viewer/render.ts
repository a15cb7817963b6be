import { safeText } from '../base/safe-text.ts';
import { agentName, cutRows, printable, shortNames } from '../screen/panel/look.ts';
import type { ShownTimes } from '../screen/panel/shown-times.ts';
import type { Theme } from '../screen/panel/theme.ts';
import {
  type Body,
  EMPTY_LINE,
  join,
  type Line,
  line,
  plain,
  sightOf,
  spread,
} from '../screen/terminal/lines.ts';
import { displayWidth, truncate, wrap } from '../screen/terminal/text.ts';
import type {
  ItemInput,
  Page,
  TaskInput,
  ViewerInput,
  ViewerQuestion,
  ViewerState,
} from './model.ts';
import { headerLines, viewerTitle } from './render-header.ts';
import { detailsBody, entriesBody, helpBody, sessionsBody, waitingBody } from './render-pages.ts';
import {
  agentsBody,
  boardBody,
  hiddenLine,
  type ItemLook,
  itemsBody,
  note,
} from './render-rows.ts';
import {
  choices,
  chosenItem,
  chosenTask,
  FOLD,
  hasTasks,
  isOfTeam,
  isWaiting,
  pageOf,
  selectedIndex,
  selectedName,
  shownList,
  shownVersions,
} from './shown.ts';

/** Enough rows for a larger header and the key hints. */
const ROOMY_ROWS = 9;
const LABEL_COLUMNS = 40;

/** A rendered state, with its page's new scroll position. */
export interface Picture {
  /** From the top, each narrower than the screen. */
  readonly rows: readonly string[];
  readonly page: Page;
  readonly title: string;
  readonly cursor?: { readonly x: number; readonly y: number } | undefined;
}

export function render(state: ViewerState, theme: Theme, times: ShownTimes): Picture {
  const look = { theme, times, columns: Math.max(1, state.columns - 1) };
  const isRoomy = state.rows >= ROOMY_ROWS;
  const header = headerLines(state, look, isRoomy);
  const gap = isRoomy ? 1 : 0;
  const { input } = state;
  const typing = input && input.kind !== 'question' ? inputLine(input, look) : undefined;
  const told = toldLines(state, look);
  const hints = isRoomy && !typing && told.length === 0 ? [footerLine(state, look)] : [];
  const footer = [...told, ...(typing ? [typing.line] : []), ...hints];
  const height = Math.max(0, state.rows - header.length - gap - footer.length);
  const page = pageOf(state);
  const focus = selectedIndex(state);
  const follows = page.cursor === undefined;
  const sight = sightOf(viewerBody(state, look), height, { top: page.top, focus, follows });
  const body = Array.from({ length: height }, (_, y) => sight.lines[y] ?? EMPTY_LINE);
  const edge = isRoomy ? [hiddenLine(sight, look)] : [];
  const rows = [...header, ...edge, ...body, ...footer].slice(0, state.rows);
  return {
    rows: rows.map((row) => fitting(row, look.columns, theme)),
    title: viewerTitle(state, look),
    page: { ...page, top: sight.top, goesUp: sight.focusGoesUp, goesDown: sight.focusGoesDown },
    cursor: typing && { x: typing.x, y: rows.length - 1 },
  };
}

/** As much of the typed text as fits, and the cursor's column. */
function inputLine(input: Exclude<ViewerInput, ViewerQuestion>, { theme, columns }: ItemLook) {
  const label = input.kind === 'filter' ? '/' : columns < LABEL_COLUMNS ? '> ' : labelOf(input);
  const { before, after } = input;
  const room = columns - label.length - 1;
  // No more characters can fit, unless they have no width. A paste may be long.
  let shown = [...before].slice(-2 * room).join('');
  while (shown !== '' && displayWidth(shown) > room) shown = shown.replace(/^./su, '');
  const text = truncate(shown + after, room + 1, '');
  return {
    line: join(line(label, theme.paint.strong), line(printableInput(text, theme))),
    x: Math.min(columns, label.length + displayWidth(shown)),
  };
}

function labelOf(input: ItemInput | TaskInput): string {
  switch (input.kind) {
    case 'addItem':
      return 'New item: ';
    case 'addTask':
      return 'New task: ';
    case 'owner': {
      const { id, owner = '' } = input.task ?? {};
      const now = owner && `, now ${safeText(agentName(owner), 20)}; empty: nobody`;
      return `Owner of #${id}${now}: `;
    }
    default:
      return 'Change to: ';
  }
}

/** Keeps trailing blanks, which count while typing. */
function printableInput(text: string, theme: Theme): string {
  return theme.unicode ? safeText(text) : safeText(text).replace(/[^ -~]/gu, '?');
}

/** On a tiny screen, a row that is too wide loses its colours. */
function fitting({ text, width }: Line, columns: number, { ellipsis }: Theme): string {
  if (width <= columns) return text;
  return truncate(text.replace(/\x1b\[[\d;]*m/g, ''), columns, ellipsis);
}

function viewerBody(state: ViewerState, look: ItemLook): Body {
  const { name, filter } = pageOf(state);
  if (filter !== undefined && choices(state).length === 0) {
    return note(`Nothing here has ${printable(filter, look.theme)}; Esc shows everything.`, look);
  }
  switch (name) {
    case 'list':
      if (isWaiting(state)) return waitingBody(state, look);
      if (shownList(state) === undefined) return plain();
      if (choices(state).length > 0) return itemsBody(state, look);
      return note(
        shownVersions(state)[0]?.items.length
          ? 'Everything is completed; press c to show it.'
          : 'The list is empty.',
        look,
      );
    case 'agents':
      return agentsBody(state, look);
    case 'board':
      return boardBody(state, look);
    case 'history':
      return entriesBody(state, look);
    case 'sessions':
      return sessionsBody(state, look);
    case 'details':
      return detailsBody(state, look);
    case 'help':
      return helpBody(look);
  }
}

/** The open question, or the result of the last key and any trouble with reading. */
function toldLines(
  { message, input, known, rows }: ViewerState,
  { theme, columns }: ItemLook,
): Line[] {
  const isAsked = input?.kind === 'question';
  const told = isAsked ? input.text : [message, known.problem].filter(Boolean).join('; ');
  if (told === '') return [];
  const ask = isAsked ? '  y / n' : '';
  const most = rows < ROOMY_ROWS ? 1 : rows - 6;
  const room = columns - ask.length;
  const shown = cutRows(wrap(printable(shortNames(told), theme), room), room, most, theme);
  return shown.map((row, y) => line(y < shown.length - 1 ? row : row + ask, theme.paint.strong));
}

/** On the left the keys for the selected row, on the right those for the page. */
function footerLine(state: ViewerState, { theme, columns }: ItemLook): Line {
  const { filter } = pageOf(state);
  const left = [
    ...(filter === undefined ? [] : [`/${printable(filter, theme)}`]),
    ...rowKeys(state),
  ];
  const right = [...pageKeys(state), '? keys', 'q quit'];
  const text = (keys: readonly string[]) => keys.join('  ');
  const width = () => displayWidth(text([...left, ...right]));
  // Drop hints, but keep help: it lists the others.
  while (width() > columns && right.length > 2)
    (left.length > 3 ? left : right).splice(left.length > 3 ? -1 : -3, 1);
  while (width() > columns && left.length > 0) left.pop();
  const { faint } = theme.paint;
  const paint = { ellipsis: theme.ellipsis, paint: faint, paintRight: faint };
  return spread(text(left), text(right), columns, paint);
}

function rowKeys(state: ViewerState): string[] {
  const { name, version } = pageOf(state);
  const waits = isWaiting(state);
  const isListed = ['agents', 'history', 'sessions'].includes(name) || waits;
  const first = waits && state.known.session !== undefined ? ['n new'] : [];
  if (isListed && choices(state).length === 0) return first;
  const isRestorable = !isOfTeam(state) && (name === 'history' || version !== undefined);
  const restore = isRestorable ? ['r restore'] : [];
  const remove = name === 'sessions' ? ['D remove'] : [];
  if (isListed) return ['Enter open', ...restore, ...remove, ...first];
  if (selectedName(state) === FOLD) return ['Enter unfold'];
  if (name === 'help' || name === 'details' || version !== undefined) return restore;
  const { status } = chosenItem(state) ?? chosenTask(state) ?? {};
  if (status === undefined) return ['n new'];
  const start = status === 'in_progress' ? 'p put back' : 'p start';
  // A task is reopened before it is started again.
  const starts = name === 'board' && status === 'completed' ? [] : [start];
  const complete = status === 'completed' ? 'x reopen' : 'x complete';
  const rest =
    name === 'board' ? ['o owner', 'd delete', 'n new'] : ['d drop', 'n new', 'J K move'];
  return [...starts, complete, 'e edit', 'Enter details', ...rest];
}

function pageKeys(state: ViewerState): string[] {
  const { name, version, filter } = pageOf(state);
  const { lists } = state.known;
  const isOld = version !== undefined;
  const hasHistory = name === 'board' || (name === 'list' && shownList(state) !== undefined);
  const keys = [
    [name !== 'list' || isOld || filter !== undefined, 'Esc back'],
    [lists.length > 1 && name !== 'agents', `a all ${lists.length} agents`],
    [hasTasks(state) && (name !== 'board' || isOld), 'b board'],
    [hasHistory && !isOld, 'h history'],
    [name !== 'sessions', 's sessions'],
    [name !== 'help', '/ filter'],
  ] as const;
  return keys.flatMap(([isShown, key]) => (isShown ? [key] : []));
}
