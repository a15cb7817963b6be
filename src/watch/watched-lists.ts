import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { folderOfKey, listsIn, sessionsOf, taskListsOf } from '../state/list-paths.ts';
import type { ServerLists } from '../state/server-lists.ts';
import { StateError } from '../state/state-error.ts';
import { todoPlace } from '../todo/open-todo-store.ts';
import type { TodoLists } from '../todo/todo-lists.ts';
import type { TodoVersion } from '../todo/todo-store.ts';
import { type Follower, type FollowOptions, followInFiles } from './follow.ts';

/** One of all lists that there are. */
export interface FoundList {
  readonly session: string;
  readonly agent: string;
  /** What tells it from all others. */
  readonly key: string;
  readonly newest: Pick<TodoVersion, 'items' | 'updatedAt' | 'version'>;
}

/** The key of the session that a list with this key is in. */
export function sessionKeyOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/'));
}

const CLOSE_MS = 500;
/** How many lists of a server are read at once. */
const READ_AT_ONCE = 8;

/** Whoever's lists there are, where the environment says that lists live: in files, or on a server. */
export class WatchedLists {
  readonly lists: TodoLists;
  /** What was read of the lists on a server: one that is still at its version is not read again. */
  readonly #known = new Map<string, FoundList>();

  constructor(lists: TodoLists) {
    this.lists = lists;
  }

  /** If they are, as one may show it. */
  async where(): Promise<string> {
    const { server, folder } = this.lists;
    return server ? (await server.engine()).name : folder;
  }

  /** Tells of the lists of a session as they are, and then of each version. Returns what ends it. */
  follow(session: string, follower: Follower, options: FollowOptions): () => void {
    const { server, folder } = this.lists;
    if (server === undefined) return followInFiles(folder, session, follower, options);
    let hasEnded = false;
    let end = () => {};
    // Programs that keep their lists in files load nothing of it.
    void import('./follow-on-server.ts').then(({ followOnServer }) => {
      if (!hasEnded) end = followOnServer(server, session, follower, options);
    });
    return () => {
      hasEnded = true;
      end();
    };
  }

  /** At most so many lists, those first that changed last. One that cannot be read is left out. */
  async find(most: number): Promise<FoundList[]> {
    const { server, folder } = this.lists;
    if (server === undefined) return [...firstOf(most, findInFiles(folder))];
    const found = await this.#findOnServer(server);
    return found.sort((a, b) => +b.newest.updatedAt - +a.newest.updatedAt).slice(0, most);
  }

  /** The teams' lists of tasks. */
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

  /** Ends the connections to a server. One that does not answer is not waited for. */
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
        const newest = await orUnreadable(async () => readablePlace(server, key).load());
        const [, session = '', agent = ''] = path;
        if (newest === undefined) this.#known.delete(key);
        else this.#known.set(key, { session, agent, key, newest: shown(newest) });
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
      // Each commit renames a file in the folder.
      changed: statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0,
    })),
  );
  found.sort((a, b) => b.changed - a.changed);
  for (const { changed: _, ...list } of found) {
    const folder = folderOfKey(state, list.key);
    const newest = readable(() => todoPlace({ folder }).load(), undefined);
    if (newest !== undefined) yield { ...list, newest: shown(newest) };
  }
}

function shown({
  version,
  content,
  at,
}: {
  version: number;
  content: TodoVersion['items'];
  at: Date;
}) {
  return { version, items: content, updatedAt: at };
}

function* firstOf<T>(most: number, all: Iterable<T>): Generator<T> {
  let count = 0;
  for (const one of all) {
    yield one;
    if (++count >= most) return;
  }
}

/** What another user's files, or damaged ones, are is nothing to stop at. */
function readable<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

async function orUnreadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof StateError) return undefined;
    throw error;
  }
}
