import { homedir } from 'node:os';
import { join } from 'node:path';
import { safeText } from '../safe-text.ts';
import { settingsOfCalls } from '../settings.ts';
import { type ListName, listsIn, sessionFolder } from '../state/list-paths.ts';
import { pathName } from '../state/path-name.ts';
import { StateError } from '../state/state-error.ts';
import { openTaskStore } from '../tasks/open-task-store.ts';
import type { Task } from '../tasks/task.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { openTodoStore } from '../todo/open-todo-store.ts';
import { TodoLists } from '../todo/todo-lists.ts';
import type { TodoVersion } from '../todo/todo-store.ts';
import { TodoWriteHandler } from '../todo/todo-write.ts';
import { USER } from '../todo/user-changes.ts';
import { type FoundList, findLists } from './find-lists.ts';
import { followSession } from './follow.ts';
import type { Known, KnownTasks, WriteRequest } from './model.ts';

/** Of a list whose history is kept without end, no more than this is looked at. */
const MOST_VERSIONS = 1000;
const NO_TASKS: KnownTasks = { tasks: new Map(), since: new Map(), updatedAt: undefined };

/** Follows one session after another: its lists, and its team's tasks. */
export class Sources {
  readonly #lists: TodoLists;
  readonly #changed: () => void;
  #session = '';
  #folder = '';
  #versions = new Map<string, readonly TodoVersion[]>();
  #tasks = NO_TASKS;
  #found: readonly FoundList[] = [];
  #problem: string | undefined;
  #end = () => {};

  /** @param changed called when there is something new to be seen, once or more often. */
  constructor(changed: () => void) {
    this.#changed = changed;
    this.#lists = new TodoLists(process.env, process.cwd());
  }

  /** The name of the list that is meant where not all of it is said. */
  name(given: Partial<ListName>): ListName {
    return this.#lists.name(given);
  }

  /** Where the token of the page for browsers is kept. */
  get webTokenFile(): string {
    return join(this.#lists.folder, 'web-token');
  }

  /** @param taskList the name of the team's list, where it is not the one that the session has. */
  follow(
    session: string,
    folder = sessionFolder(this.#lists.folder, session),
    taskList?: string,
  ): void {
    this.end();
    this.#session = session;
    this.#folder = folder;
    this.#versions = new Map();
    this.#tasks = NO_TASKS;
    this.#problem = undefined;
    const endLists = followSession(
      folder,
      {
        changed: (agent, version) => this.#add(agent, version),
        failed: (error) => this.#fail(error),
      },
      'all',
    );
    const endTasks = this.#followTasks(session, taskList);
    this.#end = () => {
      endLists();
      endTasks();
    };
  }

  /** Looks which lists there are, in this session and others. */
  find(most: number): void {
    const found: FoundList[] = [];
    for (const list of findLists(this.#lists.folder)) {
      found.push({ ...list, session: shortPath(list.session) });
      if (found.length === most) break;
    }
    this.#found = found;
  }

  get known(): Known {
    const lists = [...this.#versions]
      .flatMap(([agent, [newest, ...older]]) =>
        newest === undefined ? [] : [{ agent, versions: [newest, ...older] as const }],
      )
      .sort((a, b) => (a.agent < b.agent ? -1 : 1));
    return {
      session: shortPath(this.#session),
      folder: this.#folder,
      lists,
      tasks: this.#tasks,
      found: this.#found,
      problem: this.#problem,
    };
  }

  /** Writes a list for a person, by the same rules as for an agent. */
  async write({
    agent,
    version,
    items,
  }: WriteRequest): Promise<{ version: number } | { refused: string }> {
    const settings = settingsOfCalls(process.env, () => process.cwd());
    const { history } = settings().settings;
    const folder =
      listsIn(this.#folder).find((list) => list.agent === agent)?.folder ??
      join(this.#folder, pathName(agent));
    const store = openTodoStore({ folder, author: USER, history });
    const handler = new TodoWriteHandler(store, settings);
    const argv = ['--if-version', String(version), JSON.stringify({ todos: items })];
    const { exitCode, stderr } = await handler.execute({ argv, stdin: async () => '' });
    if (exitCode === 0) return { version: version + 1 };
    const [title = '', first = ''] = stderr.split('\n');
    return { refused: `${title.replace(/^Error: /, '')} ${first}` };
  }

  end(): void {
    this.#end();
    this.#end = () => {};
  }

  #add(agent: string, version: TodoVersion): void {
    const known = this.#versions.get(agent) ?? [];
    // A list that was deleted begins anew.
    const before = known[0] && version.version > known[0].version ? known : [];
    this.#versions.set(
      agent,
      version.version === 0 ? [] : [version, ...before].slice(0, MOST_VERSIONS),
    );
    this.#problem = undefined;
    this.#changed();
  }

  #fail(error: unknown): void {
    if (!(error instanceof StateError)) throw error;
    this.#problem = safeText(error.message);
    this.#changed();
  }

  #followTasks(session: string, taskList: string | undefined): () => void {
    let store: TaskStore;
    const look = async () => {
      try {
        this.#tasks = await tasksOf(store, this.#tasks);
      } catch (error) {
        this.#fail(error instanceof StateError ? error : new StateError(String(error)));
      }
      this.#changed();
    };
    try {
      store = openTaskStore({
        environment: { ...process.env, TODO_SESSION: session },
        directory: process.cwd(),
        ...(taskList !== undefined && { list: taskList }),
      });
    } catch (error) {
      this.#fail(error);
      return () => {};
    }
    const end = store.onChange(() => void look());
    void look();
    return end;
  }
}

/**
 * The tasks as they stand, and since when each has its status: the versions tell that where nothing is known yet, and
 * later the tasks themselves, so that a busy list does not have its whole history read again and again.
 */
async function tasksOf(store: TaskStore, before: KnownTasks): Promise<KnownTasks> {
  const { tasks } = (await store.read()).graph;
  const since = new Map<number, number>();
  let updatedAt: number | undefined;
  for (const [id, task] of tasks) {
    const changed = Date.parse(task.updatedAt);
    const isSame = before.tasks.get(id)?.status === task.status;
    since.set(id, (isSame ? before.since.get(id) : undefined) ?? changed);
    updatedAt = Math.max(updatedAt ?? changed, changed);
  }
  if (before.tasks.size === 0) await lookBack(store, tasks, since);
  return { tasks, since, updatedAt };
}

/** A task may have been changed in other ways since it got its status. */
async function lookBack(
  store: TaskStore,
  tasks: ReadonlyMap<number, Task>,
  since: Map<number, number>,
): Promise<void> {
  const open = new Map(tasks);
  for (const { graph, at } of await store.history()) {
    for (const [id, task] of open) {
      if (graph.tasks.get(id)?.status !== task.status) open.delete(id);
      else since.set(id, Math.min(+at, since.get(id) ?? +at));
    }
    if (open.size === 0) break;
  }
}

/** `~/work/app` for `/home/ann/work/app`. */
export function shortPath(path: string): string {
  const home = process.env.HOME || homedir();
  return home !== '/' && (path === home || path.startsWith(`${home}/`))
    ? `~${path.slice(home.length)}`
    : path;
}
