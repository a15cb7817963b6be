import { homedir } from 'node:os';
import { join } from 'node:path';
import { safeText } from '../safe-text.ts';
import { type SettingsSource, settingsOfCalls } from '../settings/settings.ts';
import { type ListName, pathName, sessionKey, stateFolder } from '../state/list-paths.ts';
import { DEFAULT_AGENT, USER } from '../state/place.ts';
import { StateError, UnnamedList } from '../state/state-error.ts';
import { openTaskList, type TaskVersion } from '../tasks/task-store.ts';
import { TodoLists } from '../todo/todo-lists.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import {
  type Follower,
  type Following,
  followLists,
  followTasks,
  MOST_VERSIONS,
} from './follow.ts';
import type { FoundList, Known, KnownList, TaskRequest, WriteRequest } from './model.ts';
import { WatchedLists } from './watched-lists.ts';
import { changeTask, type Written, writeList } from './writes.ts';

const READING = 'reading';
const FINDING = 'finding';

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
  /** Of the team's tasks. */
  #teamKey: string | undefined;
  #tasks: readonly TaskVersion[] = [];
  #found: readonly FoundList[] = [];
  #isFinding = false;
  #isReached = false;
  /** By the key of a list with a damaged version, or by what fails. */
  readonly #problems = new Map<string, string>();
  #followed: readonly Following[] = [];

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
    this.#tasks = [];
    this.#isReached = key === undefined;
    this.#problems.clear();
    const { lists: home } = this.#watched;
    const { lists } = home;
    this.#teamKey = taskList ? home.teamKey(taskList) : key?.replace('todos/', 'tasks/');
    const failed = (error: unknown) => this.#fail(READING, error);
    const reached = () => {
      this.#isReached = true;
      this.#say(READING, undefined);
    };
    const followed: Following[] = [];
    if (key) {
      const changed: Follower<TodoVersion>['changed'] = (list, version) => {
        const [newest, ...older] = withNewer(this.#lists.get(list.key)?.versions ?? [], version);
        if (newest) this.#lists.set(list.key, { agent: list.agent, versions: [newest, ...older] });
        else this.#lists.delete(list.key);
        this.#say(list.key, version.damage?.message);
      };
      followed.push(followLists(lists, key, { changed, failed, reached }, 'all'));
    }
    if (this.#teamKey) {
      const changed: Follower<TaskVersion>['changed'] = (list, version) => {
        this.#tasks = withNewer(this.#tasks, version);
        this.#say(list.key, version.damage?.message);
      };
      const tasks = { changed, failed, reached: key ? () => {} : reached };
      followed.push(followTasks(lists, this.#teamKey, tasks, 'all'));
    }
    this.#followed = followed;
  }

  async find(most: number): Promise<void> {
    if (this.#isFinding) return;
    this.#isFinding = true;
    try {
      const found = await this.#watched.find(most);
      this.#found = found.map((list) => ({ ...list, session: shortPath(list.session) }));
      this.#say(FINDING, undefined);
    } catch (error) {
      this.#fail(FINDING, error);
    } finally {
      this.#isFinding = false;
    }
  }

  get known(): Known {
    const lists = [...this.#lists.values()].sort((a, b) => (a.agent < b.agent ? -1 : 1));
    return {
      session: this.#session && shortPath(this.#session),
      key: this.#key,
      lists,
      tasks: this.#tasks,
      found: this.#found,
      isReached: this.#isReached,
      problem: [...this.#problems.values()].at(-1),
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
    const { agent } = request;
    const known = [...this.#lists].find(([, list]) => list.agent === agent)?.[0];
    const key = known ?? `${this.#key}/${pathName(agent)}`;
    const list = this.#watched.lists.openFound(key, USER);
    const written = await writeList(list, this.#settings, request);
    await this.#look();
    return written;
  }

  async changeTask(request: TaskRequest): Promise<Written> {
    const key = this.#teamKey;
    if (key === undefined) return { refused: 'No team is named here' };
    const store = openTaskList(this.#watched.lists, key, USER);
    const result = await changeTask(store, this.#watched.lists, this.#settings, request);
    await this.#look();
    return result;
  }

  end(): void {
    for (const followed of this.#followed) followed.end();
    this.#followed = [];
  }

  /** The next change builds on the last one. */
  async #look(): Promise<void> {
    await Promise.all(this.#followed.map((followed) => followed.look()));
  }

  #fail(what: string, error: unknown): void {
    if (!(error instanceof StateError)) throw error;
    this.#isReached = true;
    this.#say(what, error.message);
  }

  /** Tells of a change, and what is wrong. */
  #say(what: string, problem: string | undefined): void {
    if (problem === undefined) this.#problems.delete(what);
    else this.#problems.set(what, safeText(problem));
    this.#changed();
  }
}

/** A list that was deleted starts over. */
function withNewer<V extends { readonly version: number }>(known: readonly V[], version: V): V[] {
  if (version.version === 0) return [];
  const isNewer = version.version > (known[0]?.version ?? 0);
  return [version, ...(isNewer ? known.slice(0, MOST_VERSIONS - 1) : [])];
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
