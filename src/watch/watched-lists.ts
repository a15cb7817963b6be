import type { FoundList as Listed, Lists } from '../state/lists.ts';
import { DamagedVersion, errorCode, StateError } from '../state/state-error.ts';
import type { TodoLists } from '../todo/todo-lists.ts';
import { type Follower, type FollowOptions, followLists, readablePlace } from './follow.ts';
import type { FoundList } from './model.ts';

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
    return this.lists.lists.name();
  }

  /** Reports a session's lists, and then each new version. Returns a function that stops this. */
  follow(session: string, follower: Follower, options: FollowOptions): () => void {
    return followLists(this.lists.lists, session, follower, options);
  }

  /** At most `most` lists, most recently changed first, unreadable ones too; those of other users are left out. */
  async find(most: number): Promise<FoundList[]> {
    const { lists } = this.lists;
    const all = await lists.find('todos');
    // Where the time of each is known, no more need to be read than are wanted.
    const byTime = all.map((list) => ({ list, at: list.changedAt ?? 0 }));
    byTime.sort((a, b) => b.at - a.at);
    const found: FoundList[] = [];
    while (byTime.length > 0 && (lists.isFar || found.length < most)) {
      const some = byTime.splice(0, READ_AT_ONCE).map(({ list }) => this.#read(list));
      found.push(...(await Promise.all(some)).filter((list) => list !== undefined));
    }
    found.sort((a, b) => +b.newest.updatedAt - +a.newest.updatedAt);
    return found.slice(0, most);
  }

  /** All teams' task lists. */
  async findTasks(): Promise<{ readonly list: string; readonly key: string }[]> {
    const found = await this.lists.lists.find('tasks');
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

  async #read(list: Listed): Promise<FoundList | undefined> {
    const { lists } = this.lists;
    const known = lists.isFar ? this.#known.get(list.key) : undefined;
    if (known && known.newest.version === list.version) return known;
    const newest = await newestOf(lists, list);
    if (newest === undefined) return undefined;
    const [, session = '', agent = ''] = list.path;
    const found = { session, agent, key: list.key, ...newest };
    if (lists.isFar) this.#known.set(list.key, found);
    return found;
  }
}

/** A list of which nothing can be shown is there, too; only those of other users are left out. */
async function newestOf(
  lists: Lists,
  { key, changedAt = 0 }: Listed,
): Promise<Pick<FoundList, 'newest' | 'damage'> | undefined> {
  try {
    const found = await readablePlace(lists, key).load();
    if (found === undefined) return undefined;
    const { version, content: items, at: updatedAt, damage } = found;
    return { newest: { version, items, updatedAt }, damage: damage?.message };
  } catch (error) {
    // A server that does not answer has not said that there is no list.
    if (!(error instanceof StateError) || error.isOfReading) throw error;
    if (errorCode(error) === 'EACCES') return undefined;
    const version = error instanceof DamagedVersion ? error.version : 0;
    const newest = { version, items: [], updatedAt: new Date(changedAt) };
    return { newest, damage: error.message };
  }
}
