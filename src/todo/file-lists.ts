import { homedir } from 'node:os';
import { readSettings, type Settings } from '../settings.ts';
import {
  agentOfHarness,
  hookFolder,
  isSubagent,
  type ListName,
  listFolder,
  sessionOf,
  stateFolder,
} from '../state/lists.ts';
import { DEFAULT_AGENT } from '../state/place.ts';
import { ServerLists } from '../state/server-lists.ts';
import { attempt, StateError } from '../state/state-error.ts';
import { openTodoStore, storedItemsProblem } from './open-todo-store.ts';
import { ServerTodoList, type TodoList } from './todo-list.ts';
import { setUntilDone } from './until-done.ts';

const NAME_THE_SESSION =
  'with TODO_STATE_URL the session must be named, since a folder is not one place on two machines: set TODO_SESSION, or give --session NAME';

type Variables = Readonly<Record<string, string | undefined>>;

/** The lists in files, as the environment of a process and its directory name them. */
export class FileLists {
  readonly #settings: Settings;
  #folder: string | undefined;
  readonly #environment: Variables;
  readonly #directory: string | undefined;
  readonly #lists = new Map<string, TodoList>();
  readonly #names = new WeakMap<TodoList, ListName>();
  #server: ServerLists | undefined;

  /**
   * @param directory The current directory; undefined where it has been deleted.
   * @param settings Those of the environment, where they have been read already.
   */
  constructor(
    environment: Variables,
    directory: string | undefined,
    settings: Settings = readSettings(environment, undefined).settings,
  ) {
    this.#settings = settings;
    this.#environment = environment;
    this.#directory = directory;
  }

  /** The folder that they all are in. */
  get folder(): string {
    this.#folder ??= stateFolder(this.#settings.stateDir, this.#environment, {
      directory: this.#directory ?? '/',
      home: () => attempt('find your home folder for', 'lists: set TODO_STATE_DIR', homedir),
    });
    return this.#folder;
  }

  /**
   * What is not given is as the settings say, else the work tree and the agent `main`. In a work tree each session of a
   * harness has lists of its own; a session that was named is the same one for all.
   */
  name(partial: Partial<ListName>, settings: Settings = this.#settings): ListName {
    const { session = settings.session, agent = settings.agent ?? DEFAULT_AGENT } = partial;
    if (session !== undefined) return { session, agent };
    if (settings.stateUrl !== undefined) throw new StateError(NAME_THE_SESSION);
    return { session: this.#sessionHere(), agent: agentOfHarness(agent, this.#environment) };
  }

  /** The server that lists live on in place of files; undefined for files. */
  get server(): ServerLists | undefined {
    const { stateUrl: url, stateTimeout } = this.#settings;
    if (url !== undefined) {
      const options = { url, environment: this.#environment, timeoutMs: stateTimeout * 1000 };
      this.#server ??= new ServerLists(options);
    }
    return this.#server;
  }

  /** A list by its name; the same one each time that the same author asks for it. */
  readonly open = (partial: Partial<ListName>, settings: Settings = this.#settings): TodoList => {
    const name = this.name(partial, settings);
    // Who writes the list of another agent, as a leader does, signs with its own name.
    const author = settings.agent ?? partial.agent ?? DEFAULT_AGENT;
    const key = JSON.stringify([name, author]);
    const list = this.#lists.get(key) ?? this.#open(name, author);
    this.#lists.set(key, list);
    this.#names.set(list, name);
    return list;
  };

  /** Says of a list that its agent should not stop before it is finished, from a version on: for the hook. */
  setUntilDone(list: TodoList, version: number): void {
    const name = this.#names.get(list);
    if (name) setUntilDone(hookFolder(this.folder, name), version);
  }

  /** Whether a list is that of an agent which another agent of its session has started; of a server's, nobody knows. */
  isSubagent(list: TodoList): boolean {
    const name = this.#names.get(list);
    return name !== undefined && this.server === undefined && isSubagent(this.folder, name);
  }

  /** Ends the connections to the server. */
  async close(): Promise<void> {
    await this.#server?.close();
  }

  #open(name: ListName, author: string): TodoList {
    const { history } = this.#settings;
    if (this.server === undefined) {
      return openTodoStore({ folder: listFolder(this.folder, name), author, history });
    }
    const path = ['todos', name.session, name.agent];
    const options = { author, history, check: storedItemsProblem };
    return new ServerTodoList(this.server.place(path, options), history);
  }

  #sessionHere(): string {
    if (this.#directory !== undefined) return sessionOf(this.#directory);
    throw new StateError(
      'the current directory is gone, so it cannot tell the session; give --session NAME',
    );
  }
}
