import { contentKey } from '../todo/pair-items.ts';
import type { TodoItem, TodoVersion } from '../todo/todo-store.ts';
import { boardSections } from './board.ts';
import { type KnownList, NEWEST_OFFERED, type Page, type ViewerState } from './model.ts';

export function pageOf({ pages }: ViewerState): Page {
  return pages.at(-1) as Page;
}

/** The same with something else chosen on the page. */
export function withCursor(state: ViewerState, cursor: string | undefined): ViewerState {
  return withPage(state, { ...pageOf(state), cursor });
}

/** The same with another page in place of the one that is shown. */
export function withPage(state: ViewerState, page: Page): ViewerState {
  const [first = page, ...rest] = [...state.pages.slice(0, -1), page];
  return { ...state, pages: [first, ...rest] };
}

/** The list that is shown: that of the agent who was chosen, else of who is waited for, else the one that changed last. */
export function shownList({ known, agent, awaited }: ViewerState): KnownList | undefined {
  const of = (name: string) => known.lists.find((list) => list.agent === name);
  if (agent !== undefined) return of(agent);
  const newest = [...known.lists].sort(
    (a, b) => +b.versions[0].updatedAt - +a.versions[0].updatedAt,
  );
  return of(awaited) ?? newest[0];
}

/** The lists that have items, which are those that the page of all agents shows. */
export function busyLists({ known }: ViewerState): readonly KnownList[] {
  return known.lists.filter(({ versions }) => versions[0].items.length > 0);
}

/** The versions from the one that the page shows on, newest first; those of the newest, but for the page of one. */
export function shownVersions(state: ViewerState): readonly TodoVersion[] {
  const versions = shownList(state)?.versions ?? [];
  const page = pageOf(state);
  if (page.name !== 'version') return versions;
  return versions.slice(versions.findIndex(({ version }) => version === page.version));
}

/** An item of a list, with a name that is unique in the list. */
export interface NamedItem {
  readonly item: Readonly<TodoItem>;
  readonly name: string;
}

/** The items in sight of the list that the page shows. */
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

/** What one can move to on the page that is shown, from first to last. None if one only scrolls. */
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
    case 'board':
      return boardSections(state).flatMap(({ tasks }) => tasks.map(({ id }) => String(id)));
    case 'help':
      return [];
  }
}

function foundKeys({ known }: ViewerState): string[] {
  return known.found.map(({ key }) => key);
}

/** Whether there is no list to show, and so the page of the list says what is waited for. */
export function isWaiting(state: ViewerState): boolean {
  return pageOf(state).name === 'list' && shownList(state) === undefined;
}

/** Which of `choices` is chosen; -1 if there is none. */
export function chosen(state: ViewerState): number {
  const names = choices(state);
  const { cursor } = pageOf(state);
  const at = cursor === undefined ? -1 : names.indexOf(cursor);
  return at === -1 ? Math.min(followed(state), names.length - 1) : at;
}

/** Where the page is while nobody has moved: at what is in progress, else at what comes next. */
function followed(state: ViewerState): number {
  switch (pageOf(state).name) {
    case 'list':
    case 'version': {
      const items = shownItems(state);
      const find = (status: string) => items.findIndex(({ item }) => item.status === status);
      const at = find('in_progress');
      if (at !== -1) return at;
      const next = find('pending');
      return next === -1 ? Math.max(0, items.length - 1) : next;
    }
    case 'board': {
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
