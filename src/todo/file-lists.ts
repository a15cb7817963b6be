import { homedir } from 'node:os';
import { readSettings, type Settings } from '../settings.ts';
import {
  agentOfHarness,
  hookFolder,
  type ListName,
  listFolder,
  sessionOf,
  stateFolder,
} from '../state/lists.ts';
import { DEFAULT_AGENT } from '../state/place.ts';
import { attempt, StateError } from '../state/state-error.ts';
import { openTodoStore } from './open-todo-store.ts';
import type { TodoStore } from './todo-store.ts';
import { setUntilDone } from './until-done.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The lists in files, as the environment of a process and its directory name them. */
export class FileLists {
  readonly #settings: Settings;
  #folder: string | undefined;
  readonly #environment: Variables;
  readonly #directory: string | undefined;
  readonly #stores = new Map<string, TodoStore>();
  readonly #names = new WeakMap<TodoStore, ListName>();

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
    return { session: this.#sessionHere(), agent: agentOfHarness(agent, this.#environment) };
  }

  /** The store of a list; the same one each time that the same author asks for it. */
  readonly open = (partial: Partial<ListName>, settings: Settings = this.#settings): TodoStore => {
    const name = this.name(partial, settings);
    const folder = listFolder(this.folder, name);
    // Who writes the list of another agent, as a leader does, signs with its own name.
    const author = settings.agent ?? partial.agent ?? DEFAULT_AGENT;
    const key = JSON.stringify([folder, author]);
    let store = this.#stores.get(key);
    if (store === undefined) {
      const { history } = this.#settings;
      store = openTodoStore({ folder, author, history });
      this.#stores.set(key, store);
      this.#names.set(store, name);
    }
    return store;
  };

  /** Says of a list that its agent should not stop before it is finished, from a version on: for the hook. */
  setUntilDone(store: TodoStore, version: number): void {
    const name = this.#names.get(store);
    if (name) setUntilDone(hookFolder(this.folder, name), version);
  }

  #sessionHere(): string {
    if (this.#directory !== undefined) return sessionOf(this.#directory);
    throw new StateError(
      'the current directory is gone, so it cannot tell the session; give --session NAME',
    );
  }
}
