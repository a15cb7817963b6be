import { nextOf } from '../base/command/status.ts';
import { itemRows, type Row, teamRows } from '../screen/panel/status-times.ts';
import type { Task, TaskStatus } from '../tasks/task.ts';
import { changesIn, changeText } from '../tasks/task-history.ts';
import type { TaskVersion } from '../tasks/task-store.ts';
import { changeOf } from '../todo/list-text.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import {
  type FoundList,
  type KnownList,
  NEWEST_OFFERED,
  type Page,
  type ViewerState,
} from './model.ts';

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
export function busyLists(state: ViewerState): readonly KnownList[] {
  return state.known.lists.filter(({ agent, versions: [{ items }] }) => {
    const texts = items.map(({ content }) => content);
    return items.length > 0 && passes(state, agent, ...texts);
  });
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
  return upTo(pageOf(state).version, shownList(state)?.versions ?? []);
}

/** As `shownVersions`, of the team's tasks. */
export function shownTasks(state: ViewerState): readonly TaskVersion[] {
  return upTo(pageOf(state).version, state.known.tasks);
}

function upTo<V extends { readonly version: number }>(
  last: number | undefined,
  newestFirst: readonly V[],
): readonly V[] {
  return last === undefined ? newestFirst : newestFirst.filter(({ version }) => version <= last);
}

export function shownItems(state: ViewerState): readonly Row[] {
  return itemRows(shownVersions(state)).filter(
    ({ status, text, doing }) =>
      !(state.hidesCompleted && status === 'completed') && passes(state, text, doing),
  );
}

export function shownFound(state: ViewerState): readonly FoundList[] {
  const found = state.known.found.filter((list) => passes(state, list.session, list.agent));
  return isWaiting(state) ? found.slice(0, NEWEST_OFFERED) : found;
}

export interface Entry {
  readonly version: number;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly by: string;
  readonly text: string;
}

/** For the page, newest first. */
export function shownEntries(state: ViewerState): readonly Entry[] {
  const entries = isOfTeam(state)
    ? taskEntries(state.known.tasks)
    : entriesOf(shownList(state)?.versions ?? []);
  return entries.filter(({ by, text }) => passes(state, by, text));
}

/** Comparing all versions takes long, and they change seldom. */
const entriesKnown = new WeakMap<readonly TaskVersion[], readonly Entry[]>();

function taskEntries(versions: readonly TaskVersion[]): readonly Entry[] {
  const entries =
    entriesKnown.get(versions) ??
    Array.from(changesIn(versions), (entry) => {
      const { version, at, after } = entry;
      return { version, at: +at, by: after.by ?? '-', text: changeText(entry) };
    });
  entriesKnown.set(versions, entries);
  return entries;
}

export function entriesOf(versions: readonly TodoVersion[]): readonly Entry[] {
  return versions.map((version, index) => ({
    version: version.version,
    at: +version.updatedAt,
    by: version.by,
    text: changeOf(version, versions[index + 1]),
  }));
}

export function isWideBoard({ columns }: ViewerState): boolean {
  return columns > BOARD_COLUMNS;
}

export interface BoardSection {
  readonly title: string;
  readonly tasks: readonly Row[];
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
      if (isWaiting(state)) return shownFound(state).map(({ key }) => key);
      return shownItems(state).map(({ name }) => name);
    case 'agents':
      return busyLists(state).map(({ agent }) => agent);
    case 'history':
      return shownEntries(state).map(({ version }) => String(version));
    case 'sessions':
      return shownFound(state).map(({ key }) => key);
    case 'board':
      return boardSections(state).flatMap(({ tasks }) => tasks.map(({ name }) => name));
    case 'help':
      return [];
  }
}

export function isWaiting(state: ViewerState): boolean {
  const { isReached } = state.known;
  return isReached && pageOf(state).name === 'list' && shownList(state) === undefined;
}

/** The index of the selection in `choices`; -1 if there is none. */
export function chosen(state: ViewerState): number {
  const names = choices(state);
  const { cursor } = pageOf(state);
  const at = cursor === undefined ? -1 : names.indexOf(cursor);
  return at === -1 ? Math.min(followed(state), names.length - 1) : at;
}

export function chosenItem(state: ViewerState): Row | undefined {
  const isList = pageOf(state).name === 'list' && !isWaiting(state);
  return isList ? shownItems(state)[chosen(state)] : undefined;
}

export function chosenTask(state: ViewerState): Task | undefined {
  if (pageOf(state).name !== 'board') return undefined;
  return shownTasks(state)[0]?.graph.tasks.get(Number(choices(state)[chosen(state)]));
}

/** The selection until the user moves: the item in progress, else the next one. */
function followed(state: ViewerState): number {
  switch (pageOf(state).name) {
    case 'list': {
      const items = shownItems(state);
      const at = items.findIndex(({ status }) => status === 'in_progress');
      if (at !== -1) return at;
      const next = nextOf(items);
      return next === -1 ? Math.max(0, items.length - 1) : next;
    }
    case 'board': {
      const tasks = boardSections(state).flatMap((section) => section.tasks);
      const at = tasks.findIndex(({ status }) => status === 'in_progress');
      return Math.max(0, at === -1 ? tasks.findIndex(({ status }) => status === 'pending') : at);
    }
    case 'agents': {
      const shown = shownList(state);
      return shown ? Math.max(0, busyLists(state).indexOf(shown)) : 0;
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
