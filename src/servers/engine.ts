import type { HistoryRange } from '../lists/place.ts';
import type { Bell, Sighting } from './version-watch.ts';

/**
 * A server with versions of lists. A list has a key, such as `todos/SESSION/AGENT`; a prefix ends in a slash and means all
 * lists below it. All methods may reject with a StateError unless noted.
 */
export interface Engine {
  /** Kind and address, without secrets. */
  readonly name: string;
  /** The server's name and the list's, for errors. */
  where(key: string): string;
  /** The request's own work counts as time of the command. @param request receives its deadline. */
  timed<T>(request: (deadline: number) => Promise<T>): Promise<T>;
  /** Limits the time of all requests of a change, unless its command has a limit. */
  limited<T>(change: () => Promise<T>): Promise<T>;
  /** Newest first. */
  read(key: string, range: HistoryRange): Promise<StoredOnServer[]>;
  /** 0 if there is none. */
  newest(key: string): Promise<number>;
  /** Stores the version after `base`. Returns false if `base` is not the newest. */
  commit(key: string, version: NewVersion): Promise<boolean>;
  /** With the newest version of each. */
  lists(prefix: string): Promise<{ readonly key: string; readonly version: number }[]>;
  /** Distinguishes one state of all lists below a prefix from another. */
  lastChange(prefix: string): Promise<Sighting>;
  /** Announces changes below a prefix. */
  bell(prefix: string): Bell;
  /** Creates what the engine needs before the first list. */
  init(): Promise<void>;
  /** Changes nothing. @throws StateError if a list of this key could not be written. */
  probeWriting(key: string): Promise<void>;
  /** A report on its servers, one line each. */
  status(): Promise<string[]>;
  close(): void;
}

export interface StoredOnServer {
  readonly version: number;
  readonly bytes: Buffer;
}

export interface NewVersion {
  /** The version that it replaces. */
  readonly base: number;
  readonly bytes: Buffer;
  /** Unique: a writer whose answer was lost recognizes its version by it on a retry. */
  readonly id: string;
  /** How many versions to keep, this one included. */
  readonly history: number;
}
