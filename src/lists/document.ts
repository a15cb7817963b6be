import { StateError } from '../base/command/state-error.ts';
import { tellListener, warn } from '../base/system/listener.ts';
import { coalesced } from './coalesced.ts';
import { type Awaitable, type MaybeAsync, maybeAsync, settled, whenDone } from './maybe-async.ts';
import { type AnyPlace, type HistoryRange, isSameVersion, type Version } from './place.ts';

/** How versions of a document look to its users. */
export interface DocumentView<T, V> {
  readonly empty: V;
  readonly of: (version: Version<T>) => V;
}

/** Called after each change. If it throws, the others still run and the change stands; the error becomes a warning. */
export type Listener<V> = (state: V) => void;

/** Computes the next content from the newest version; undefined leaves it as it is. */
type Plan<T> = (newest: Version<T> | undefined) => Awaitable<T | undefined>;

interface ListenerEntry<V> {
  readonly listener: Listener<V>;
  readonly failed: ((error: unknown) => void) | undefined;
}

/**
 * A versioned document, wherever it lives: a list of todos or the tasks of a team. Others may change it at any time. In
 * memory and in files every method returns at once; on a server it returns a promise. Reading and writing may throw a
 * StateError, or reject with one; then nothing was changed, unless its message says so.
 */
export class Document<T, V> {
  protected readonly place: AnyPlace<T>;
  readonly now: () => Date;
  readonly #view: DocumentView<T, V>;
  readonly #listeners = new Set<ListenerEntry<V>>();
  #latest: Version<T> | undefined;
  #seen: V;
  /** The state last announced to the listeners. */
  #told: V | undefined;
  #isRead = false;
  #endWatch: (() => void) | undefined;
  readonly #look = coalesced(() => maybeAsync(this.#lookOnce()));

  constructor(place: AnyPlace<T>, view: DocumentView<T, V>, now: () => Date) {
    this.place = place;
    this.now = now;
    this.#view = view;
    this.#seen = view.empty;
  }

  /** The author of writes through this object. */
  get author(): string {
    return this.place.author;
  }

  /** The state last read, written or announced. Never fails. */
  get seen(): V {
    return this.#seen;
  }

  /** The current state; immutable. */
  read(): Awaitable<V> {
    return whenDone(this.place.load(), (newest) => this.#remember(newest));
  }

  /** Like `read`, but synchronous: a document on a server returns the state last seen. */
  get(): V {
    return this.place.isFar
      ? this.#seen
      : this.#remember(this.place.load() as Version<T> | undefined);
  }

  /** Like `read`, but a document on a server is read only once. */
  recent(): Awaitable<V> {
    return this.#isRead && this.place.isFar ? this.#seen : this.read();
  }

  /** The kept versions, newest first. */
  history(range?: HistoryRange): Awaitable<V[]> {
    return whenDone(this.versions(range), (versions) => [...versions]);
  }

  /** Like `history`, but in memory and in files each version is read only when the iterator gets there. */
  versions(range?: HistoryRange): Awaitable<Iterable<V>> {
    const of = this.#view.of;
    return whenDone(this.place.history(range), function* (versions): Generator<V> {
      for (const version of versions) yield of(version);
    });
  }

  /** Like `versions`, but synchronous: of a document on a server, only the state last seen. */
  newestFirst(): Iterable<V> {
    return this.place.isFar ? [this.#seen] : (this.versions() as Iterable<V>);
  }

  /** Keeps `seen` up to date, whoever makes a change. */
  follow(): void {
    // The first command that reads it will report the error.
    this.onChange(
      () => {},
      () => {},
    );
    void this.#look();
  }

  /**
   * Calls `listener` with each later state, not with the current one.
   *
   * @param failed called if a new state cannot be read. Default: a warning, but none for a server that cannot be reached.
   * @returns a function that stops it.
   */
  onChange(listener: Listener<V>, failed?: (error: unknown) => void): () => void {
    const entry = { listener, failed };
    this.#listeners.add(entry);
    this.#endWatch ??= this.place.watch(() => void this.#look());
    return () => {
      this.#listeners.delete(entry);
      if (this.#listeners.size > 0) return;
      this.#endWatch?.();
      this.#endWatch = undefined;
    };
  }

  /**
   * Commits a content computed from the newest version; computes again if another writer was faster.
   *
   * @returns undefined if the plan was to leave it as it is.
   */
  compute(plan: Plan<T>): Awaitable<V | undefined> {
    return this.limited(() => maybeAsync(this.#compute(plan)));
  }

  /** Makes a change, which may take several attempts. */
  protected limited<Made>(change: () => Awaitable<Made>): Awaitable<Made> {
    return this.place.limited ? this.place.limited(async () => change()) : change();
  }

  /** @returns undefined if `base` is not the newest version. */
  protected *commit(base: number, content: T, at = this.now()): MaybeAsync<V | undefined> {
    const before = this.#latest;
    const committed = yield* settled(this.place.commit(base, content, at));
    if (committed === undefined) return undefined;
    // A listener told of it meanwhile may have made the next version.
    if (this.#latest === before) {
      this.#remember(committed);
      this.#tell();
    }
    return isSameVersion(committed, this.#latest) ? this.#seen : this.#view.of(committed);
  }

  *#compute(plan: Plan<T>): MaybeAsync<V | undefined> {
    for (;;) {
      const newest = yield* settled(this.place.load());
      const content = yield* settled(plan(newest));
      if (content === undefined) return undefined;
      const made = yield* this.commit(newest?.version ?? 0, content);
      if (made) return made;
    }
  }

  /**
   * One object for each version: listeners, the writer and later readers get the same. Tells nobody, since the reader may
   * be a listener.
   */
  #remember(newest: Version<T> | undefined): V {
    this.#isRead = true;
    if (isSameVersion(newest, this.#latest)) return this.#seen;
    this.#latest = newest;
    this.#seen = newest ? this.#view.of(newest) : this.#view.empty;
    return this.#seen;
  }

  *#lookOnce(): MaybeAsync<void> {
    const before = this.#seen;
    try {
      const newest = yield* settled(this.place.load());
      // A version seen meanwhile may be newer.
      if (this.#seen === before) this.#remember(newest);
      else void this.#look();
      if (newest?.damage) process.emitWarning(newest.damage);
      this.#tell();
    } catch (error) {
      this.#told = undefined;
      this.#fail(error);
    }
  }

  #tell(): void {
    const state = this.#seen;
    if (state === this.#told) return;
    this.#told = state;
    for (const { listener } of [...this.#listeners]) {
      // A listener may have made a change, which all others were told of at once.
      if (state === this.#told) tellListener(listener, state);
    }
  }

  #fail(error: unknown): void {
    const isAway = error instanceof StateError && error.isOfReading;
    for (const { failed } of [...this.#listeners]) {
      if (failed) failed(error);
      else if (!isAway) warn(error);
    }
  }
}
