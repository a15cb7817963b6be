import { DamagedVersion } from '../base/command/state-error.ts';
import { DEFAULT_HISTORY } from '../base/settings/settings.ts';
import type { Awaitable } from './maybe-async.ts';

/** The largest number of a version, in files and on servers. */
export const LAST_VERSION = 999_999_999_999_999;

/** One version of a place's content. It never changes. */
export interface Version<T> {
  /** 1, 2, 3, ... without gaps. A place that was never written is at version 0. */
  readonly version: number;
  /** When it was made. */
  readonly at: Date;
  /** The agent that made it. */
  readonly by: string;
  readonly content: T;
  /** Why the version after this one cannot be read. If that is the newest, this one has its number, for the next commit. */
  readonly damage?: string;
}

/** The number is not enough: someone may have deleted the document and begun another one. */
export function isSameVersion(
  a: Version<unknown> | undefined,
  b: Version<unknown> | undefined,
): boolean {
  if (a === b) return true;
  return (
    a?.version === b?.version &&
    a?.by === b?.by &&
    a?.at.getTime() === b?.at.getTime() &&
    a?.damage === b?.damage
  );
}

/** Returns what is wrong with content that was read, such as `item 3 has an invalid status`; undefined if nothing is. */
export type ContentProblem = (content: unknown) => string | undefined;

export interface PlaceOptions {
  /** The author of what is committed through the place; default: `main`. */
  readonly author: string;
  /** How many versions to keep, the newest included; default: 50. */
  readonly history: number;
  /** Without it, content that was read is taken for a `T`. Anyone who can write to the place can write anything. */
  readonly check?: ContentProblem;
  /** Called before the first version is written to files. */
  readonly begins?: (() => void) | undefined;
}

/** The newest so many versions, or those from this number on. */
export interface HistoryRange {
  readonly newest?: number;
  readonly from?: number;
}

/**
 * The whole versions, newest first.
 *
 * @throws DamagedVersion if none is whole.
 */
export function* wholeOnes<Whole extends Version<unknown>>(
  newestFirst: Iterable<Whole | DamagedVersion>,
): Generator<Whole> {
  let isAnyWhole = false;
  let damaged: DamagedVersion | undefined;
  for (const found of newestFirst) {
    if (found instanceof DamagedVersion) {
      damaged ??= found;
      continue;
    }
    if (damaged) {
      const damage = `${damaged.message}; version ${found.version} stands in for it`;
      yield { ...found, version: isAnyWhole ? found.version : damaged.version, damage };
    } else yield found;
    [isAnyWhole, damaged] = [true, undefined];
  }
  if (!isAnyWhole && damaged) throw damaged;
}

/** Why there is no such version. @param kept newest first. */
export function notKeptText(version: number, kept: readonly number[]): string {
  const before = kept.find((one) => one < version);
  const after = kept.findLast((one) => one > version);
  if (kept.length === 0) return 'the list was never written';
  // Between two that are kept, it is damaged or lost.
  if (before && after) return `${before} and ${after} are the nearest kept`;
  return `versions ${kept.at(-1)} to ${kept[0]} are kept`;
}

/** Distinguishes attempts of several processes at the same version. */
export function newId(): string {
  return Math.floor(Math.random() * 36 ** 8)
    .toString(36)
    .padStart(8, '0');
}

/**
 * Where a list lives: in memory, in a folder, on a server, or in a place of your own; synchronous or not.
 *
 * All of them may throw a StateError; then nothing was changed, unless its message says so.
 */
export interface AnyPlace<T> {
  /** True if all that is asked of it comes over a network; false unless given. */
  readonly isFar?: boolean;
  /** Runs a change with all its attempts, over a network, within a time limit. */
  readonly limited?: (<Made>(change: () => Promise<Made>) => Promise<Made>) | undefined;
  /** The author of what is committed through this place. */
  readonly author: string;
  /** The newest version, or undefined if there is none yet. @throws DamagedVersion if none of the kept ones is whole. */
  load(): Awaitable<Version<T> | undefined>;
  /** The kept versions, newest first; only those of `range` if reading more would be expensive. */
  history(range?: HistoryRange): Awaitable<Iterable<Version<T>>>;
  /**
   * Makes `content` the version after `base`, whole and for good, or does nothing at all.
   *
   * @param base the number of the version to replace; 0 if there is none.
   * @param at when the new version is made.
   * @returns the new version; undefined if `base` is not, or no longer, the newest.
   */
  commit(base: number, content: T, at: Date): Awaitable<Version<T> | undefined>;
  /**
   * Calls back soon after the newest version has become another, whoever made it, and when it can no longer be read, or can
   * again; changes that come close together may be one call. What is committed through this place itself is called back for
   * before `commit` returns. Never throws.
   *
   * @returns a function that stops it.
   */
  watch(listener: () => void): () => void;
}

/** A synchronous place: memory or files. */
export interface Place<T> extends AnyPlace<T> {
  load(): Version<T> | undefined;
  /** Each is read only when the iterator gets there. */
  history(): Iterable<Version<T>>;
  commit(base: number, content: T, at: Date): Version<T> | undefined;
}

/** The author of a list if no other name is given. */
export const DEFAULT_AGENT = 'main';

/** The author of a person's changes. */
export const USER = 'user';

/** A place that ends with the process. Content is kept as given, not copied. */
export class MemoryPlace<T> implements Place<T> {
  readonly author: string;
  readonly #history: number;
  readonly #listeners = new Set<{ listener: () => void }>();
  /** Oldest first. */
  readonly #versions: Version<T>[] = [];

  constructor({ author = DEFAULT_AGENT, history = DEFAULT_HISTORY } = {}) {
    this.author = author;
    this.#history = history;
  }

  load(): Version<T> | undefined {
    return this.#versions.at(-1);
  }

  history(): Iterable<Version<T>> {
    return this.#versions.toReversed();
  }

  commit(base: number, content: T, at: Date): Version<T> | undefined {
    if (base !== (this.load()?.version ?? 0)) return undefined;
    const version = Object.freeze({ version: base + 1, at, by: this.author, content });
    this.#versions.push(version);
    if (this.#versions.length > this.#history) this.#versions.shift();
    for (const { listener } of [...this.#listeners]) listener();
    return version;
  }

  watch(listener: () => void): () => void {
    const entry = { listener };
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }
}
