import { coalesced } from '../lists/coalesced.ts';
import type { Document } from '../lists/document.ts';
import type { Awaitable } from '../lists/maybe-async.ts';
import type { AnyPlace } from '../lists/place.ts';
import type { FoundList, ListStorage } from '../lists/storage.ts';
import { TaskStore, type TaskVersion, taskPlace } from '../tasks/task-store.ts';
import type { Items } from '../todo/todo-fields.ts';
import { TodoList, todoPlace } from '../todo/todo-store.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import type { KnownList } from './model.ts';

export interface FollowedList<V> extends KnownList<V> {
  /** Unique across all sessions. */
  readonly key: string;
}

export interface Follower<V> {
  /** A list has a new version. A deleted one ends with an empty version 0. */
  changed(list: FollowedList<V>): void;
  failed(error: unknown): void;
  /** All lists could be read, for the first time or again after a failure. */
  reached(): void;
}

/** The first report: the newest version, or all kept versions. */
type Start = 'newest' | 'all';

interface FoundDocument<V> extends Pick<FoundList, 'key' | 'path' | 'version'> {
  /** The newest version, if finding it has read it. */
  readonly newest?: V;
}

/** The lists to follow. */
interface Source<V> {
  find(): Awaitable<readonly FoundDocument<V>[]>;
  open(key: string): Progress<V>['document'];
  /** @param listener as of `ListStorage.watch`. */
  watch(listener: (changed?: readonly FoundDocument<V>[]) => void): () => void;
}

/** How far a list is followed. */
interface Progress<V> {
  readonly agent: string;
  readonly key: string;
  readonly document: Pick<Document<unknown, V>, 'versions' | 'seen'>;
  /** Version 0. */
  readonly empty: V;
  /** The last reported version; undefined to start with the newest one. */
  seen: number | undefined;
  versions: readonly V[];
}

/** How much of an unlimited history is used. */
const MOST_VERSIONS = 1000;
/** The pause after a failed read. */
const RETRY_MS = 2000;

export function readablePlace(storage: ListStorage, key: string): AnyPlace<Items> {
  return todoPlace(storage, key, { author: '', history: MOST_VERSIONS });
}

/**
 * Reports a session's lists, and then each new version. Lists that are created later are included.
 *
 * @param session its key.
 * @param isMeant the agents whose lists to follow; default: all.
 */
export function followLists(
  storage: ListStorage,
  session: string,
  follower: Follower<TodoVersion>,
  start: Start,
  isMeant = (_agent: string) => true,
): Following<TodoVersion> {
  const meant = (found: readonly FoundList[]) =>
    found.filter(({ path }) => isMeant(path.at(-1) ?? ''));
  const source: Source<TodoVersion> = {
    find: async () => meant(await storage.find(session)),
    open: (key) => new TodoList(() => new Date(), readablePlace(storage, key)),
    watch: (listener) => storage.watch(session, (changed) => listener(changed && meant(changed))),
  };
  return new Following(source, follower, start);
}

/** Reports a team's tasks, and then each new version. */
export function followTasks(
  storage: ListStorage,
  key: string,
  follower: Follower<TaskVersion>,
  start: Start,
): Following<TaskVersion> {
  const place = taskPlace(storage, key, '');
  const store = new TaskStore(place);
  const source: Source<TaskVersion> = {
    find: async () => {
      const newest = await store.read();
      const found = { key, path: key.split('/'), version: newest.version, newest };
      return newest.version > 0 ? [found] : [];
    },
    open: () => new TaskStore(place),
    watch: (listener) => place.watch(() => listener()),
  };
  return new Following(source, follower, start);
}

/** Looks for news. */
export class Following<V extends { readonly version: number }> {
  readonly #source: Source<V>;
  readonly #follower: Follower<V>;
  readonly #followed = new Map<string, Progress<V>>();
  readonly #endWatch: () => void;
  #start: Start;
  /** What the next look is for: lists that have changed, by key; undefined for all. */
  #due: Map<string, FoundDocument<V>> | undefined;
  readonly #lookAgain = coalesced(() => this.#lookOnce());
  #hasEnded = false;
  #retry: NodeJS.Timeout | undefined;
  /** Why the last look failed, if it did. */
  failure: unknown;
  hasLooked = false;

  constructor(source: Source<V>, follower: Follower<V>, start: Start) {
    this.#source = source;
    this.#follower = follower;
    this.#start = start;
    this.#endWatch = source.watch((changed) => void this.look(changed));
    void this.look();
  }

  /** Sorted by agent. */
  get known(): readonly FollowedList<V>[] {
    const lists = [...this.#followed.values()].filter(isRead);
    return lists.sort((a, b) => (a.agent < b.agent ? -1 : 1));
  }

  /** Looks now. @param changed all that can have news; default: all lists. */
  look(changed?: readonly FoundDocument<V>[]): Awaitable<void> {
    if (!changed) this.#due = undefined;
    for (const list of changed ?? []) this.#due?.set(list.key, list);
    return this.#lookAgain();
  }

  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#retry);
    this.#endWatch();
  }

  async #lookOnce(): Promise<void> {
    if (this.#hasEnded) return;
    clearTimeout(this.#retry);
    const due = this.#due;
    this.#due = new Map();
    try {
      await this.#readNews(due && [...due.values()]);
      const isNew = !this.hasLooked || this.failure !== undefined;
      this.hasLooked = true;
      this.failure = undefined;
      if (isNew && !this.#hasEnded) this.#follower.reached();
    } catch (error) {
      if (this.#hasEnded) return;
      this.hasLooked = true;
      this.failure = error;
      this.#due = undefined;
      this.#retry = setTimeout(() => void this.look(), RETRY_MS);
      this.#follower.failed(error);
    }
  }

  async #readNews(changed?: readonly FoundDocument<V>[]): Promise<void> {
    const seen = (key: string) => this.#followed.get(key)?.seen ?? 0;
    const found =
      changed?.filter(({ key, version }) => version > seen(key)) ?? (await this.#source.find());
    const start = this.#start;
    // In a list that is created later, every version is new.
    this.#start = 'all';
    const failures: unknown[] = [];
    for (const list of found) {
      try {
        await this.#report(list, start);
      } catch (error) {
        // A damaged list must not hide the others.
        failures.push(error);
      }
    }
    const isThere = new Set(found.map(({ key }) => key));
    for (const list of this.#followed.values()) {
      if (changed || isThere.has(list.key)) continue;
      this.#followed.delete(list.key);
      this.#follower.changed({ ...list, versions: [list.empty, ...list.versions] });
    }
    if (failures.length > 0) throw failures[0];
  }

  #begun(key: string, path: FoundDocument<V>['path'], start: Start): Progress<V> {
    const document = this.#source.open(key);
    const [agent, seen] = [path.at(-1) ?? '', start === 'all' ? 0 : undefined];
    return { agent, key, document, empty: document.seen, seen, versions: [] };
  }

  async #report({ key, path, version, newest }: FoundDocument<V>, start: Start): Promise<void> {
    const followed = this.#followed.get(key) ?? this.#begun(key, path, start);
    this.#followed.set(key, followed);
    if (version === (followed.seen ?? 0)) return;
    for (const news of await versionsAfter(followed, version, newest)) {
      if (this.#hasEnded) return;
      // A list that was deleted starts over.
      const older = news.version > (followed.seen ?? 0) ? followed.versions : [];
      followed.seen = news.version;
      followed.versions = [news, ...older.slice(0, MOST_VERSIONS - 1)];
      if (isRead(followed)) this.#follower.changed(followed);
    }
  }
}

function isRead<V>(list: Progress<V>): list is Progress<V> & FollowedList<V> {
  return list.versions.length > 0;
}

/** The kept versions after the last seen one, oldest first; only the newest if none has been seen. */
async function versionsAfter<V extends { readonly version: number }>(
  { document, seen = -1 }: Pick<Progress<V>, 'document' | 'seen'>,
  version: number,
  newest: V | undefined,
) {
  // A list that was deleted and started again has a lower number.
  const last = seen < 0 ? version - 1 : version < seen ? 0 : seen;
  // A history of tasks is read whole.
  if (newest && version === last + 1) return [newest];
  const range = last === 0 ? { newest: MOST_VERSIONS } : { from: last + 1 };
  const versions: V[] = [];
  for (const kept of await document.versions(range)) {
    if (kept.version <= last) break;
    versions.unshift(kept);
  }
  return versions;
}
