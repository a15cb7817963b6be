import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { folderOfKey, listsIn, sessionsOf, taskListsOf } from '../state/list-paths.ts';
import type { Version } from '../state/place.ts';
import type { ServerLists } from '../state/server-lists.ts';
import { DamagedVersion, StateError } from '../state/state-error.ts';
import { todoPlace } from '../todo/open-todo-store.ts';
import type { Items } from '../todo/todo-item.ts';
import type { TodoLists } from '../todo/todo-lists.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import { type Follower, type FollowOptions, followInFiles } from './follow.ts';

/** A list that was found. */
export interface FoundList {
  readonly session: string;
  readonly agent: string;
  /** Its unique key. */
  readonly key: string;
  readonly newest: Pick<TodoVersion, 'items' | 'updatedAt' | 'version'>;
  /** What is wrong with its newest version, if that is damaged. */
  readonly damage?: string | undefined;
}

/** The key of a list's session. */
export function sessionKeyOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/'));
}

const CLOSE_MS = 500;
/** How many lists to read from a server at a time. */
const READ_AT_ONCE = 8;

/** All agents' lists in the place named by the environment: files or a server. */
export class WatchedLists {
  readonly lists: TodoLists;
  /** A cache of lists on a server, valid while their versions stay the same. */
  readonly #known = new Map<string, FoundList>();

  constructor(lists: TodoLists) {
    this.lists = lists;
  }

  /** Where that is, in a form that can be shown. */
  async where(): Promise<string> {
    const { server, folder } = this.lists;
    return server ? (await server.engine()).name : folder;
  }

  /** Reports a session's lists, and then each new version. Returns a function that stops this. */
  follow(session: string, follower: Follower, options: FollowOptions): () => void {
    const { server, folder } = this.lists;
    if (server === undefined) return followInFiles(folder, session, follower, options);
    let hasEnded = false;
    let end = () => {};
    // Programs with lists in files never load this.
    void import('./follow-on-server.ts').then(({ followOnServer }) => {
      if (!hasEnded) end = followOnServer(server, session, follower, options);
    });
    return () => {
      hasEnded = true;
      end();
    };
  }

  /** At most `most` lists, most recently changed first. Unreadable ones are left out, damaged ones are not. */
  async find(most: number): Promise<FoundList[]> {
    const { server, folder } = this.lists;
    if (server === undefined) return [...firstOf(most, findInFiles(folder))];
    const found = await this.#findOnServer(server);
    return found.sort((a, b) => +b.newest.updatedAt - +a.newest.updatedAt).slice(0, most);
  }

  /** All teams' task lists. */
  async findTasks(): Promise<{ readonly list: string; readonly key: string }[]> {
    const { server, folder } = this.lists;
    if (server === undefined) {
      return taskListsOf(folder).map((found) => ({
        list: found.list,
        key: `tasks/${basename(found.folder)}`,
      }));
    }
    const found = await server.find(['tasks']);
    return found.map(({ path, key }) => ({ list: path.at(-1) ?? '', key }));
  }

  /** Closes the connections to a server, without waiting for one that does not answer. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([this.lists.close(), late]);
    clearTimeout(timer);
  }

  async #findOnServer(server: ServerLists): Promise<FoundList[]> {
    const found = await server.find(['todos']);
    const news = found.filter(({ key, version }) => {
      return this.#known.get(key)?.newest.version !== version;
    });
    const { readablePlace } = await import('./follow-on-server.ts');
    while (news.length > 0) {
      const some = news.splice(0, READ_AT_ONCE).map(async ({ key, path }) => {
        const load = async () => readablePlace(server, key).load();
        const newest = await load().then(shown, (error) => orUnreadable(error, 0));
        const [, session = '', agent = ''] = path;
        if (newest === undefined) this.#known.delete(key);
        else this.#known.set(key, { session, agent, key, ...newest });
      });
      await Promise.all(some);
    }
    return found.flatMap(({ key }) => this.#known.get(key) ?? []);
  }
}

function* findInFiles(state: string): Generator<FoundList> {
  const found = sessionsOf(state).flatMap(({ session, folder: sessionFolder }) =>
    readable(() => listsIn(sessionFolder), []).map(({ agent, folder }) => ({
      session,
      agent,
      key: ['todos', basename(sessionFolder), basename(folder)].join('/'),
      // Each commit renames a file in the folder, which sets its time.
      changed: statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0,
    })),
  );
  found.sort((a, b) => b.changed - a.changed);
  for (const { changed, ...list } of found) {
    const folder = folderOfKey(state, list.key);
    const newest = readNewest(() => todoPlace({ folder }).load(), changed);
    if (newest !== undefined) yield { ...list, ...newest };
  }
}

type Newest = Pick<FoundList, 'newest' | 'damage'>;

function readNewest(load: () => Version<Items> | undefined, changed: number): Newest | undefined {
  try {
    return shown(load());
  } catch (error) {
    return orUnreadable(error, changed);
  }
}

function shown(newest: Version<Items> | undefined): Newest | undefined {
  if (newest === undefined) return undefined;
  const { version, content, at, damage } = newest;
  return { newest: { version, items: content, updatedAt: at }, damage: damage?.message };
}

/** A list of which no version is whole is there; what cannot be read at all is left out. */
function orUnreadable(error: unknown, changed: number): Newest | undefined {
  if (error instanceof DamagedVersion) {
    const { version, message } = error;
    return { newest: { version, items: [], updatedAt: new Date(changed) }, damage: message };
  }
  // A server that does not answer has not said that there is no list.
  if (error instanceof StateError && !error.isOfReading) return undefined;
  throw error;
}

function* firstOf<T>(most: number, all: Iterable<T>): Generator<T> {
  let count = 0;
  for (const one of all) {
    yield one;
    if (++count >= most) return;
  }
}

/** Skips other users' folders. */
function readable<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
