import { nextIndex } from '../base/command/status.ts';
import { agentName } from '../screen/panel/look.ts';
import { itemRows, type TimedRow, teamRows } from '../screen/panel/status-times.ts';
import type { Task, TaskStatus } from '../tasks/task.ts';
import type { TaskVersion } from '../tasks/task-store.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import { type Entry, entriesOf, taskEntries } from './details.ts';
import {
  type FoundSession,
  type KnownList,
  NEWEST_OFFERED,
  type Page,
  type ViewerState,
} from './model.ts';
import { sessionKeyOf } from './watched-lists.ts';

/** Below this, the board's sections stand below each other. */
const BOARD_COLUMNS = 66;

export function pageOf({ pages }: ViewerState): Page {
  return pages.at(-1) as Page;
}

export function withPage(state: ViewerState, page: Page): ViewerState {
  const [first = page, ...rest] = [...state.pages.slice(0, -1), page];
  return { ...state, pages: [first, ...rest] };
}

export function withCursor(state: ViewerState, cursor: string | undefined): ViewerState {
  return withPage(state, { ...pageOf(state), cursor });
}

/** True if all words of the page's filter are in the texts, ignoring case. */
function passes(state: ViewerState, ...texts: (string | undefined)[]): boolean {
  const { filter = '' } = pageOf(state);
  const text = texts.join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The chosen agent's list, else the awaited agent's, else the most recently changed one. */
export function shownList({ known, agent, awaited }: ViewerState): KnownList | undefined {
  const of = (name: string) => known.lists.find((list) => list.agent === name);
  if (agent !== undefined) return of(agent);
  const newest = [...known.lists].sort(
    (a, b) => +b.versions[0].updatedAt - +a.versions[0].updatedAt,
  );
  return of(awaited) ?? newest[0];
}

/** For the agents page. */
export function agentLists(state: ViewerState): readonly KnownList[] {
  const shown = state.known.lists.filter(({ agent, versions: [{ items }] }) =>
    passes(state, agentName(agent), agent, ...items.map(({ content }) => content)),
  );
  return byActivity(shown);
}

const NATURAL = new Intl.Collator('en', { numeric: true });

/** Agents at work first, then those with open items, with none, and with completed ones only. */
export function byActivity(lists: readonly KnownList[]): readonly KnownList[] {
  const rank = ({ versions: [{ items }] }: KnownList) => {
    const has = (status: TaskStatus) => items.some((item) => item.status === status);
    return has('in_progress') ? 0 : has('pending') ? 1 : items.length === 0 ? 2 : 3;
  };
  const ranked = lists.map((list) => ({ list, rank: rank(list) }));
  ranked.sort((a, b) => a.rank - b.rank || NATURAL.compare(a.list.agent, b.list.agent));
  return ranked.map(({ list }) => list);
}

export function hasTasks({ known }: ViewerState): boolean {
  return (known.tasks[0]?.graph.tasks.size ?? 0) > 0;
}

/** True on the board, and on all that was opened from it. */
export function isOfTeam({ pages }: ViewerState): boolean {
  return pages.some(({ name }) => name === 'board');
}

/** The version on the page and all before it, newest first. */
export function shownVersions(state: ViewerState): readonly TodoVersion[] {
  return versionsUpTo(pageOf(state).version, shownList(state)?.versions ?? []);
}

/** As `shownVersions`, of the team's tasks. */
export function shownTasks(state: ViewerState): readonly TaskVersion[] {
  return versionsUpTo(pageOf(state).version, state.known.tasks);
}

function versionsUpTo<V extends { readonly version: number }>(
  last: number | undefined,
  newestFirst: readonly V[],
): readonly V[] {
  return last === undefined ? newestFirst : newestFirst.filter(({ version }) => version <= last);
}

export function shownItems(state: ViewerState): readonly TimedRow[] {
  const folded = foldedItems(state);
  return passingItems(state).filter((row) => !folded.has(row));
}

function passingItems(state: ViewerState): readonly TimedRow[] {
  return itemRows(shownVersions(state)).filter(
    ({ status, text, doing }) =>
      !(state.hidesCompleted && status === 'completed') && passes(state, text, doing),
  );
}

/** The name of the row that stands for folded items: no item has an empty one. */
export const FOLD = '';
/** How many completed items above the current one show. */
const UNFOLDED = 3;

/** The completed items above the current one, without the last of them. */
export function foldedItems(state: ViewerState): ReadonlySet<TimedRow> {
  const { name, filter, isUnfolded } = pageOf(state);
  if (name !== 'list' || filter !== undefined || isUnfolded) return new Set();
  const rows = passingItems(state);
  const current = currentOf(rows);
  const above = rows.slice(0, Math.max(0, current)).filter(({ status }) => status === 'completed');
  return new Set(above.slice(0, -UNFOLDED));
}

/** The index of the item in progress, else of the next one; -1 if there is neither. */
function currentOf(rows: readonly TimedRow[]): number {
  const at = rows.findIndex(({ status }) => status === 'in_progress');
  return at === -1 ? nextIndex(rows) : at;
}

/** Most recently changed first. */
export function shownSessions(state: ViewerState): readonly FoundSession[] {
  const bySession = new Map<string, FoundSession>();
  for (const list of state.known.found) {
    const key = sessionKeyOf(list.key);
    const lists = [...(bySession.get(key)?.lists ?? []), list] as const;
    bySession.set(key, { session: list.session, key, lists: lists as FoundSession['lists'] });
  }
  const found = [...bySession.values()].filter(({ session, lists }) =>
    passes(state, session, ...lists.map(({ agent }) => `${agentName(agent)} ${agent}`)),
  );
  return isWaiting(state) ? found.slice(0, NEWEST_OFFERED) : found;
}

/** For the page, newest first. */
export function shownEntries(state: ViewerState): readonly Entry[] {
  const entries = isOfTeam(state)
    ? taskEntries(state.known.tasks)
    : entriesOf(shownList(state)?.versions ?? []);
  return entries.filter(({ by, text }) => passes(state, by, text));
}

export function isWideBoard({ columns }: ViewerState): boolean {
  return columns > BOARD_COLUMNS;
}

export interface BoardSection {
  readonly title: string;
  readonly tasks: readonly TimedRow[];
}

export function boardSections(state: ViewerState): BoardSection[] {
  const shown = teamRows(shownTasks(state)).filter(({ text, doing, owner }) =>
    passes(state, text, doing, owner),
  );
  const section = (status: TaskStatus, title: string): BoardSection => ({
    title,
    tasks: shown.filter((task) => task.status === status),
  });
  const pending = section('pending', 'Pending');
  const begun = section('in_progress', 'In progress');
  // On a small screen, show what is being worked on first.
  const open = isWideBoard(state) ? [pending, begun] : [begun, pending];
  if (state.hidesCompleted) return open;
  // Latest first: there may be hundreds.
  const completed = section('completed', 'Completed');
  const latest = completed.tasks.toSorted(
    (a, b) => (b.since ?? 0) - (a.since ?? 0) || Number(b.name) - Number(a.name),
  );
  return [...open, { ...completed, tasks: latest }];
}

/** The distance to the next or previous section, in the same row if possible. */
export function toNextSection(state: ViewerState, at: number, by: 1 | -1): number {
  if (!isWideBoard(state)) return by;
  let start = 0;
  const sections = boardSections(state)
    .filter(({ tasks }) => tasks.length > 0)
    .map(({ tasks: { length } }) => {
      start += length;
      return { start: start - length, length };
    });
  const here = sections.findIndex((section) => at < section.start + section.length);
  const [from, to] = [sections[here], sections[here + by]];
  if (from === undefined || to === undefined) return 0;
  return to.start + Math.min(at - from.start, to.length - 1) - at;
}

/** The selectable rows of the page. Empty if it only scrolls. */
export function choices(state: ViewerState): readonly string[] {
  switch (pageOf(state).name) {
    case 'list':
      if (isWaiting(state)) return shownSessions(state).map(({ key }) => key);
      return [
        ...(foldedItems(state).size > 0 ? [FOLD] : []),
        ...shownItems(state).map(({ name }) => name),
      ];
    case 'agents':
      return agentLists(state).map(({ agent }) => agent);
    case 'history':
      return shownEntries(state).map(({ version }) => String(version));
    case 'sessions':
      return shownSessions(state).map(({ key }) => key);
    case 'board':
      return boardSections(state).flatMap(({ tasks }) => tasks.map(({ name }) => name));
    case 'details':
    case 'help':
      return [];
  }
}

export function isWaiting(state: ViewerState): boolean {
  const { isReached } = state.known;
  return isReached && pageOf(state).name === 'list' && shownList(state) === undefined;
}

/** The index of the selection in `choices`; -1 if there is none. */
export function selectedIndex(state: ViewerState): number {
  const names = choices(state);
  const { cursor } = pageOf(state);
  const at = cursor === undefined ? -1 : names.indexOf(cursor);
  return at === -1 ? Math.min(followed(state), names.length - 1) : at;
}

export function chosenItem(state: ViewerState): TimedRow | undefined {
  const isList = pageOf(state).name === 'list' && !isWaiting(state);
  const name = choices(state)[selectedIndex(state)];
  return isList ? shownItems(state).find((row) => row.name === name) : undefined;
}

export function chosenTask(state: ViewerState): Task | undefined {
  if (pageOf(state).name !== 'board') return undefined;
  return shownTasks(state)[0]?.graph.tasks.get(Number(choices(state)[selectedIndex(state)]));
}

/** The selection until the user moves: the item in progress, else the next one. */
function followed(state: ViewerState): number {
  switch (pageOf(state).name) {
    case 'list': {
      const items = shownItems(state);
      const current = currentOf(items);
      const at = current === -1 ? Math.max(0, items.length - 1) : current;
      return at + (foldedItems(state).size > 0 ? 1 : 0);
    }
    case 'board': {
      const tasks = boardSections(state).flatMap((section) => section.tasks);
      const at = tasks.findIndex(({ status }) => status === 'in_progress');
      return Math.max(0, at === -1 ? tasks.findIndex(({ status }) => status === 'pending') : at);
    }
    case 'agents': {
      const shown = shownList(state);
      return shown ? Math.max(0, agentLists(state).indexOf(shown)) : 0;
    }
    default:
      return 0;
  }
}

export function progressOf(state: ViewerState): { done: number; total: number } {
  const all: readonly { readonly status: TaskStatus }[] = isOfTeam(state)
    ? teamRows(shownTasks(state))
    : (shownVersions(state)[0]?.items ?? []);
  const done = all.filter(({ status }) => status === 'completed').length;
  return { done, total: all.length };
}
