import {
  type Awaitable,
  type HistoryRange,
  inSteps,
  type SharedPlace,
  type Stepwise,
  settled,
  type Version,
  whenDone,
} from './place.ts';

/** A value at once where a document is near, in memory or in files; a promise of it where it is far, on a server. */
export type Now<IsFar extends boolean, T> = IsFar extends true ? Awaitable<T> : T;

/** How versions of a document look to those who use them. */
export interface View<T, V> {
  /** Before the first version. */
  readonly empty: V;
  readonly of: (version: Version<T>) => V;
}

/** Called after each change. If it throws, the others still run and the change stands; the error becomes a warning. */
export type Listener<V> = (state: V) => void;

/** Computes the next content from the newest version; undefined to leave it as it is. */
type Plan<T> = (newest: Version<T> | undefined) => Awaitable<T | undefined>;

interface Entry<V> {
  readonly listener: Listener<V>;
  readonly failed: ((error: unknown) => void) | undefined;
}

/**
 * So that of many that want to change a document at once, not all do the work of an attempt at the same time. A server has
 * the work of each attempt, and the lost ones hold up the others, so there the pause doubles with each loss, so often: eight
 * agents on three members of etcd then need 2.4 attempts a claim, where they needed 4.
 */
const LONGEST_PAUSE_MS = 20;
const MOST_DOUBLINGS = 4;

/**
 * A document of which each version is kept, wherever it lives: a list of todos or the tasks of a team. Others may change it
 * at any time. Whatever reads or writes may throw a StateError, or reject with one; then nothing was changed, unless its
 * message says so.
 */
export class Document<T, V, IsFar extends boolean = boolean> {
  protected readonly place: SharedPlace<T>;
  protected readonly now: () => Date;
  readonly #view: View<T, V>;
  readonly #listeners = new Set<Entry<V>>();
  #latest: Version<T> | undefined;
  #seen: V;
  #isRead = false;
  #endWatch: (() => void) | undefined;
  #isFollowed = false;
  #isLooking = false;
  #isDue = false;
  #hasFailed = false;

  constructor(place: SharedPlace<T>, view: View<T, V>, now: () => Date) {
    this.place = place;
    this.now = now;
    this.#view = view;
    this.#seen = view.empty;
  }

  /** Who signs what is written through this object. */
  get author(): string {
    return this.place.author;
  }

  /** Whether it is on a server. */
  get isFar(): IsFar {
    return (this.place.isFar ?? false) as IsFar;
  }

  /** As it was when it was last read, written or heard of. Never fails. */
  get seen(): V {
    return this.#seen;
  }

  /** As it is. Later changes do not alter what was returned. */
  read(): Now<IsFar, V> {
    return whenDone(this.place.load(), (newest) => this.show(newest)) as Now<IsFar, V>;
  }

  /** The same for whoever cannot wait: what is far is as it was seen last. */
  get(): V {
    return this.isFar ? this.#seen : (this.read() as V);
  }

  /** The same for whoever asks often: what is far and was read once is not read again. */
  recent(): Now<IsFar, V> {
    return this.isFar && this.#isRead ? (this.#seen as Now<IsFar, V>) : this.read();
  }

  /** The versions that are kept, newest first. */
  history(range?: HistoryRange): Now<IsFar, V[]> {
    return whenDone(this.versions(range), (versions) => [...versions]) as Now<IsFar, V[]>;
  }

  /** The same; what is near is read only as it is asked for. */
  versions(range?: HistoryRange): Now<IsFar, Iterable<V>> {
    const of = this.#view.of;
    return whenDone(this.place.history(range), function* (versions): Generator<V> {
      for (const version of versions) yield of(version);
    }) as Now<IsFar, Iterable<V>>;
  }

  /** The same for whoever cannot wait: of what is far, what was seen last. */
  *newestFirst(): Generator<V> {
    if (this.isFar) yield this.#seen;
    else yield* this.versions() as Iterable<V>;
  }

  /** From now on, what is seen is kept up to date, whoever makes a change. */
  follow(): void {
    if (this.#isFollowed) return;
    this.#isFollowed = true;
    this.onChange(() => {});
    try {
      if (this.isFar) this.#look();
      else this.read();
    } catch {
      // The first command that needs it will say what is wrong with it.
    }
  }

  /**
   * Calls `listener` with each later state, not with the current one.
   *
   * @param failed called if a new state cannot be read. Without it, that becomes a warning where the document is near.
   * @returns what ends it.
   */
  onChange(listener: Listener<V>, failed?: (error: unknown) => void): () => void {
    const entry = { listener, failed };
    this.#listeners.add(entry);
    this.#endWatch ??= this.place.watch(() => this.#look());
    return () => {
      this.#listeners.delete(entry);
      if (this.#listeners.size > 0) return;
      this.#endWatch?.();
      this.#endWatch = undefined;
    };
  }

  /**
   * Makes a version of a content that is computed from the newest one; computed again where somebody else was quicker.
   *
   * @returns undefined where the plan was to leave it as it is.
   */
  compute(plan: Plan<T>): Now<IsFar, V | undefined> {
    return inSteps(this.#compute(plan)) as Now<IsFar, V | undefined>;
  }

  /** Makes this the version after `base`. @returns undefined where that is no longer the newest. */
  protected *commit(base: number, content: T, at = this.now()): Stepwise<V | undefined> {
    const committed = yield* settled(this.place.commit(base, content, at));
    return committed && this.show(committed);
  }

  /**
   * Tries until it gives something: until no other change comes in between.
   *
   * @param mayWait whether there may be pauses in between; on a server there always are.
   */
  protected *untilMade<Made>(
    attempt: () => Stepwise<Made | undefined>,
    mayWait: boolean = this.isFar,
  ): Stepwise<Made> {
    for (let losses = 0; ; losses++) {
      const made = yield* attempt();
      if (made !== undefined) return made;
      const doublings = this.isFar ? Math.min(losses, MOST_DOUBLINGS) : 0;
      if (mayWait) yield* settled(pause(Math.random() * LONGEST_PAUSE_MS * 2 ** doublings));
    }
  }

  /** One state for each version: listeners, the writer and who looks later get the same. */
  protected show(newest: Version<T> | undefined): V {
    this.#isRead = true;
    if (newest === this.#latest || (this.isFar && isSame(newest, this.#latest))) return this.#seen;
    this.#latest = newest;
    this.#seen = newest ? this.#view.of(newest) : this.#view.empty;
    // What is near tells when it changes, not when it is read: its readers may be its listeners.
    if (this.isFar) this.#tell(this.#seen);
    return this.#seen;
  }

  *#compute(plan: Plan<T>): Stepwise<V | undefined> {
    const { made } = yield* this.untilMade(() => this.#attempt(plan));
    return made;
  }

  *#attempt(plan: Plan<T>): Stepwise<{ made: V | undefined } | undefined> {
    const newest = yield* settled(this.place.load());
    const content = yield* settled(plan(newest));
    if (content === undefined) return { made: undefined };
    const made = yield* this.commit(newest?.version ?? 0, content);
    return made && { made };
  }

  #look(): void {
    if (this.isFar) {
      this.#isDue = true;
      if (!this.#isLooking) void this.#lookFar();
      return;
    }
    try {
      const state = this.read() as V;
      if (this.#latest?.damage) process.emitWarning(this.#latest.damage.message);
      this.#tell(state);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** One look at a time: a server may answer them out of order. */
  async #lookFar(): Promise<void> {
    this.#isLooking = true;
    while (this.#isDue) {
      this.#isDue = false;
      const before = this.#seen;
      try {
        const newest = await this.place.load();
        // What was seen meanwhile may be newer.
        if (this.#seen === before) this.show(newest);
        else this.#isDue = true;
        if (this.#hasFailed) this.#tell(this.#seen);
        this.#hasFailed = false;
      } catch (error) {
        this.#hasFailed = true;
        this.#fail(error);
      }
    }
    this.#isLooking = false;
  }

  #tell(state: V): void {
    for (const { listener } of [...this.#listeners]) withWarning(() => listener(state));
  }

  #fail(error: unknown): void {
    const entries = [...this.#listeners];
    for (const { failed } of entries) failed?.(error);
    if (!this.isFar && entries.some(({ failed }) => failed === undefined)) warn(error);
  }
}

/** A number alone does not tell: someone may have deleted the document, and begun another one. */
function isSame<T>(a: Version<T> | undefined, b: Version<T> | undefined): boolean {
  return a?.version === b?.version && a?.by === b?.by && +(a?.at ?? 0) === +(b?.at ?? 0);
}

/** The update stands, and the other listeners must run; a warning keeps the error from being lost. */
function withWarning(action: () => void): void {
  try {
    action();
  } catch (error) {
    warn(error);
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
}

/** Node's own would be one more module that each start of a command loads. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
