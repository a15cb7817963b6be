import { DamagedVersion } from '../base/command/state-error.ts';
import { type Awaitable, type MaybeAsync, maybeAsync, settled, whenDone } from './maybe-async.ts';
import { type AnyPlace, type HistoryRange, isSameVersion, type Version } from './place.ts';

/** How one content becomes the next, in a form that JSON can hold. */
export interface Steps<T, Step> {
  readonly empty: T;
  readonly between: (before: T, after: T) => Step;
  /** Applies several steps in order, so that a large content is copied only once. */
  readonly apply: (before: T, steps: readonly Step[]) => T;
  /** Roughly, in bytes. */
  readonly size: (content: T) => number;
}

/** The stored content of a version: the step from the version before it or, now and then, from the empty content. */
export interface LogEntry<Step> {
  readonly isWhole: boolean;
  readonly step: Step;
}

/** At least every 50th version stores the whole content, so that at most 50 are ever read. */
const STEPS_PER_WHOLE = 50;
/**
 * Reading one more file costs a command as much as reading 16 KB more of one. So small contents are stored whole in each
 * version, larger ones only in every Nth, such that a version takes at most that much on average. Each spacing divides the
 * largest, so there is a whole one among 50 versions, however the content grows.
 */
const SPACINGS = [1, 2, 5, 10, 25, STEPS_PER_WHOLE];
const BYTES_PER_VERSION = 16 * 1024;

/** How many versions the entries' place must keep, so that there is always a whole one to start from. */
export const ENTRIES_KEPT = 3 * STEPS_PER_WHOLE;

type LogVersion<Step> = Version<LogEntry<Step>>;

/**
 * A place for content that is too large to write at each change: most versions store only the step. Its guarantees are
 * those of the entries' place, since a version is one entry, committed in one piece; it is synchronous if that place is.
 */
export class LogPlace<T, Step> implements AnyPlace<T> {
  readonly #entries: AnyPlace<LogEntry<Step>>;
  readonly #steps: Steps<T, Step>;
  /** The newest version that was read or committed here, never a damaged one. */
  #latest: Version<T> | undefined;

  /** @param entries keeps at least ENTRIES_KEPT versions. */
  constructor(entries: AnyPlace<LogEntry<Step>>, steps: Steps<T, Step>) {
    this.#entries = entries;
    this.#steps = steps;
  }

  get isFar(): boolean {
    return this.#entries.isFar ?? false;
  }

  get limited(): AnyPlace<T>['limited'] {
    return this.#entries.limited?.bind(this.#entries);
  }

  get author(): string {
    return this.#entries.author;
  }

  load(): Awaitable<Version<T> | undefined> {
    return maybeAsync(this.#load());
  }

  /** Each version is computed, and in memory or files read, only when the iterator gets there. */
  history(): Awaitable<Iterable<Version<T>>> {
    return whenDone(this.#entries.history(), (newestFirst) => this.#versions(newestFirst));
  }

  commit(base: number, content: T, at: Date): Awaitable<Version<T> | undefined> {
    return maybeAsync(this.#commit(base, content, at));
  }

  watch(listener: () => void): () => void {
    return this.#entries.watch(listener);
  }

  *#commit(base: number, content: T, at: Date): MaybeAsync<Version<T> | undefined> {
    const before = this.#latest?.version === base ? this.#latest : yield* this.#load();
    if ((before?.version ?? 0) !== base) return undefined;
    const mayBuild = before !== undefined && before.damage === undefined;
    const asStep = mayBuild && base % this.#spacing(content) !== 0;
    const step = this.#steps.between(asStep ? before.content : this.#steps.empty, content);
    const committed = yield* settled(this.#entries.commit(base, { isWhole: !asStep, step }, at));
    if (committed !== undefined) this.#latest = { ...committed, content };
    return committed && this.#latest;
  }

  /** A server returns all entries in one answer, and has more work with large ones. */
  #spacing(content: T): number {
    if (this.isFar) return STEPS_PER_WHOLE;
    const size = this.#steps.size(content);
    return SPACINGS.find((spacing) => size <= spacing * BYTES_PER_VERSION) ?? STEPS_PER_WHOLE;
  }

  /**
   * Collects entries down to a whole or known one, and builds the versions upon it; then continues with older ones. Those that
   * build upon one that cannot be read cannot be read either.
   *
   * @param read receives each entry that was read.
   */
  *#versions(
    newestFirst: Iterable<LogVersion<Step>>,
    read: LogVersion<Step>[] = [],
  ): Generator<Version<T>> {
    let entries: LogVersion<Step>[] = [];
    let isNewest = true;
    for (const entry of newestFirst) {
      // 1. Collect entries down to a whole or known one.
      read.push(entry);
      if (entry.damage) entries = [];
      entries.push(entry);
      const known = isSameVersion(entry, this.#latest) ? this.#latest : undefined;
      if (!known && !entry.content.isWhole) continue;
      // 2. Build the versions upon it. The newest one stands in for damaged ones after it.
      for (const found of this.#built(entries, known)) {
        // 3. Keep the newest one, for the next reading to start from.
        if (!found.damage && found.version > (this.#latest?.version ?? 0)) this.#latest = found;
        yield isNewest ? { ...found, version: read[0]?.version ?? found.version } : found;
        isNewest = false;
      }
      entries = [];
    }
  }

  /** @param known the version of the last entry, if that is known, else the entry is whole. */
  *#built(entries: readonly LogVersion<Step>[], known?: Version<T>): Generator<Version<T>> {
    const steps = entries.map(({ content }) => content.step).reverse();
    const start = known?.content ?? this.#steps.apply(this.#steps.empty, steps.slice(0, 1));
    for (const [back, version] of entries.entries()) {
      const later = steps.slice(1, steps.length - back);
      const content = later.length > 0 ? this.#steps.apply(start, later) : start;
      yield later.length === 0 && known ? known : { ...version, content };
    }
  }

  /** Reads those since the known version; the newest ones, since that may be gone; all, since a whole one may be damaged. */
  *#load(): MaybeAsync<Version<T> | undefined> {
    const ranges: HistoryRange[] = [{ newest: STEPS_PER_WHOLE }];
    if (this.#latest) ranges.unshift({ from: this.#latest.version });
    let missed: number | undefined;
    for (;;) {
      const range = ranges.shift();
      const read: LogVersion<Step>[] = [];
      const [version] = this.#versions(yield* settled(this.#entries.history(range)), read);
      if (version) return version;
      this.#latest = undefined;
      const [head] = read;
      if (head === undefined && range?.from === undefined) return undefined;
      if (head === undefined || range !== undefined) continue;
      // Other writers may be so fast that old entries are removed while they are read, but not if nothing has moved.
      if (missed === head.version) {
        const problem = `the versions that version ${head.version} builds upon are missing`;
        throw new DamagedVersion(
          read.findLast(({ damage }) => damage)?.damage ?? problem,
          head.version,
        );
      }
      missed = head.version;
    }
  }
}
