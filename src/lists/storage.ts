import {
  accessSync,
  constants,
  existsSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, StateError } from '../base/command/state-error.ts';
import type { Environment } from '../base/environment.ts';
import { orElse } from '../base/system/files.ts';
import { FilePlace } from './file-place.ts';
import { nodeFileSystem } from './file-system.ts';
import { enclosing, folderOfKey, listNamesIn, shownPathName } from './list-paths.ts';
import type { Awaitable } from './maybe-async.ts';
import { type AnyPlace, newId, type PlaceOptions } from './place.ts';
import { VersionFolder } from './version-folder.ts';
import { watchFolder } from './watch-folder.ts';

export interface FoundList {
  readonly key: string;
  /** The names in the key, such as `['todos', SESSION, AGENT]`; truncated if too long. */
  readonly path: readonly string[];
  /** The number of its newest version. */
  readonly version: number;
  /** When the folder changed, in milliseconds since 1970; undefined on a server. */
  readonly changedAt?: number;
}

/** Why a server's lists are not removed here. */
export const REMOVED_THERE =
  'lists on a server are removed there, with its own tools: docs/machines.md';

/**
 * A folder or a server with lists. A list has a key, `todos/SESSION/AGENT` or `tasks/LIST`, of names from `pathName`. All
 * methods may throw a StateError, or reject with one.
 */
export interface ListStorage {
  /** Kind and address, without secrets. */
  name(): Awaitable<string>;
  /** The list need not exist yet. */
  place<T>(key: string, options: PlaceOptions): AnyPlace<T>;
  /** The lists below a key, in order: `todos` for all sessions, `todos/SESSION` for one. */
  find(key: string): Awaitable<FoundList[]>;
  /**
   * Calls back soon after any list below a key was changed, created or removed, and when looking for them begins to fail or
   * works again; several changes may be one call. Never throws. Returns a function that stops it.
   *
   * @param listener gets the changed lists if they are all there is; without them, anything may have happened.
   */
  watch(key: string, listener: (changed?: readonly FoundList[]) => void): () => void;
  /** Removes a list with all its versions. @returns false if it is no longer at this version. */
  remove(key: string, version: number): Awaitable<boolean>;
  /** A report for a person, one line each. */
  status(): Awaitable<string[]>;
  /** Creates what the first list needs. */
  init(): Awaitable<void>;
  /** Changes nothing. @throws StateError if the list could not be written. */
  probeWriting(key: string): Awaitable<void>;
  close(): Awaitable<void>;
}

export interface ServerOptions {
  /** TODO_STATE_URL. */
  readonly url: string;
  /** For the server's own variables, certificates and passwords. */
  readonly environment: Environment;
  /** The time limit, in milliseconds, of a request outside of any command (TODO_STATE_TIMEOUT). */
  readonly timeoutMs: number;
}

export const OTHER_SCHEME =
  'TODO_STATE_URL must begin with etcd://, etcds:// or postgres://, as in etcd://127.0.0.1:2379/acme';

/** True for the URL of a server that our clients know. */
export function hasKnownScheme(url: string): boolean {
  return /^\s*(?:etcds?|postgres(?:ql)?):\/\//.test(url);
}

let client: ((options: ServerOptions) => ListStorage) | undefined;

/** A program that may use TODO_STATE_URL hands in the client, as with drivers of databases: lists know no server. */
export function useServers(connect: (options: ServerOptions) => ListStorage): void {
  client = connect;
}

/** The lists on a server. */
export function connectServer(options: ServerOptions): ListStorage {
  if (client) return client(options);
  throw new StateError('this program has no client for TODO_STATE_URL');
}

interface StorageFolder {
  /** Read when first needed. */
  readonly folder: string;
  /** Returns the path. Throws if it leads out of the folder. */
  trusted?(path: string): string;
}

export class FolderStorage implements ListStorage {
  readonly #home: StorageFolder;

  constructor(home: StorageFolder) {
    this.#home = home;
  }

  name(): string {
    return this.#home.folder;
  }

  place<T>(key: string, options: PlaceOptions): FilePlace<T> {
    return new FilePlace({ folder: this.#trustedFolder(key), ...options });
  }

  find(key: string): FoundList[] {
    const names = listNamesIn(this.#folderOf(key));
    if (key !== 'todos') return names.map((name) => this.#found(`${key}/${name}`));
    // Another user's sessions are skipped.
    return names.flatMap((name) => orElse(() => this.find(`${key}/${name}`), []));
  }

  watch(key: string, listener: () => void): () => void {
    const ends = new Map<string, () => void>();
    const folder = this.#folderOf(key);
    const look = () => {
      for (const list of foldersIn(folder)) {
        if (!ends.has(list)) ends.set(list, watchFolder(list, listener));
      }
    };
    const end = watchFolder(folder, () => {
      look();
      listener();
    });
    look();
    return () => {
      end();
      for (const endList of ends.values()) endList();
    };
  }

  remove(key: string, version: number): boolean {
    const folder = this.#trustedFolder(key);
    // A writer that comes now finds no list and begins one; a write since is not lost.
    const aside = `${folder}.${newId()}~`;
    return attempt('remove', folder, () => {
      renameSync(folder, aside);
      if ((new VersionFolder(aside, nodeFileSystem).list().head?.version ?? 0) !== version) {
        renameSync(aside, folder);
        return false;
      }
      rmSync(aside, { recursive: true });
      // Fails if it holds other lists.
      orElse(() => rmdirSync(dirname(folder)), undefined);
      return true;
    });
  }

  status(): string[] {
    return [`Lists are stored in files, in ${this.#home.folder}.`];
  }

  init(): void {
    throw new StateError('lists are stored in files, which need no init; set TODO_STATE_URL first');
  }

  probeWriting(key: string): void {
    const folder = this.#trustedFolder(key);
    // The error is about the list: what encloses it may be a folder of the system, which nobody should take over.
    const found = enclosing(folder, existsSync) ?? '/';
    attempt('write', folder, () => accessSync(found, constants.W_OK | constants.X_OK));
  }

  close(): void {}

  #trustedFolder(key: string): string {
    const folder = this.#folderOf(key);
    return this.#home.trusted?.(folder) ?? folder;
  }

  #folderOf(key: string): string {
    return folderOfKey(this.#home.folder, key);
  }

  /** Getters, so that files are read only when needed. */
  #found(key: string): FoundList {
    const folder = this.#folderOf(key);
    return {
      key,
      path: key.split('/').map(shownPathName),
      get version() {
        return new VersionFolder(folder, nodeFileSystem).list().head?.version ?? 0;
      },
      get changedAt() {
        // Each commit renames a file in the folder, which sets its time.
        return orElse(() => statSync(folder).mtimeMs, 0);
      },
    };
  }
}

function foldersIn(folder: string): string[] {
  // `find` reports that it cannot be read.
  return orElse(() => listNamesIn(folder), []).map((name) => join(folder, name));
}
