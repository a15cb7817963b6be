import { doneOf, nextIndex } from '../base/command/status.ts';
import { agentName } from '../screen/panel/look.ts';
import { itemRows, type TimedRow, teamRows } from '../screen/panel/status-times.ts';
import type { Task, TaskStatus } from '../tasks/task.ts';
import type { TaskVersion } from '../tasks/task-store.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import { type Entry, entriesOf, taskEntries } from './details.ts';
import type { FoundSession, KnownList, Page, ViewerState } from './model.ts';

const NEWEST_OFFERED = 5;
/** Below this, the board's sections stand below each other. */
const BOARD_COLUMNS = 66;

export function pageOf({ pages }: ViewerState): Page {
  return pages.at(-1) as Page;
}

export function withPage(state: ViewerState, page: Page): ViewerState {
  return { ...state, pages: [...state.pages.slice(0, -1), page] };
}

export function withCursor(state: ViewerState, cursor: string | undefined): ViewerState {
  return withPage(state, { ...pageOf(state), cursor });
}

/** True if all words of the page's filter are in the texts, ignoring case. */
function passes(state: ViewerState, ...texts: (string | undefined)[]): boolean {
  const { filter } = pageOf(state);
  if (!filter) return true;
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

/** Agents at work first, then those with open items, with none, and with completed ones only; of each, the main agent first. */
export function byActivity(lists: readonly KnownList[]): readonly KnownList[] {
  const rank = ({ versions: [{ items }] }: KnownList) => {
    const has = (status: TaskStatus) => items.some((item) => item.status === status);
    return has('in_progress') ? 0 : has('pending') ? 1 : items.length === 0 ? 2 : 3;
  };
  const helps = ({ agent }: KnownList) => Number(!/^main(?:@|$)/.test(agent));
  return lists.toSorted(
    (a, b) => rank(a) - rank(b) || helps(a) - helps(b) || NATURAL.compare(a.agent, b.agent),
  );
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

/** The text of the item or task whose details are shown. */
export function textInDetails(state: ViewerState): string {
  const { of = '' } = pageOf(state);
  const rows = isOfTeam(state) ? teamRows(shownTasks(state)) : itemRows(shownVersions(state));
  return rows.find((row) => row.name === of)?.text ?? `#${of}`;
}

/** The name of the row that stands for folded items: no item has an empty one. */
export const FOLD = '';
/** How many completed items above the current one show. */
const UNFOLDED = 3;

export interface ShownItems {
  readonly items: readonly TimedRow[];
  /** Completed ones above them, shown as one row. */
  readonly folded: readonly TimedRow[];
}

export function shownItems(state: ViewerState): ShownItems {
  const { filter, isUnfolded } = pageOf(state);
  const items = itemRows(shownVersions(state)).filter(
    ({ status, text, doing }) =>
      !(state.hidesCompleted && status === 'completed') && passes(state, text, doing),
  );
  if (filter !== undefined || isUnfolded) return { items, folded: [] };
  const above = items.slice(0, Math.max(0, currentOf(items)));
  const folded = above.filter(({ status }) => status === 'completed').slice(0, -UNFOLDED);
  return { items: items.filter((row) => !folded.includes(row)), folded };
}

/** The index of the row in progress, else of the next one that is not blocked; -1 if there is neither. */
export function currentOf(rows: readonly TimedRow[]): number {
  const free = rows.filter(({ blockedBy }) => blockedBy.length === 0);
  const current = rows.find(({ status }) => status === 'in_progress') ?? free[nextIndex(free)];
  return current ? rows.indexOf(current) : -1;
}

/** Most recently changed first. */
export function shownSessions(state: ViewerState): readonly FoundSession[] {
  const found = state.known.found.filter(({ session, lists }) =>
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

/** The tasks of a team, completed ones last and the latest of them first: there may be hundreds. */
export function boardRows(tasks: readonly TaskVersion[]): readonly TimedRow[] {
  const rows = teamRows(tasks);
  const completed = rows.filter(({ status }) => status === 'completed');
  completed.sort((a, b) => (b.since ?? 0) - (a.since ?? 0) || Number(b.name) - Number(a.name));
  return [...rows.filter(({ status }) => status !== 'completed'), ...completed];
}

export function boardSections(state: ViewerState): BoardSection[] {
  const shown = boardRows(shownTasks(state)).filter(({ text, doing, owner }) =>
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
  return state.hidesCompleted ? open : [...open, section('completed', 'Completed')];
}

/** The distance to the next or previous column with tasks, in the same row if possible. */
export function toNextColumn(state: ViewerState, by: 1 | -1): number {
  if (!isWideBoard(state)) return by;
  const columns = boardSections(state)
    .map(({ tasks }) => tasks.map(({ name }) => name))
    .filter(({ length }) => length > 0);
  const names = columns.flat();
  const at = selectedIndex(state);
  const name = names[at] ?? '';
  const here = columns.findIndex((column) => column.includes(name));
  const row = columns[here]?.indexOf(name) ?? 0;
  const next = columns[here + by];
  return next ? names.indexOf(next[Math.min(row, next.length - 1)] ?? '') - at : 0;
}

interface Selectable {
  /** The rows' names; empty if the page only scrolls. */
  readonly names: readonly string[];
  /** The index of the selection until the user moves. */
  readonly followed: number;
}

function selectableRows(state: ViewerState): Selectable {
  const named = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name);
  const sessions = () => ({ names: shownSessions(state).map(({ key }) => key), followed: 0 });
  switch (pageOf(state).name) {
    case 'list': {
      if (isWaiting(state)) return sessions();
      const { items, folded } = shownItems(state);
      const fold = folded.length > 0 ? [FOLD] : [];
      const current = currentOf(items);
      const at = current === -1 ? items.length - 1 : current;
      return { names: [...fold, ...named(items)], followed: fold.length + at };
    }
    case 'board': {
      const tasks = boardSections(state).flatMap((section) => section.tasks);
      return { names: named(tasks), followed: Math.max(0, currentOf(tasks)) };
    }
    case 'agents': {
      const names = agentLists(state).map(({ agent }) => agent);
      return { names, followed: Math.max(0, names.indexOf(state.agent ?? state.awaited)) };
    }
    case 'history':
      return { names: shownEntries(state).map(({ version }) => String(version)), followed: 0 };
    case 'sessions':
      return sessions();
    case 'details':
    case 'help':
      return { names: [], followed: 0 };
  }
}

/** The names of the selectable rows. */
export function choices(state: ViewerState): readonly string[] {
  return selectableRows(state).names;
}

/** The index of the selection in `choices`; -1 if there is none. */
export function selectedIndex(state: ViewerState): number {
  const { names, followed } = selectableRows(state);
  const { cursor } = pageOf(state);
  const at = cursor === undefined ? -1 : names.indexOf(cursor);
  return at === -1 ? Math.min(followed, names.length - 1) : at;
}

export function selectedName(state: ViewerState): string | undefined {
  return choices(state)[selectedIndex(state)];
}

/** True where sessions are offered, since there is no list yet. */
export function isWaiting(state: ViewerState): boolean {
  const { isReached } = state.known;
  return isReached && pageOf(state).name === 'list' && shownList(state) === undefined;
}

export function chosenItem(state: ViewerState): TimedRow | undefined {
  if (pageOf(state).name !== 'list') return undefined;
  const name = selectedName(state);
  return shownItems(state).items.find((row) => row.name === name);
}

export function chosenTask(state: ViewerState): Task | undefined {
  if (pageOf(state).name !== 'board') return undefined;
  return shownTasks(state)[0]?.graph.tasks.get(Number(selectedName(state)));
}

export function progressOf(state: ViewerState): { done: number; total: number } {
  const all: readonly { readonly status: TaskStatus }[] = isOfTeam(state)
    ? teamRows(shownTasks(state))
    : (shownVersions(state)[0]?.items ?? []);
  const done = doneOf(all);
  return { done, total: all.length };
}

/** True if everything is completed, also where the list was emptied for that. */
export function isFinished(state: ViewerState): boolean {
  const { done, total } = progressOf(state);
  if (total > 0) return done === total;
  const before = isOfTeam(state) ? [] : (shownVersions(state)[1]?.items ?? []);
  return before.length > 0 && doneOf(before) === before.length;
}
