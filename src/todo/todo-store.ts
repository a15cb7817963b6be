import { DamagedVersion } from '../base/command/state-error.ts';
import { storedFields, wrongThing } from '../base/json/stored.ts';
import { PROOF } from '../base/proof/proof.ts';
import { Document, type Listener } from '../lists/document.ts';
import { FilePlace, type FilePlaceOptions } from '../lists/file-place.ts';
import { type Awaitable, type MaybeAsync, maybeAsync, settled } from '../lists/maybe-async.ts';
import {
  type AnyPlace,
  DEFAULT_AGENT,
  type HistoryRange,
  MemoryPlace,
  type Place,
  type PlaceOptions,
  type Version,
} from '../lists/place.ts';
import type { ListStorage } from '../lists/storage.ts';
import { type Items, TODO_FIELDS, type TodoItem } from './todo-fields.ts';
import {
  contentBefore,
  frozenItems,
  type LeftBehind,
  type OwnWrite,
  type TodoVersion,
  versionOf,
  type WriteOptions,
} from './todo-version.ts';

/** Called after each change of a store. If it throws, the others still run and the update stands; the error becomes a warning. */
export type TodoListener = Listener<TodoVersion>;

/**
 * One list, wherever it lives, which tells its listeners of each change.
 *
 * An update replaces the whole list; nothing is merged. Versions are frozen copies: later changes to a caller's array
 * do not change the list.
 */
export class TodoList extends Document<Items, TodoVersion> {
  /** Set while a version is committed, since listeners are told before that returns. */
  #own: (OwnWrite & { readonly version: number }) | undefined;
  /** Finds the list that another session of the harness left here; only for the list of a harness's session. */
  leftBehind?: () => Promise<LeftBehind | undefined>;

  constructor(now: () => Date, place: AnyPlace<Items>) {
    const empty = { items: frozenItems([]), updatedAt: now(), version: 0, by: '' };
    super(place, { empty: Object.freeze(empty), of: (version) => this.#versionOf(version) }, now);
  }

  /** The current state for a writer that replaces all of it: even if no version is intact, its number is known. */
  readToReplace(): Awaitable<TodoVersion> {
    return maybeAsync(this.#readToReplace());
  }

  /**
   * Replaces the list and calls the listeners, in the order in which they were added. The items are copied as
   * they are: validate items from outside first, with `validateTodoList`.
   *
   * @returns the version that it made; another may have replaced it by now.
   */
  update(items: readonly TodoItem[], options: WriteOptions = {}): Awaitable<TodoVersion> {
    if (!Array.isArray(items)) throw new TypeError(`${NOT_ITEMS}, received ${typeof items}`);
    return this.limited(() => maybeAsync(this.#replace(items, options)));
  }

  /** Like `update`, but only if the list is at this version. @returns undefined if it is not. */
  updateIf(
    version: number,
    items: readonly TodoItem[],
    options: WriteOptions = {},
  ): Awaitable<TodoVersion | undefined> {
    return maybeAsync(this.#write(version, items, options));
  }

  /** Restores the list before the last change, or at version `to`, as a new version. @returns undefined if it is not kept. */
  undo(to?: number): Awaitable<TodoVersion | undefined> {
    return this.limited(() => maybeAsync(this.#undo(to)));
  }

  /** Like `update([])`. */
  clear(): Awaitable<TodoVersion> {
    return this.update([]);
  }

  *#replace(items: Items, options: WriteOptions): MaybeAsync<TodoVersion> {
    for (;;) {
      const { version } = yield* this.#readToReplace();
      const written = yield* this.#write(version, items, options);
      if (written) return written;
    }
  }

  *#readToReplace(): MaybeAsync<TodoVersion> {
    try {
      return yield* settled(this.read());
    } catch (error) {
      if (!(error instanceof DamagedVersion)) throw error;
      const { version, message: damage } = error;
      return { version, items: [], updatedAt: new Date(0), by: '', damage };
    }
  }

  *#write(base: number, items: Items, options: WriteOptions): MaybeAsync<TodoVersion | undefined> {
    const { emptied, dropped } = options;
    const written = yield* this.#commitOwn(base, items, { dropped });
    if (!written || !emptied) return written;
    const own = { dropped, asWritten: written.items };
    // Another writer may be faster.
    return (yield* this.#commitOwn(written.version, [], own, written.updatedAt)) ?? written;
  }

  *#commitOwn(
    base: number,
    items: Items,
    own: OwnWrite,
    at?: Date,
  ): MaybeAsync<TodoVersion | undefined> {
    // A listener may write the next version meanwhile.
    const outer = this.#own;
    this.#own = Object.assign({ version: base + 1 }, own);
    try {
      return yield* this.commit(base, frozenItems(items), at);
    } finally {
      this.#own = outer;
    }
  }

  *#undo(to: number | undefined): MaybeAsync<TodoVersion | undefined> {
    for (;;) {
      const newest = yield* settled(this.place.load());
      const history = newest && (yield* settled(this.place.history()));
      const before = history && contentBefore(newest, history, to);
      if (before === undefined) return undefined;
      const { items, ...own } = before;
      const written = yield* this.#commitOwn(newest?.version ?? 0, items, own);
      if (written) return written;
    }
  }

  #versionOf(version: Version<Items>): TodoVersion {
    const isOwn = version.version === this.#own?.version && version.by === this.author;
    return versionOf(version, isOwn ? this.#own : undefined);
  }
}

const NOT_ITEMS =
  'update takes the items, [{ content, activeForm, status }], which validateTodoList checks; JSON is for TodoWriteHandler';

/**
 * A synchronous list, in memory or in files. A list in files may be changed by others at any time, and reading or writing
 * it may throw a StateError; then nothing has changed, unless its message says so.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the interface has methods alone, which it inherits.
export class TodoStore extends TodoList {
  /**
   * @param now the clock for `updatedAt`; default: the machine's.
   * @param place default: in memory, empty.
   */
  constructor(now: () => Date = () => new Date(), place: Place<Items> = new MemoryPlace()) {
    super(now, place);
  }
}

/** The synchronous results of `TodoList`'s methods. */
export interface TodoStore {
  read(): TodoVersion;
  history(range?: HistoryRange): TodoVersion[];
  versions(range?: HistoryRange): Iterable<TodoVersion>;
  update(items: readonly TodoItem[], options?: WriteOptions): TodoVersion;
  updateIf(
    version: number,
    items: readonly TodoItem[],
    options?: WriteOptions,
  ): TodoVersion | undefined;
  undo(to?: number): TodoVersion | undefined;
  clear(): TodoVersion;
}

const STORES = new Map<string, TodoStore>();

/** The list of an agent among several in a program, always the same object. That of `main` is `todoStore`. */
export function todoStoreOf(agent: string = DEFAULT_AGENT): TodoStore {
  const store = STORES.get(agent) ?? new TodoStore();
  STORES.set(agent, store);
  return store;
}

/** The default list of a program. */
export const todoStore: TodoStore = /* @__PURE__ */ todoStoreOf();

/** A list in files. Its folder is created with the first list. */
export type TodoStoreLocation = Pick<FilePlaceOptions, 'folder' | 'author' | 'history'>;

/** Opens a list in files, which other processes may share. It need not exist yet. */
export function openTodoStore(location: TodoStoreLocation): TodoStore {
  return new TodoStore(undefined, new FilePlace({ ...location, check: storedItemsProblem }));
}

export function todoPlace(
  storage: ListStorage,
  key: string,
  options: Omit<PlaceOptions, 'check'>,
): AnyPlace<Items> {
  return storage.place(key, { ...options, check: storedItemsProblem });
}

const ITEM = { has: { ...storedFields(TODO_FIELDS), proof: { maybe: PROOF } } };

function storedItemsProblem(items: unknown): string | undefined {
  return Array.isArray(items) ? wrongThing('item', ITEM, items) : 'it does not contain a list';
}
