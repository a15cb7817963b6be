import type { Place, Version } from './place.ts';
import { StateError } from './state-error.ts';

/** How one content becomes the next, in a form that JSON can hold. */
export interface Steps<T, Step> {
  /** What is there before the first version. */
  readonly empty: T;
  readonly between: (before: T, after: T) => Step;
  /** Takes several steps, the first one first; so a large content is copied once, not once a step. */
  readonly apply: (before: T, steps: readonly Step[]) => T;
}

/** What is stored for one version: the step from the version before it or, now and then, from the empty content. */
export interface LogEntry<Step> {
  readonly isWhole: boolean;
  readonly step: Step;
}

/** After so many steps the whole content is stored again, so that no more than these are ever read. */
const STEPS_PER_WHOLE = 50;

/** How much of the history the entries' place must keep, so that there is always a whole to start from. */
export const ENTRIES_KEPT = 3 * STEPS_PER_WHOLE;

/**
 * A place for what is too large to be written anew at each change: of most versions only the step is stored. What it
 * promises is what the place of its entries promises, since a version is still one entry, committed in one piece.
 */
export class LogPlace<T, Step> implements Place<T> {
  readonly #entries: Place<LogEntry<Step>>;
  readonly #steps: Steps<T, Step>;
  #latest: { version: Version<T>; stepsSinceWhole: number } | undefined;

  /** @param entries where the entries live; it keeps at least ENTRIES_KEPT of them. */
  constructor(entries: Place<LogEntry<Step>>, steps: Steps<T, Step>) {
    this.#entries = entries;
    this.#steps = steps;
  }

  load(): Version<T> | undefined {
    let missed: number | undefined;
    for (;;) {
      const found = this.#entriesToApply();
      if (found === undefined) return undefined;
      if (found.isComplete) return this.#apply(found.entries);
      // Others may have gone on so fast that old entries were removed while they were read; not so if nothing moved.
      const newest = found.entries[0]?.version;
      if (missed === newest) {
        throw new StateError(`the versions that version ${newest} builds upon are missing`);
      }
      missed = newest;
    }
  }

  *history(): Generator<Version<T>> {
    const entries = [...this.#entries.history()];
    const oldestWhole = entries.findLastIndex(({ content }) => content.isWhole);
    let content = this.#steps.empty;
    const versions: Version<T>[] = [];
    for (const entry of entries.slice(0, oldestWhole + 1).reverse()) {
      const { isWhole, step } = entry.content;
      content = this.#steps.apply(isWhole ? this.#steps.empty : content, [step]);
      versions.push({ ...entry, content });
    }
    yield* versions.reverse();
  }

  commit(base: number, content: T, at: Date): Version<T> | undefined {
    const from = this.#latest?.version.version === base ? this.#latest.version : this.load();
    if ((from?.version ?? 0) !== base) return undefined;
    const stepsSinceWhole = (this.#latest?.stepsSinceWhole ?? STEPS_PER_WHOLE) + 1;
    const isWhole = from === undefined || stepsSinceWhole >= STEPS_PER_WHOLE;
    const before = isWhole ? this.#steps.empty : from.content;
    const entry = { isWhole, step: this.#steps.between(before, content) };
    const committed = this.#entries.commit(base, entry, at);
    if (committed === undefined) return undefined;
    const version = { ...committed, content };
    this.#latest = { version, stepsSinceWhole: isWhole ? 0 : stepsSinceWhole };
    return version;
  }

  watch(listener: () => void): () => void {
    return this.#entries.watch(listener);
  }

  /** The newest entries, down to one that what is known already, or what is whole, makes the first to apply. */
  #entriesToApply(): { entries: Version<LogEntry<Step>>[]; isComplete: boolean } | undefined {
    const entries: Version<LogEntry<Step>>[] = [];
    for (const entry of this.#entries.history()) {
      entries.push(entry);
      if (entry.content.isWhole || this.#isLatest(entry)) return { entries, isComplete: true };
    }
    return entries.length === 0 ? undefined : { entries, isComplete: false };
  }

  #apply(newestFirst: Version<LogEntry<Step>>[]): Version<T> {
    const oldest = newestFirst.at(-1) as Version<LogEntry<Step>>;
    const known = this.#isLatest(oldest) ? this.#latest : undefined;
    const newest = newestFirst[0] as Version<LogEntry<Step>>;
    if (known && newest === oldest) return known.version;
    const steps = newestFirst
      .slice(0, known ? -1 : undefined)
      .reverse()
      .map(({ content }) => content.step);
    const content = this.#steps.apply(known?.version.content ?? this.#steps.empty, steps);
    const version = { ...newest, content };
    const stepsBefore = known ? known.stepsSinceWhole : -1;
    this.#latest = { version, stepsSinceWhole: stepsBefore + steps.length };
    return version;
  }

  /** A number alone does not tell: someone may have deleted the list, and begun another one. */
  #isLatest({ version, at, by }: Version<LogEntry<Step>>): boolean {
    const latest = this.#latest?.version;
    return version === latest?.version && by === latest.by && +at === +latest.at;
  }
}
