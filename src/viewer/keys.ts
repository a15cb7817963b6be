import { briefText } from '../base/safe-text.ts';
import { agentName, sessionName } from '../screen/panel/look.ts';
import { ITEM_EDITS, restored, TASK_EDITS, written } from './edits.ts';
import type {
  FilterInput,
  FoundSession,
  Page,
  PageName,
  ViewerInput,
  ViewerState,
} from './model.ts';
import { listsAcross } from './render-rows.ts';
import {
  choices,
  FOLD,
  isOfTeam,
  isWaiting,
  pageOf,
  selectedIndex,
  selectedName,
  shownItems,
  shownList,
  shownSessions,
  toNextColumn,
  withPage,
} from './shown.ts';
import { type Key, typed } from './text-input.ts';
import { isTeamKey } from './watched-lists.ts';

export function press(before: ViewerState, key: Key): ViewerState {
  const { message: _, ...kept } = before;
  if (kept.input) return pressInInput(kept, kept.input, key);
  // Escape arrives as Alt without a key.
  if (key.ctrl || (key.meta && key.name !== 'escape')) return kept;
  // Keys are for the list that the user sees, even if another agent writes now.
  const state = { ...kept, agent: kept.agent ?? shownList(kept)?.agent };
  const name = keyName(key);
  const move = MOVES.get(name);
  if (move) return movedSelection(state, move(state));
  return (KEY_ACTIONS.get(name) ?? editsOn(pageOf(state))?.get(name))?.(state) ?? state;
}

function pressInInput(state: ViewerState, input: ViewerInput, typedKey: Key): ViewerState {
  const key: Key = typedKey.ctrl && typedKey.name === 'c' ? { name: 'escape' } : typedKey;
  const isEnter = key.name === 'return' || key.name === 'enter';
  if (input.kind === 'question') {
    const request = isEnter || key.sequence === 'y' ? input.request : undefined;
    return { ...state, input: undefined, ...(request && { request }) };
  }
  if (input.kind === 'filter') return pressInFilter(state, input, key, isEnter);
  if (key.name === 'escape') return { ...state, input: undefined };
  return isEnter ? written(state, input) : { ...state, input: typed(input, key) };
}

/** Enter keeps the filter, Esc removes it. */
function pressInFilter(
  state: ViewerState,
  input: FilterInput,
  key: Key,
  isEnter: boolean,
): ViewerState {
  if (isEnter) return { ...state, input: undefined };
  const isMove = ['up', 'down', 'pageup', 'pagedown'].includes(key.name ?? '');
  if (isMove) return movedSelection(state, MOVES.get(key.name ?? '')?.(state) ?? 0);
  const next = key.name === 'escape' ? { ...input, before: '', after: '' } : typed(input, key);
  const filter = (next.before + next.after).trim() || undefined;
  const filtered = withPage(state, { ...pageOf(state), filter });
  return { ...filtered, input: key.name === 'escape' ? undefined : next };
}

/** Characters name themselves, so that `G` is not `g`. */
function keyName({ name = '', sequence = '' }: Key): string {
  return /^[!-~]$/.test(sequence) ? sequence : name;
}

const LIST_PAGE = { name: 'list', top: 0 } as const;
const TO_THE_END = Number.POSITIVE_INFINITY;
const screenful = ({ rows }: ViewerState) => Math.max(1, rows - 6);
const row = (state: ViewerState) => (pageOf(state).name === 'agents' ? listsAcross(state) : 1);

const aside = (state: ViewerState, by: 1 | -1) =>
  pageOf(state).name === 'board' ? toNextColumn(state, by) : by;

const MOVES = new Map<string, (state: ViewerState) => number>([
  ['up', (state) => -row(state)],
  ['k', (state) => -row(state)],
  ['down', row],
  ['j', row],
  ['left', (state) => aside(state, -1)],
  ['right', (state) => aside(state, 1)],
  ['pageup', (state) => -screenful(state)],
  ['pagedown', screenful],
  ['home', () => -TO_THE_END],
  ['g', () => -TO_THE_END],
  ['end', () => TO_THE_END],
  ['G', () => TO_THE_END],
]);

const KEY_ACTIONS = new Map<string, (state: ViewerState) => ViewerState>([
  ['q', (state) => ({ ...state, request: { what: 'quit' } })],
  ['a', (state) => turnedTo(state, 'agents')],
  ['b', (state) => turnedTo(state, 'board')],
  ['h', (state) => (isOfTeam(state) || shownList(state) ? turnedTo(state, 'history') : state)],
  ['s', (state) => turnedTo(state, 'sessions')],
  ['?', (state) => turnedTo(state, 'help')],
  ['/', filtered],
  ['D', removed],
  ['r', restored],
  ['c', (state) => ({ ...state, hidesCompleted: !state.hidesCompleted })],
  ['return', entered],
  ['enter', entered],
  ['escape', wentBack],
  ['backspace', wentBack],
]);

function filtered(state: ViewerState): ViewerState {
  const { name, filter = '' } = pageOf(state);
  if (name === 'help') return state;
  return { ...state, input: { kind: 'filter', before: filter, after: '' } };
}

function removed(state: ViewerState): ViewerState {
  const [sessions, at] = [shownSessions(state), selectedIndex(state)];
  const found = sessions[at];
  if (pageOf(state).name !== 'sessions' || found === undefined) return state;
  const text = `Remove ${listsText(found)}, with all history?`;
  const next = (sessions[at + 1] ?? sessions[at - 1])?.key;
  return { ...state, input: { kind: 'question', text, request: { what: 'remove', found, next } } };
}

function movedSelection(state: ViewerState, by: number): ViewerState {
  const page = pageOf(state);
  const names = choices(state);
  if (names.length === 0) {
    // The next frame knows how far down it goes, and clips this.
    return withPage(state, { ...page, top: Math.max(0, page.top + by) });
  }
  // Scroll through an item that is taller than the screen before moving to the next.
  const isWithin = (by === 1 && page.goesDown) || (by === -1 && page.goesUp);
  const at = isWithin
    ? selectedIndex(state)
    : Math.max(0, Math.min(names.length - 1, selectedIndex(state) + by));
  return withPage(state, { ...page, cursor: names[at], top: page.top + (isWithin ? by : 0) });
}

function listsText({ session, lists: [first, ...others] }: FoundSession): string {
  const whose =
    others.length > 0 ? `the ${others.length + 1} lists` : `the list of ${agentName(first.agent)}`;
  return briefText(`${whose} in ${sessionName(session)[0]}`);
}

/** Only the newest list and board can be changed. */
function editsOn({ name, version }: Page) {
  if (version !== undefined) return undefined;
  return name === 'board' ? TASK_EDITS : name === 'list' ? ITEM_EDITS : undefined;
}

/** Shows another page, or goes back if it is already shown. */
function turnedTo(state: ViewerState, name: PageName): ViewerState {
  const { name: shown, version } = pageOf(state);
  if (shown === name && version === undefined) return wentBack(state);
  const page: Page = { name, top: 0 };
  // Help and version pages stack on top; the others replace each other above the list.
  const below = state.pages.filter(
    (other, index) =>
      index === 0 ||
      name === 'help' ||
      (name === 'history' && index === 1 && other.name === 'board'),
  );
  return { ...state, pages: [...below, page] };
}

/** Removes the filter, else closes the page. On the list, goes back to following the item in progress. */
function wentBack(state: ViewerState): ViewerState {
  const { filter, ...unfiltered } = pageOf(state);
  if (filter !== undefined) return withPage(state, unfiltered);
  const below = state.pages.slice(0, -1);
  const top = below.pop();
  if (top) return { ...state, pages: [...below, top] };
  const { cursor: _, isUnfolded: __, ...page } = pageOf(state);
  return withPage(state, page);
}

function entered(state: ViewerState): ViewerState {
  const name = selectedName(state);
  if (name === undefined) return state;
  const page = pageOf(state);
  switch (page.name) {
    case 'agents':
      return { ...state, agent: name, pages: [{ name: 'list', top: 0 }] };
    case 'history': {
      const shown = isOfTeam(state) ? 'board' : 'list';
      return { ...state, pages: [...state.pages, { name: shown, version: Number(name), top: 0 }] };
    }
    case 'board':
      return detailed(state, name);
    default: {
      if (name === FOLD) {
        const [first] = shownItems(state).folded;
        return withPage(state, { ...page, isUnfolded: true, cursor: first?.name });
      }
      const found = shownSessions(state).find(({ key }) => key === name);
      const isPicked = page.name === 'sessions' || isWaiting(state);
      if (isPicked) return found ? opened(state, found) : state;
      return detailed(state, name);
    }
  }
}

function detailed(state: ViewerState, of: string): ViewerState {
  const { version } = pageOf(state);
  const page: Page = { name: 'details', of, top: 0, ...(version !== undefined && { version }) };
  return { ...state, pages: [...state.pages, page] };
}

/** Shows its most recently changed list; the board only if no agent has one. */
function opened(state: ViewerState, found: FoundSession): ViewerState {
  const own = found.lists.find(({ key }) => !isTeamKey(key));
  return {
    ...state,
    agent: own?.agent,
    pages: own ? [LIST_PAGE] : [LIST_PAGE, { name: 'board', top: 0 }],
    // Those changes belong to the previous session.
    undo: undefined,
    request: { what: 'open', found },
  };
}
