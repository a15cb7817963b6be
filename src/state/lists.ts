import type { Awaitable, ContentCheck, SharedPlace } from './place.ts';

/** How one list is opened. */
export interface PlaceOptions {
  /** Who signs what is written. */
  readonly author: string;
  /** How many versions to keep, the newest included. */
  readonly history: number;
  /** What is wrong with a content that somebody else may have written. */
  readonly check?: ContentCheck;
  /** Called before the first version is written to files. */
  readonly begins?: (() => void) | undefined;
}

/** A list that was found. */
export interface FoundList {
  /** What it is found by, which tells it from all others. */
  readonly key: string;
  /** The names that this is made of, such as `['todos', SESSION, AGENT]`; of one that is too long, what is left of it. */
  readonly path: readonly string[];
  /** The number of its newest version. */
  readonly version: number;
  /** When it was changed, as its folder tells, in milliseconds since 1970; a server does not tell. */
  readonly changedAt?: number;
}

/**
 * Where lists live: a folder or a server. A list is found by its key: `todos/SESSION/AGENT` or `tasks/LIST`, with names as
 * `pathName` makes them. All may throw a StateError, or reject with one.
 */
export interface Lists {
  /** Whether all that is asked of its lists has to be waited for. */
  readonly isFar: boolean;
  /** What it is and where, without any secret. */
  name(): Awaitable<string>;
  /** The list of this key. It need not be there yet. */
  place<T>(key: string, options: PlaceOptions): SharedPlace<T>;
  /** The lists below a key, in its order: `todos` has those of all sessions, `todos/SESSION` those of one. */
  find(key: string): Awaitable<FoundList[]>;
  /**
   * Calls back soon after any list below a key has changed, come or gone, and when they can no longer be looked for, or can
   * again; several changes may be one call. Never throws. Returns what ends it.
   */
  watch(key: string, listener: () => void): () => void;
  /** Removes a list with all its versions. @returns whether it did: not if it is no longer at this version. */
  remove(key: string, version: number): Awaitable<boolean>;
  /** Changes nothing. @throws StateError where the list of this key could not be written. */
  checkWriting(key: string): Awaitable<void>;
  /** Ends its connections. */
  close(): Awaitable<void>;
}
