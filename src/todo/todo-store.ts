import type { Proof } from '../proof/proof.ts';
import { MemoryPlace } from '../state/memory-place.ts';
import { change, DEFAULT_AGENT, type Place, type Version } from '../state/place.ts';
import type { TodoList } from './todo-list.ts';

/** How far a task is: not begun, being worked on now, fully done. */
export type TodoStatus = 'pending' | 'in_progress' | 'completed';
/** How important a task is, if its list says so. */
export type TodoPriority = 'high' | 'medium' | 'low';

/** One task of the list. */
export interface TodoItem {
  /** What to do: "Run tests". */
  content: string;
  /** The same while doing it: "Running tests". */
  activeForm: string;
  status: TodoStatus;
  /** A name by which the writer of the list knows the task. */
  id?: string;
  /** Items that carry one are sorted by it in the panel. */
  priority?: TodoPriority;
  /** A command that exits with 0 once the item is done. */
  check?: string;
  /** What was seen of the check of a completed item. TodoWrite determines this itself and never accepts it as input. */
  proof?: Proof;
}

/** The list at one moment. Frozen, items included. */
export interface TodoState {
  readonly items: readonly Readonly<TodoItem>[];
  /** When the list was last replaced; for a list never written, when the store was made. */
  readonly updatedAt: Date;
}

/** One version of the list. */
export interface TodoVersion extends TodoState {
  /** 1 for the first list that was written, and one more each time; 0 for a list that was never written. */
  readonly version: number;
  /** The agent that wrote it. */
  readonly by: string;
  /** What was written, if the list was emptied in the same change because everything was completed. */
  readonly asWritten?: Items;
  /** The items that this version left out on purpose. */
  readonly dropped?: Items;
}

/**
 * Called after each change of a store. If a listener throws, the others still run and the update stands; the error
 * becomes a warning.
 */
export type TodoListener = (state: TodoVersion) => void;

type Items = readonly Readonly<TodoItem>[];

/** How a list is written. */
export interface WriteOptions {
  /** Leave the list empty: it is finished, and nobody needs to see it. */
  readonly emptied?: boolean;
  /** The items that are left out on purpose. */
  readonly dropped?: Items | undefined;
}

/**
 * Holds one task list and tells its listeners of each change.
 *
 * An update replaces the whole list; nothing is merged. Snapshots are frozen copies: later changes to a caller's array
 * do not change the store. A list in files may be changed by others at any time, and reading or writing it may throw a
 * StateError; then nothing has changed, unless its message says so.
 */
export class TodoStore implements TodoList {
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

  /** The current list. Later updates do not change the returned object. */
  get(): TodoVersion {
    const newest = this.#place.load();
    return newest ? this.#stateOf(newest) : this.#unwritten;
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
    const content = contentOf(items, options);
    const written = change(this.#place, () => ({ content, at: this.#now() }));
    return written ? this.#stateOf(written, content) : this.get();
  }

  /** The same, but only where the list is still at this version. @returns undefined where it was not. */
  updateIf(
    version: number,
    items: readonly TodoItem[],
    options: WriteOptions = {},
  ): TodoVersion | undefined {
    const content = contentOf(items, options);
    const written = this.#place.commit(version, content, this.#now());
    return written && this.#stateOf(written, content);
  }

  /** Makes the list before the newest the list again, as a new version. @returns undefined if none is kept. */
  undo(): TodoVersion | undefined {
    const undone = change(this.#place, (newest) => {
      const content = newest && contentBefore(newest, this.#place.history());
      return content && { content, at: this.#now() };
    });
    return undone && this.#stateOf(undone);
  }

  /** The versions that are kept, newest first. */
  history(): TodoVersion[] {
    return [...this.newestFirst()];
  }

  /** The same, each read only as it is asked for. */
  *newestFirst(): Generator<TodoVersion> {
    for (const version of this.#place.history()) yield stateOf(version);
  }

  /** What a place keeps, as versions of a list. */
  static versionsOf(versions: Iterable<Version<Items>>): TodoVersion[] {
    return Array.from(versions, (version) => stateOf(version));
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
  #stateOf(version: Version<Items>, own?: Items): TodoVersion {
    if (this.#latest?.of !== version) {
      const { content } = version;
      const items = content === own ? content : frozen(content);
      this.#latest = { of: version, state: stateOf(version, items, WRITTEN.get(content)) };
    }
    return this.#latest.state;
  }

  #announce(): void {
    withWarning(() => {
      const state = this.get();
      for (const { listener } of [...this.#listeners]) withWarning(() => listener(state));
    });
  }
}

/**
 * The versions that others have made since the author of a list made one, newest first, and that one; of those that
 * are kept.
 */
export interface SinceOwn {
  readonly others: readonly TodoVersion[];
  readonly own: TodoVersion | undefined;
}

export function sinceOwn(author: string, history: Iterable<Version<Items>>): SinceOwn {
  const others: TodoVersion[] = [];
  for (const version of history) {
    if (version.by === author) return { others, own: stateOf(version) };
    others.push(stateOf(version));
  }
  return { others, own: undefined };
}

/** What the list was before its newest version. @returns undefined if that is not kept. */
export function contentBefore(
  newest: Version<Items>,
  history: Iterable<Version<Items>>,
): Items | undefined {
  // Skip versions that changed nothing, such as those of an agent that was told about another's.
  const present = JSON.stringify(newest.content);
  let first: number | undefined;
  for (const { version, content } of history) {
    if (version < newest.version && JSON.stringify(content) !== present) return content;
    first = version;
  }
  return first === 1 && present !== '[]' ? frozen([]) : undefined;
}

/** What is known here of a list that was committed, and is not kept with it. */
const WRITTEN = new WeakMap<Items, Pick<TodoVersion, 'asWritten' | 'dropped'>>();

/** What a place keeps of the items that are written. */
export function contentOf(
  items: readonly TodoItem[],
  { emptied = false, dropped }: WriteOptions,
): Items {
  const asWritten = frozen(items);
  if (!emptied && dropped === undefined) return asWritten;
  const content = Object.freeze(emptied ? [] : [...asWritten]);
  WRITTEN.set(content, { ...(emptied && { asWritten }), ...(dropped && { dropped }) });
  return content;
}

/** The update stands, and the other listeners must run; a warning keeps the error from being lost. */
function withWarning(action: () => void): void {
  try {
    action();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : new Error(String(error)));
  }
}

function stateOf(
  { content, at, version, by }: Version<Items>,
  items = frozen(content),
  written?: Pick<TodoVersion, 'asWritten' | 'dropped'>,
): TodoVersion {
  return Object.freeze({ items, updatedAt: at, version, by, ...written });
}

function frozen(items: Items): Items {
  if (Object.isFrozen(items) && items.every(Object.isFrozen)) return items;
  // V8 freezes the copy that a spread makes three times as slowly.
  return Object.freeze(
    items.map((item) => {
      const copy: TodoItem = Object.assign({}, item);
      if (item.proof) copy.proof = Object.freeze(Object.assign({}, item.proof));
      return Object.freeze(copy);
    }),
  );
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
