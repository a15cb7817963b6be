import type { FoundList, Lists } from '../state/lists.ts';
import type { SharedPlace } from '../state/place.ts';
import { StateError } from '../state/state-error.ts';
import type { Task } from '../tasks/task.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { Items } from '../todo/todo-fields.ts';
import { todoPlace } from '../todo/todo-store.ts';
import { type TodoVersion, versionOf } from '../todo/todo-version.ts';
import type { KnownTasks } from './model.ts';

export interface FollowedList {
  readonly agent: string;
  /** Unique across all sessions. */
  readonly key: string;
}

export interface Follower {
  /** A new version. A deleted list is at version 0, without items. */
  changed(list: FollowedList, version: TodoVersion): void;
  failed(error: unknown): void;
  /** All lists could be read, for the first time or again after a failure. */
  reached?(): void;
}

export interface FollowOptions {
  /** The first report: the newest version, or all kept versions. */
  readonly start: 'newest' | 'all';
  /** The agents whose lists to follow; default: all. */
  readonly isMeant?: (agent: string) => boolean;
}

interface Following extends FollowedList {
  readonly place: SharedPlace<Items>;
  /** The last reported version; undefined to start with the newest one. */
  seen: number | undefined;
}

const MOST_VERSIONS = 1000;
/** The pause after a failed read. */
const RETRY_MS = 2000;

export function readablePlace(lists: Lists, key: string): SharedPlace<Items> {
  return todoPlace(lists, key, { author: '', history: MOST_VERSIONS });
}

/**
 * Reports a session's lists, and then each new version. Lists that are created later are included.
 *
 * @param session the key of the session.
 * @returns a function that stops it.
 */
export function followLists(
  lists: Lists,
  session: string,
  follower: Follower,
  options: FollowOptions,
): () => void {
  const look = new Looking(lists, session, follower, options);
  const end = lists.watch(session, () => look.again());
  look.again();
  return () => {
    look.end();
    end();
  };
}

/** One look at a time: a server may answer them out of order. */
class Looking {
  readonly #lists: Lists;
  readonly #session: string;
  readonly #follower: Follower;
  readonly #isMeant: (agent: string) => boolean;
  readonly #followed = new Map<string, Following>();
  #start: FollowOptions['start'];
  #isDue = false;
  #isLooking = false;
  #isReached = false;
  #hasEnded = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(lists: Lists, session: string, follower: Follower, options: FollowOptions) {
    this.#lists = lists;
    this.#session = session;
    this.#follower = follower;
    this.#start = options.start;
    this.#isMeant = options.isMeant ?? (() => true);
  }

  again(): void {
    this.#isDue = true;
    clearTimeout(this.#retry);
    if (!this.#isLooking) void this.#lookUntilDone();
  }

  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#retry);
  }

  async #lookUntilDone() {
    this.#isLooking = true;
    while (this.#isDue && !this.#hasEnded) {
      this.#isDue = false;
      try {
        await this.#look();
        if (!this.#isReached && !this.#hasEnded) this.#follower.reached?.();
        this.#isReached = true;
      } catch (error) {
        if (this.#hasEnded) break;
        this.#isReached = false;
        this.#follower.failed(error);
        if (!this.#isDue) this.#retry = setTimeout(() => this.again(), RETRY_MS);
      }
    }
    this.#isLooking = false;
  }

  async #look() {
    const found = await this.#lists.find(this.#session);
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
    for (const list of [...this.#followed.values()].filter(({ key }) => !isThere.has(key))) {
      this.#followed.delete(list.key);
      this.#follower.changed(list, { version: 0, items: [], updatedAt: new Date(), by: '' });
    }
    if (failures.length > 0) throw failures[0];
  }

  async #report(list: FoundList, start: FollowOptions['start']) {
    const { key, path } = list;
    const agent = path.at(-1) ?? '';
    if (!this.#isMeant(agent)) return;
    const following = this.#followed.get(key) ?? {
      agent,
      key,
      place: readablePlace(this.#lists, key),
      seen: start === 'all' ? 0 : undefined,
    };
    this.#followed.set(key, following);
    const { version } = list;
    if (version === (following.seen ?? 0)) return;
    for (const news of await versionsAfter(following, version)) {
      if (this.#hasEnded) return;
      following.seen = news.version;
      this.#follower.changed(following, news);
    }
  }
}

/** In order, without those no longer kept. Only the newest if none has been seen yet. */
async function versionsAfter({ place, seen = -1 }: Following, newest: number) {
  // A list that was deleted and started again has a lower number.
  const last = seen < 0 ? newest - 1 : newest < seen ? 0 : seen;
  const range = last === 0 ? { newest: MOST_VERSIONS } : { from: last + 1 };
  const versions = [];
  for (const version of await place.history(range)) {
    if (version.version <= last) break;
    versions.unshift(version);
  }
  return Array.from(versions, versionOf);
}

interface TasksFollower {
  changed(known: KnownTasks): void;
  failed(error: StateError): void;
}

/** Reports a team's tasks now and after each change. Returns a function that stops it. */
export function followTasks(store: TaskStore, { changed, failed }: TasksFollower): () => void {
  let known: KnownTasks | undefined;
  let hasEnded = false;
  const fail = (error: unknown) => {
    if (!hasEnded) failed(error instanceof StateError ? error : new StateError(String(error)));
  };
  const look = async () => {
    const before = known ?? (await tasksOf(store, undefined));
    if (hasEnded) return;
    known = since(store.seen.graph.tasks, before);
    changed(known);
  };
  const end = store.onChange(() => void look().catch(fail), fail);
  look().catch(fail);
  return () => {
    hasEnded = true;
    end();
  };
}

/**
 * The current tasks with the start of each status: at first from the history, later from the tasks themselves, so that a
 * long history is not read again and again.
 */
export async function tasksOf(
  store: TaskStore,
  before: KnownTasks | undefined,
): Promise<KnownTasks> {
  const { tasks } = (await store.read()).graph;
  const known = since(tasks, before);
  if (before === undefined) await lookBack(store, tasks, known.since);
  return known;
}

function since(tasks: ReadonlyMap<number, Task>, before: KnownTasks | undefined) {
  const times = new Map<number, number>();
  let updatedAt: number | undefined;
  for (const [id, task] of tasks) {
    const changed = Date.parse(task.updatedAt);
    const isSame = before?.tasks.get(id)?.status === task.status;
    times.set(id, (isSame ? before?.since.get(id) : undefined) ?? changed);
    updatedAt = Math.max(updatedAt ?? changed, changed);
  }
  return { tasks, since: times, updatedAt };
}

/** A task can have changed in other ways since its status did. */
async function lookBack(
  store: TaskStore,
  tasks: ReadonlyMap<number, Task>,
  since: Map<number, number>,
): Promise<void> {
  const open = new Map(tasks);
  for (const { graph, at } of await store.versions()) {
    for (const [id, task] of open) {
      if (graph.tasks.get(id)?.status !== task.status) open.delete(id);
      else since.set(id, Math.min(+at, since.get(id) ?? +at));
    }
    if (open.size === 0) break;
  }
}
