import { homedir } from 'node:os';
import { join } from 'node:path';
import { safeText } from '../safe-text.ts';
import { type SettingsSource, settingsOfCalls } from '../settings/settings.ts';
import { type ListName, pathName, sessionKey, stateFolder } from '../state/list-paths.ts';
import { DEFAULT_AGENT, USER } from '../state/place.ts';
import { StateError, UnnamedList } from '../state/state-error.ts';
import { changesIn, changeText } from '../tasks/task-history.ts';
import { openTaskList } from '../tasks/task-store.ts';
import { TodoLists } from '../todo/todo-lists.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import { type FollowedList, followTasks, tasksOf } from './follow.ts';
import type {
  FoundList,
  Known,
  KnownList,
  KnownTasks,
  TaskChange,
  TaskRequest,
  WriteRequest,
} from './model.ts';
import { WatchedLists } from './watched-lists.ts';
import { changeTask, type Written, writeList } from './writes.ts';

/** How much of an unlimited history is used. */
const MOST_VERSIONS = 1000;
const NO_TASKS: KnownTasks = { tasks: new Map(), since: new Map(), updatedAt: undefined };

export interface SessionToFollow {
  /** Undefined to follow only the team's tasks. */
  readonly session: string | undefined;
  /** Its key (default: the one of its name). */
  readonly key?: string | undefined;
  /** If it is not the session's own. */
  readonly taskList?: string | undefined;
}

export function watchedLists(environment = process.env): WatchedLists {
  return new WatchedLists(new TodoLists(environment, process.cwd()));
}

/** Follows one session after another: its lists, and its team's tasks. */
export class Sources {
  readonly #watched: WatchedLists;
  readonly #changed: () => void;
  readonly #settings: SettingsSource = settingsOfCalls(process.env, () => process.cwd());
  #session: string | undefined;
  #key: string | undefined;
  /** By key. */
  readonly #lists = new Map<string, KnownList>();
  #taskList: string | { key: string } | undefined;
  #tasks = NO_TASKS;
  #taskHistory: readonly TaskChange[] = [];
  /** The tasks when their history was looked up. */
  #lookedBackAt: KnownTasks | undefined;
  #found: readonly FoundList[] = [];
  #isFinding = false;
  #isReached = false;
  #problem: string | undefined;
  #end = () => {};

  /** @param changed called at least once when there is something new. */
  constructor(watched: WatchedLists, changed: () => void) {
    this.#watched = watched;
    this.#changed = changed;
  }

  /** Completes a partial list name. On a server, the session has no default. */
  name({ session, agent }: Partial<ListName>): { session: string | undefined; agent: string } {
    try {
      return this.#watched.lists.name({ session, agent });
    } catch (error) {
      if (!(error instanceof UnnamedList)) throw error;
      const { settings } = this.#settings();
      return { session: undefined, agent: agent ?? settings.agent ?? DEFAULT_AGENT };
    }
  }

  followOwn(session: string | undefined, taskList: string | undefined): void {
    this.follow({ session, taskList: taskList ?? this.#settings().settings.taskList });
  }

  follow({ session, key = session && sessionKey(session), taskList }: SessionToFollow): void {
    this.end();
    this.#session = session;
    this.#key = key;
    this.#lists.clear();
    this.#tasks = NO_TASKS;
    this.#taskHistory = [];
    this.#lookedBackAt = undefined;
    this.#isReached = key === undefined;
    this.#problem = undefined;
    this.#taskList =
      taskList || (key ? { key: `tasks/${key.slice(key.indexOf('/') + 1)}` } : undefined);
    const ends = [
      ...(key === undefined ? [] : [this.#followLists(key)]),
      ...this.#followTasks(this.#taskList),
    ];
    this.#end = () => {
      for (const end of ends) end();
    };
  }
  async find(most: number): Promise<void> {
    if (this.#isFinding) return;
    this.#isFinding = true;
    try {
      const found = await this.#watched.find(most);
      this.#found = found.map((list) => ({ ...list, session: shortPath(list.session) }));
      this.#changed();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isFinding = false;
    }
  }

  /** Looks up the history of the team's tasks, if they have changed since. */
  async lookBack(): Promise<void> {
    const list = this.#taskList;
    if (list === undefined || this.#lookedBackAt === this.#tasks) return;
    this.#lookedBackAt = this.#tasks;
    try {
      const store = openTaskList(this.#watched.lists, list, undefined);
      const entries = [...changesIn(await store.versions())];
      if (list !== this.#taskList) return;
      this.#taskHistory = entries.map((entry) => ({
        version: entry.version,
        at: +entry.at,
        by: entry.after.by ?? '-',
        text: changeText(entry),
        tasks: entry.after.tasks,
      }));
      this.#changed();
    } catch (error) {
      this.#fail(error);
    }
  }

  get known(): Known {
    const lists = [...this.#lists.values()].sort((a, b) => (a.agent < b.agent ? -1 : 1));
    return {
      session: this.#session && shortPath(this.#session),
      key: this.#key,
      lists,
      tasks: this.#tasks,
      taskHistory: this.#taskHistory,
      found: this.#found,
      isReached: this.#isReached,
      problem: this.#problem,
    };
  }

  /** Returns a message for the user. */
  async remove(list: FoundList): Promise<string> {
    const name = safeText(`${list.agent} in ${list.session}`);
    try {
      const isRemoved = await this.#watched.remove(list);
      await this.find(this.#found.length);
      return isRemoved
        ? `Removed the list of ${name}`
        : `The list of ${name} is in use; it was left alone`;
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      return safeText(`Not removed: ${error.message}`);
    }
  }

  async write(request: WriteRequest): Promise<Written> {
    const { agent, version } = request;
    const known = [...this.#lists].find(([, list]) => list.agent === agent)?.[0];
    const key = known ?? `${this.#key}/${pathName(agent)}`;
    const list = this.#watched.lists.openFound(key, USER);
    const written = await writeList(list, this.#settings, request);
    // The next change builds on this one, and may come before the follower reports it.
    const now = 'version' in written ? await list.read() : undefined;
    if (now?.version === version + 1) this.#add({ agent, key }, now);
    return written;
  }

  async changeTask(request: TaskRequest): Promise<Written> {
    const list = this.#taskList;
    if (list === undefined) return { refused: 'No team is named here' };
    const store = openTaskList(this.#watched.lists, list, USER);
    const result = await changeTask(store, this.#watched.lists, this.#settings, request);
    try {
      this.#tasks = await tasksOf(store, this.#tasks);
    } catch (error) {
      this.#fail(error);
    }
    return result;
  }

  end(): void {
    this.#end();
    this.#end = () => {};
  }

  #followLists(key: string): () => void {
    const follower = {
      changed: (list: FollowedList, version: TodoVersion) => this.#add(list, version),
      failed: (error: unknown) => this.#fail(error),
      reached: () => {
        this.#isReached = true;
        this.#problem = undefined;
        this.#changed();
      },
    };
    return this.#watched.follow(key, follower, { start: 'all' });
  }

  #followTasks(list: string | { key: string } | undefined): (() => void)[] {
    if (list === undefined) return [];
    const store = openTaskList(this.#watched.lists, list, undefined);
    const end = followTasks(store, {
      changed: (known) => {
        this.#tasks = known;
        this.#changed();
      },
      failed: (error) => this.#fail(error),
    });
    return [end];
  }

  #add({ agent, key }: FollowedList, version: TodoVersion): void {
    const known = this.#lists.get(key)?.versions;
    // Our own writes are reported a second time.
    const isOld = known && version.version <= known[0].version;
    if (isOld && known.some((one) => isSame(one, version))) return;
    // A deleted list starts over.
    const before = known && !isOld ? known : [];
    const versions = [version, ...before.slice(0, MOST_VERSIONS - 1)] as const;
    if (version.version === 0) this.#lists.delete(key);
    else this.#lists.set(key, { agent, versions });
    this.#problem = version.damage && safeText(version.damage.message);
    this.#changed();
  }

  #fail(error: unknown): void {
    if (!(error instanceof StateError)) throw error;
    this.#isReached = true;
    this.#problem = safeText(error.message);
    this.#changed();
  }
}

function isSame(one: TodoVersion, other: TodoVersion): boolean {
  return one.version === other.version && +one.updatedAt === +other.updatedAt;
}

/** In the user's own folder, since TODO_STATE_DIR may be in a cloned repository. */
export function webTokenFile(environment = process.env): string {
  return join(stateFolder(undefined, environment, { directory: '/', home: homedir }), 'web-token');
}

/** `~/work/app` for `/home/ann/work/app`. */
export function shortPath(path: string): string {
  const home = process.env.HOME || homedir();
  return home !== '/' && (path === home || path.startsWith(`${home}/`))
    ? `~${path.slice(home.length)}`
    : path;
}
