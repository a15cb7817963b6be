import { MemoryPlace } from '../state/memory-place.ts';
import { change, DEFAULT_AGENT, type Place, type Version } from '../state/place.ts';
import { DamagedVersion } from '../state/state-error.ts';
import type { Items, TodoItem } from './todo-item.ts';
import {
  contentBefore,
  contentsOf,
  frozen,
  type SinceOwn,
  sinceOwn,
  type TodoVersion,
  versionOf,
  type WriteOptions,
  writtenOf,
} from './todo-version.ts';

/**
 * Called after each change of a store. If a listener throws, the others still run and the update stands; the error
 * becomes a warning.
 */
export type TodoListener = (state: TodoVersion) => void;

/**
 * Holds one task list and tells its listeners of each change. It is a `TodoList`.
 *
 * An update replaces the whole list; nothing is merged. Snapshots are frozen copies: later changes to a caller's array
 * do not change the store. A list in files may be changed by others at any time, and reading or writing it may throw a
 * StateError; then nothing has changed, unless its message says so.
 */
export class TodoStore {
  readonly #now: () => Date;
  readonly #place: Place<Items>;
  readonly #listeners = new Set<{ listener: TodoListener }>();
  readonly #unwritten: TodoVersion;
  #latest: { of: Version<Items>; state: TodoVersion } | undefined;
  #endWatch: (() => void) | undefined;

  /**
   * @param now The clock for `updatedAt`; the machine's unless given.
   * @param place Where the list lives; in memory, empty, unless given.
   */
  constructor(now: () => Date = () => new Date(), place: Place<Items> = new MemoryPlace()) {
    this.#now = now;
    this.#place = place;
    this.#unwritten = Object.freeze({ items: frozen([]), updatedAt: now(), version: 0, by: '' });
  }

  /** Who signs what is written through this store. */
  get author(): string {
    return this.#place.author;
  }

  /** A store needs no waiting, so it shows itself. */
  get shown(): TodoStore {
    return this;
  }

  /** The current list. Later updates do not change the returned object. @throws DamagedVersion if no version is whole. */
  get(): TodoVersion {
    const newest = this.#place.load();
    return newest ? this.#versionOf(newest) : this.#unwritten;
  }

  /** The same, as all lists have it. */
  read(): TodoVersion {
    return this.get();
  }

  /**
   * Replaces the list and calls the listeners, in the order in which they were added. The items are copied without
   * checks: check items from outside first, with `validateTodoList`.
   *
   * @returns the version that it made; another may have replaced it by now.
   */
  update(items: readonly TodoItem[], options: WriteOptions = {}): TodoVersion {
    for (;;) {
      const written = this.#write(this.#newestNumber(), items, options);
      if (written) return written;
    }
  }

  /** The same, but only where the list is still at this version. @returns undefined where it was not. */
  updateIf(
    version: number,
    items: readonly TodoItem[],
    options: WriteOptions = {},
  ): TodoVersion | undefined {
    return this.#write(version, items, options);
  }

  /** Makes the list before the newest the list again, as a new version. @returns undefined if none is kept. */
  undo(): TodoVersion | undefined {
    const undone = change(this.#place, (newest) => {
      const content = newest && contentBefore(newest, this.#place.history());
      return content && { content, at: this.#now() };
    });
    return undone && this.#versionOf(undone);
  }

  /** The versions that are kept, newest first. */
  history(): TodoVersion[] {
    return [...this.newestFirst()];
  }

  /** The same, each read only as it is asked for. */
  *newestFirst(): Generator<TodoVersion> {
    for (const version of this.#place.history()) yield versionOf(version);
  }

  sinceOwn(): SinceOwn {
    return sinceOwn(this.author, this.#place.history());
  }

  /** The same as `update([])`. */
  clear(): void {
    this.update([]);
  }

  /** Calls `listener` with each later state, not with the current one. Returns its unsubscribe function. */
  onChange(listener: TodoListener): () => void {
    const entry = { listener };
    this.#listeners.add(entry);
    this.#endWatch ??= this.#place.watch(() => this.#announce());
    return () => {
      this.#listeners.delete(entry);
      if (this.#listeners.size > 0) return;
      this.#endWatch?.();
      this.#endWatch = undefined;
    };
  }

  /**
   * One state for each version: listeners, the writer and who looks later get the same.
   *
   * @param own what was just written, which is frozen already.
   */
  #versionOf(version: Version<Items>, own?: Items): TodoVersion {
    if (this.#latest?.of !== version) {
      const { content } = version;
      const items = content === own ? content : frozen(content);
      this.#latest = { of: version, state: versionOf(version, items, writtenOf(content)) };
    }
    return this.#latest.state;
  }

  /** Who replaces all of a list needs no whole version of it. */
  #newestNumber(): number {
    try {
      return this.#place.load()?.version ?? 0;
    } catch (error) {
      if (error instanceof DamagedVersion) return error.version;
      throw error;
    }
  }

  #write(base: number, items: Items, options: WriteOptions): TodoVersion | undefined {
    const [content, empty] = contentsOf(items, options);
    const written = this.#place.commit(base, content, this.#now());
    // Another writer may be quicker than the emptying.
    const emptied = written && empty && this.#place.commit(written.version, empty, written.at);
    if (emptied) return this.#versionOf(emptied, empty);
    return written && this.#versionOf(written, content);
  }

  #announce(): void {
    withWarning(() => {
      const state = this.get();
      if (state.damage) process.emitWarning(state.damage.message);
      for (const { listener } of [...this.#listeners]) withWarning(() => listener(state));
    });
  }
}

/** The update stands, and the other listeners must run; a warning keeps the error from being lost. */
function withWarning(action: () => void): void {
  try {
    action();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : new Error(String(error)));
  }
}

/** The list that a program shares when it needs only one. */
export const todoStore: TodoStore = new TodoStore();

const STORES = new Map([[DEFAULT_AGENT, todoStore]]);

/** The list of an agent, by its name, among several in a program: the same one each time. That of `main` is `todoStore`. */
export function todoStoreOf(agent: string): TodoStore {
  const store = STORES.get(agent) ?? new TodoStore();
  STORES.set(agent, store);
  return store;
}
