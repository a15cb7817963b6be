import { dirname, join } from 'node:path';
import { discard, makeFolder, syncFolder, writeDurably } from './durable-files.ts';
import type { FileSystem } from './file-system.ts';
import {
  type FolderReading,
  headFile,
  readNames,
  type VersionName,
  versionFile,
} from './folder-names.ts';
import type { ContentCheck } from './place.ts';
import { attempt, DamagedVersion, errorCode, StateError } from './state-error.ts';
import { decodeVersion, type StoredVersion } from './version-file.ts';

/** How often to reread a folder that seems to have no head: it may have been read while the head was being renamed. */
const MOST_READINGS = 100;

/** The suffix of a list's folder while it is being created. No other name ends like this. */
export const UNFINISHED = '~new';

const VERSION_0: VersionName = { version: 0, id: '' };

/**
 * The files of one list: a file for each version, never changed once it is written, and one empty file, the head,
 * whose name says which version is the newest.
 *
 * A commit is one rename of the head. Nobody can rename what is no longer there, so of several that started from the
 * same version one succeeds; and since names of heads are never used twice, one that was held up for however long
 * fails too. (The number of a removed version could be taken again by one that links a file to it.)
 */
export class VersionFolder<T> {
  readonly path: string;
  readonly #fs: FileSystem;
  readonly #check: ContentCheck | undefined;

  constructor(path: string, fs: FileSystem, check?: ContentCheck) {
    this.path = path;
    this.#fs = fs;
    this.#check = check;
  }

  list(): FolderReading {
    for (let reading = 1; ; reading++) {
      const found = readNames(this.#names());
      if (found.head !== undefined || found.versions.length === 0) return found;
      if (reading === MOST_READINGS) {
        throw new StateError(
          `${this.path} is damaged: no head-... file says which version is the newest; for the version N-ID.json, make an empty file head-N-ID`,
        );
      }
    }
  }

  /** @returns undefined if the file is not there. @throws DamagedVersion where it holds no version, or another one. */
  read(name: VersionName): StoredVersion<T> | undefined {
    const path = this.#pathOf(name);
    let bytes: Buffer;
    try {
      bytes = attempt('read', path, () => this.#fs.read(path));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
    const stored = decodeVersion<T>(bytes);
    if ('newerFormat' in stored) throw new StateError(`${path} ${stored.newerFormat}`);
    const problem = 'problem' in stored ? stored.problem : this.#problemOf(stored, name);
    if (problem === undefined) return stored as StoredVersion<T>;
    throw new DamagedVersion(`${path} is damaged: ${problem}`, name.version);
  }

  #problemOf({ version, content }: StoredVersion<T>, name: VersionName): string | undefined {
    return version === name.version ? this.#check?.(content) : `it holds version ${version}`;
  }

  /** The error for a version that should be there and is not. */
  missing(name: VersionName): DamagedVersion {
    const message = `${this.#pathOf(name)} is missing, but ${headFile(name)} names it as the newest`;
    return new DamagedVersion(message, name.version);
  }

  /**
   * Makes the folder with the head of version 0 in it, if it is not there. It appears with its head or not at all,
   * so this head too is made only once. All steps may be done by several at once, or be done again after a crash.
   */
  create(): VersionName {
    const session = dirname(this.path);
    const unfinished = this.path + UNFINISHED;
    makeFolder(this.#fs, session);
    makeFolder(this.#fs, unfinished);
    try {
      const head = join(unfinished, headFile(VERSION_0));
      const descriptor = attempt('create', head, () => this.#fs.open(head, 'a', 0o600));
      attempt('close', head, () => this.#fs.close(descriptor));
      attempt('make the folder', this.path, () => this.#fs.rename(unfinished, this.path));
      syncFolder(this.#fs, session);
    } catch (error) {
      const isTaken = ['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '');
      if (isTaken) this.#removeUnfinished(unfinished);
      // Someone else may have been quicker, with this same folder or with one before.
      if (this.list().head === undefined) throw error;
    }
    return VERSION_0;
  }

  /**
   * Adds a version and makes it the newest, durably.
   *
   * @returns false, and nothing is changed, where `from` is not, or no longer, the newest.
   */
  add(from: VersionName, to: VersionName, bytes: Buffer): boolean {
    const path = this.#pathOf(to);
    try {
      writeDurably(this.#fs, path, bytes);
      this.#replaceHead(from, to);
    } catch (error) {
      if (errorCode(error) === 'ENOENT' && !this.#isHead(from)) return false;
      throw error;
    }
    try {
      syncFolder(this.#fs, this.path);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StateError(`the list was replaced, but may not survive a power cut: ${reason}`, {
        cause: error,
      });
    }
    return true;
  }

  remove(names: Iterable<VersionName>): void {
    for (const name of names) discard(this.#fs, this.#pathOf(name));
  }

  #replaceHead(from: VersionName, to: VersionName): void {
    const head = join(this.path, headFile(from));
    try {
      attempt('replace', head, () => this.#fs.rename(head, join(this.path, headFile(to))));
    } catch (error) {
      // It may have happened anyway: network file systems do it, lose the answer, and try again.
      const now = this.#headAfter(error);
      if (isSame(now, to) && errorCode(error) === 'ENOENT') return;
      const isUndone = errorCode(error) === 'ENOENT' || isSame(now, from);
      if (!isUndone) throw notKnown(error);
      discard(this.#fs, this.#pathOf(to));
      throw error;
    }
  }

  #names(): string[] {
    try {
      return attempt('read', this.path, () => this.#fs.readdir(this.path));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  #isHead(name: VersionName): boolean {
    return isSame(this.list().head, name);
  }

  /** The head when a rename has failed. */
  #headAfter(error: unknown): VersionName | undefined {
    try {
      return this.list().head;
    } catch {
      throw notKnown(error);
    }
  }

  #removeUnfinished(path: string): void {
    discard(this.#fs, join(path, headFile(VERSION_0)));
    try {
      this.#fs.rmdir(path);
    } catch {
      // Another process is making it again; it will come here too.
    }
  }

  #pathOf(name: VersionName): string {
    return join(this.path, versionFile(name));
  }
}

function isSame(a: VersionName | undefined, b: VersionName): boolean {
  return a?.version === b.version && a.id === b.id;
}

function notKnown(cause: unknown): StateError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StateError(
    `it is not known whether the list was replaced, so read it before you write again: ${reason}`,
    { cause },
  );
}
