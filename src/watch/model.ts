import type { Task } from '../tasks/task.ts';
import { contentKey } from '../todo/pair-items.ts';
import type { TodoItem, TodoVersion } from '../todo/todo-store.ts';
import type { FoundList } from './watched-lists.ts';

/** The versions of one agent's list that are kept, newest first; at least one. */
export interface KnownList {
  readonly agent: string;
  readonly versions: readonly [TodoVersion, ...TodoVersion[]];
}

/** A team's tasks, and since when each has the status that it has, in milliseconds since 1970. */
export interface KnownTasks {
  readonly tasks: ReadonlyMap<number, Task>;
  readonly since: ReadonlyMap<number, number>;
  /** When the list changed last; undefined for one that was never written. */
  readonly updatedAt: number | undefined;
}

/** Below this many columns only what matters most is said. */
export const TERSE_COLUMNS = 40;
/** How many lists are offered while waiting for one. */
export const NEWEST_OFFERED = 5;

/** What is known of a session. */
export interface Known {
  /** Its name, for people; undefined if none is named, as it must be on a server. */
  readonly session: string | undefined;
  /** What tells it from all others. */
  readonly key: string | undefined;
  /** The lists in the order of their agents' names. */
  readonly lists: readonly KnownList[];
  readonly tasks: KnownTasks;
  /** Lists of this and other sessions, those first that changed last; looked up only while they are shown. */
  readonly found: readonly FoundList[];
  /** Why something could not be read, the last time that it was tried. */
  readonly problem: string | undefined;
}

export type PageName = 'list' | 'version' | 'agents' | 'board' | 'history' | 'sessions' | 'help';

/** What is shown, and how far it is scrolled. */
export interface Page {
  readonly name: PageName;
  /** Which version, on the page of one. */
  readonly version?: number;
  /** What a person has moved to; without it, the page follows what is in progress. */
  readonly cursor?: string | undefined;
  /** The first line in sight. */
  readonly top: number;
  /** Whether what is chosen goes on above or below what is in sight, as the last frame showed it. */
  readonly goesUp?: boolean;
  readonly goesDown?: boolean;
}

/** What the viewer cannot do by itself. */
export type Request =
  | { readonly what: 'quit' }
  | {
      /** A person's change of the list. */
      readonly what: 'write';
      readonly agent: string;
      /** The version that the person saw. */
      readonly version: number;
      readonly items: readonly Readonly<TodoItem>[];
      /** How to tell that it is done. */
      readonly told: string;
      /** What would take it back; or that it has taken something back itself. */
      readonly undo: { readonly before: readonly Readonly<TodoItem>[] } | 'pop';
    }
  | { readonly what: 'open'; readonly list: FoundList };

export type WriteRequest = Extract<Request, { what: 'write' }>;

export interface ViewerState {
  readonly known: Known;
  /** The agent whose list is shown, if one was chosen. */
  readonly agent: string | undefined;
  /** The agent that is waited for where there is no list yet. */
  readonly awaited: string;
  /** The pages that lie on each other; the last one is shown. */
  readonly pages: readonly [Page, ...Page[]];
  readonly hidesCompleted: boolean;
  readonly columns: number;
  readonly rows: number;
  /** A text that is being typed. */
  readonly input?: Input | undefined;
  /** A message to show until the next key. */
  readonly message?: string | undefined;
  /** What our own changes replaced, as long as nobody else has changed the list. */
  readonly undo?: Undo | undefined;
  readonly request?: Request;
}

export interface Input {
  readonly kind: 'add' | 'edit';
  readonly before: string;
  readonly after: string;
  /** The item to rename, or to add below; undefined if the list is empty. */
  readonly name: string | undefined;
  /** The version that was seen when the typing began. */
  readonly version: number;
}

export interface Undo {
  readonly agent: string;
  /** The version that our last change made. */
  readonly version: number;
  readonly befores: readonly (readonly Readonly<TodoItem>[])[];
}

export function pageOf({ pages }: ViewerState): Page {
  return pages.at(-1) as Page;
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
