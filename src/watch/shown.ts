import { nextOf } from '../command/status.ts';
import { contentKey } from '../todo/pair-items.ts';
import type { TodoItem } from '../todo/todo-item.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import { boardSections } from './board.ts';
import { type KnownList, NEWEST_OFFERED, type Page, type ViewerState } from './model.ts';

export function pageOf({ pages }: ViewerState): Page {
  return pages.at(-1) as Page;
}

/** The state with another selection on its page. */
export function withCursor(state: ViewerState, cursor: string | undefined): ViewerState {
  return withPage(state, { ...pageOf(state), cursor });
}

/** The state with its top page replaced. */
export function withPage(state: ViewerState, page: Page): ViewerState {
  const [first = page, ...rest] = [...state.pages.slice(0, -1), page];
  return { ...state, pages: [first, ...rest] };
}

/** The list to show: the chosen agent's, else the awaited agent's, else the most recently changed one. */
export function shownList({ known, agent, awaited }: ViewerState): KnownList | undefined {
  const of = (name: string) => known.lists.find((list) => list.agent === name);
  if (agent !== undefined) return of(agent);
  const newest = [...known.lists].sort(
    (a, b) => +b.versions[0].updatedAt - +a.versions[0].updatedAt,
  );
  return of(awaited) ?? newest[0];
}

/** The lists that have items: the agents page shows these. */
export function busyLists({ known }: ViewerState): readonly KnownList[] {
  return known.lists.filter(({ versions }) => versions[0].items.length > 0);
}

/** The version on the page and all before it, newest first. */
export function shownVersions(state: ViewerState): readonly TodoVersion[] {
  const versions = shownList(state)?.versions ?? [];
  const page = pageOf(state);
  if (page.name !== 'version') return versions;
  return versions.slice(versions.findIndex(({ version }) => version === page.version));
}

/** An item with a name that is unique in its list. */
export interface NamedItem {
  readonly item: Readonly<TodoItem>;
  readonly name: string;
}

/** The page's items, without hidden ones. */
export function shownItems(state: ViewerState): readonly NamedItem[] {
  const items = namedItems(shownVersions(state)[0]?.items ?? []);
  return state.hidesCompleted ? items.filter(({ item }) => item.status !== 'completed') : items;
}

export function namedItems(items: readonly Readonly<TodoItem>[]): NamedItem[] {
  const count = new Map<string, number>();
  return items.map((item) => {
    const key = contentKey(item);
    const earlier = count.get(key) ?? 0;
    count.set(key, earlier + 1);
    return { item, name: earlier === 0 ? key : `${key}\n${earlier}` };
  });
}

/** What can be selected on the current page, in order. Empty if the page only scrolls. */
export function choices(state: ViewerState): readonly string[] {
  switch (pageOf(state).name) {
    case 'list':
      if (isWaiting(state)) return foundKeys(state).slice(0, NEWEST_OFFERED);
      return shownItems(state).map(({ name }) => name);
    case 'version':
      return shownItems(state).map(({ name }) => name);
    case 'agents':
      return busyLists(state).map(({ agent }) => agent);
    case 'history':
      return (shownList(state)?.versions ?? []).map(({ version }) => String(version));
    case 'sessions':
      return foundKeys(state);
    case 'taskHistory':
      return state.known.taskHistory.map(({ version }) => String(version));
    case 'board':
    case 'taskVersion':
      return boardSections(state).flatMap(({ tasks }) => tasks.map(({ id }) => String(id)));
    case 'help':
      return [];
  }
}

function foundKeys({ known }: ViewerState): string[] {
  return known.found.map(({ key }) => key);
}

/** Whether there is no list to show yet. */
export function isWaiting(state: ViewerState): boolean {
  return pageOf(state).name === 'list' && shownList(state) === undefined;
}

/** The index of the selection in `choices`; -1 if there is none. */
export function chosen(state: ViewerState): number {
  const names = choices(state);
  const { cursor } = pageOf(state);
  const at = cursor === undefined ? -1 : names.indexOf(cursor);
  return at === -1 ? Math.min(followed(state), names.length - 1) : at;
}

/** The selection while the user has not moved: what is in progress, else what comes next. */
function followed(state: ViewerState): number {
  switch (pageOf(state).name) {
    case 'list':
    case 'version': {
      const items = shownItems(state).map(({ item }) => item);
      const at = items.findIndex(({ status }) => status === 'in_progress');
      if (at !== -1) return at;
      const next = nextOf(items);
      return next === -1 ? Math.max(0, items.length - 1) : next;
    }
    case 'board':
    case 'taskVersion': {
      const statuses = boardSections(state).flatMap(({ tasks }) =>
        tasks.map(({ status }) => status),
      );
      const at = statuses.indexOf('in_progress');
      return Math.max(0, at === -1 ? statuses.indexOf('pending') : at);
    }
    case 'agents': {
      const agent = shownList(state)?.agent;
      return Math.max(
        0,
        busyLists(state).findIndex((list) => list.agent === agent),
      );
    }
    default:
      return 0;
  }
}
