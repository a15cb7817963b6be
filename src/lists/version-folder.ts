import { dirname } from 'node:path';
import {
  DamagedVersion,
  errorCode,
  failure,
  notKnown,
  StateError,
} from '../base/command/state-error.ts';
import { codeOf, NotRegular, orElse } from '../base/system/files.ts';
import { discard, type FileSystem, makeFolder, syncFolder, writeDurably } from './file-system.ts';
import { type ContentProblem, LAST_VERSION } from './place.ts';
import { decodeVersion, type StoredVersion } from './version-file.ts';

/** A version's number, and an id that no other attempt at that number has. */
export interface VersionName {
  readonly version: number;
  /** `''` for version 0, which has no file. */
  readonly id: string;
}

/** The information in the file names. */
export interface FolderReading {
  /** The newest version; undefined if there is no list. */
  readonly head: VersionName | undefined;
  /** True if the head file is missing; `head` is then the newest version file. */
  readonly isHeadLost: boolean;
  /** The version files close to the head, including those of failed or unfinished attempts. */
  readonly versions: readonly VersionName[];
  /** True if others were put away. */
  readonly hasOlder: boolean;
}

const HEAD = /^head-(?:0|([1-9]\d{0,14})-([a-z0-9]+))$/;
const VERSION_FILE_NAME = /^([1-9]\d{0,14})-([a-z0-9]+)\.json$/;
const VERSION_0: VersionName = { version: 0, id: '' };

/** Versions far behind the head are in this folder, so many in each of its own folders. */
const OLDER = 'older~';
export const PUT_AWAY = 100;

/** A folder may seem to have no head if it is read while the head is renamed. */
const MOST_READINGS = 100;

/** The suffix of a list's folder during its creation. No other name ends like this. */
export const UNFINISHED = '~new';

/**
 * The files of one list: an immutable file for each version, `13-k3j9x2a1.json`, and an empty file, `head-13-k3j9x2a1`,
 * whose name says which version is the newest.
 *
 * A commit is one rename of the head, so of several that start from the same version one succeeds; and since heads' names
 * are never reused, a commit that was delayed for however long fails too. (A link to a file could reuse the number of a
 * removed version.)
 */
export class VersionFolder<T> {
  readonly path: string;
  readonly #fs: FileSystem;
  readonly #problemOf: ContentProblem | undefined;

  constructor(path: string, fs: FileSystem, problemOf?: ContentProblem) {
    this.path = path;
    this.#fs = fs;
    this.#problemOf = problemOf;
  }

  list(): FolderReading {
    for (let readings = 1; ; readings++) {
      const found = readNames(this.#names());
      if (found.head || found.versions.length === 0) return { ...found, isHeadLost: false };
      if (readings < MOST_READINGS) continue;
      const head = found.versions.reduce((a, b) => (b.version > a.version ? b : a));
      return { ...found, head, isHeadLost: true };
    }
  }

  /** Returns undefined if there is no file; the damage if it holds no version, or another one. */
  read(name: VersionName): StoredVersion<T> | DamagedVersion | undefined {
    const older = `${this.#older(name.version)}/${versionFile(name)}`;
    return this.#read(this.#pathOf(name), name) ?? this.#read(older, name);
  }

  #read(path: string, name: VersionName): StoredVersion<T> | DamagedVersion | undefined {
    let problem: string | undefined;
    try {
      const stored = decodeVersion<T>(this.#fs.read(path));
      if ('newerFormat' in stored) throw new StateError(`${path} ${stored.newerFormat}`);
      if ('problem' in stored) problem = stored.problem;
      else if (stored.version !== name.version) problem = `it holds version ${stored.version}`;
      else problem = this.#problemOf?.(stored.content);
      if (problem === undefined) return stored as StoredVersion<T>;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      if (!(error instanceof NotRegular))
        throw error instanceof StateError ? error : failure('read', path, error);
      problem = error.message;
    }
    return new DamagedVersion(`${path} is damaged: ${problem}`, name.version);
  }

  missing(name: VersionName): DamagedVersion {
    return new DamagedVersion(`${this.#pathOf(name)} is missing`, name.version);
  }

  /**
   * Creates the folder with the head of version 0. It appears with its head or not at all, so this head is created only
   * once. Several processes may do any step at once, or repeat it after a crash.
   */
  create(): VersionName {
    const session = dirname(this.path);
    const unfinished = this.path + UNFINISHED;
    makeFolder(this.#fs, session);
    makeFolder(this.#fs, unfinished);
    let [step, path] = ['create', `${unfinished}/${headFile(VERSION_0)}`];
    try {
      this.#fs.close(this.#fs.open(path, 'a'));
      [step, path] = ['make the folder', this.path];
      this.#fs.rename(unfinished, path);
      syncFolder(this.#fs, session);
    } catch (error) {
      const isTaken = ['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '');
      if (isTaken) this.#removeUnfinished(unfinished);
      // Another process may have been faster.
      if (this.list().head === undefined)
        throw error instanceof StateError ? error : failure(step, path, error);
    }
    return VERSION_0;
  }

  /** If another process has moved on since, this head is too old to count. */
  restoreHead(name: VersionName): void {
    const path = `${this.path}/${headFile(name)}`;
    try {
      this.#fs.close(this.#fs.open(path, 'a'));
    } catch (error) {
      throw failure('create', path, error);
    }
  }

  /** Writes a version to a file of its own, durably. */
  write(name: VersionName, bytes: Buffer): void {
    if (name.version > LAST_VERSION) {
      throw new StateError(
        `${this.path} has no number left for a version after ${name.version - 1}: move it away`,
      );
    }
    writeDurably(this.#fs, this.#pathOf(name), bytes);
  }

  /** Makes a version the newest. Throws if `from` is not, and then removes its file. */
  replaceHead(from: VersionName, to: VersionName): void {
    const head = `${this.path}/${headFile(from)}`;
    try {
      this.#fs.rename(head, `${this.path}/${headFile(to)}`);
    } catch (cause) {
      const error = failure('replace', head, cause);
      // Network file systems may lose the answer to a rename that happened, and repeat it.
      const now = this.#headAfter(error);
      if (isSameName(now, to) && errorCode(error) === 'ENOENT') return;
      const isUndone = errorCode(error) === 'ENOENT' || isSameName(now, from);
      if (!isUndone) throw notKnown(error.message, error);
      discard(this.#fs, this.#pathOf(to));
      throw error;
    }
  }

  /** True if a commit failed with this error since `from` is no longer the newest version. */
  hasLeft(from: VersionName, error: unknown): boolean {
    return errorCode(error) === 'ENOENT' && !isSameName(this.list().head, from);
  }

  /** Makes a new head survive a power cut. */
  sync(): void {
    try {
      syncFolder(this.#fs, this.path);
    } catch (error) {
      const what = 'the list was replaced, but may not survive a power cut';
      throw new StateError(`${what}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Removes the oldest first, so that a kill leaves no gap between kept versions. */
  remove(names: readonly VersionName[]): void {
    for (const name of names.toSorted((a, b) => a.version - b.version)) {
      discard(this.#fs, this.#pathOf(name));
    }
  }

  /** All version files. */
  all(): readonly VersionName[] {
    const older = this.#olderFolders().flatMap((folder) => this.#namesIn(folder));
    return [...this.list().versions, ...readNames(older).versions];
  }

  /** Moves versions far behind the head out of the folder, which each commit lists. Where that fails, they stay. */
  putAway(names: readonly VersionName[]): void {
    const folders = new Set(names.map(({ version }) => this.#older(version)));
    for (const folder of folders) {
      orElse(() => makeFolder(this.#fs, folder), undefined);
      for (const name of names.filter(({ version }) => this.#older(version) === folder)) {
        orElse(
          () => this.#fs.rename(this.#pathOf(name), `${folder}/${versionFile(name)}`),
          undefined,
        );
      }
      orElse(() => syncFolder(this.#fs, folder), undefined);
    }
  }

  /** Removes versions before `oldest` that were put away; now and then all of them, since fewer may be kept than before. */
  removeOlder(oldest: number): void {
    const isWhole = oldest % PUT_AWAY === 0;
    for (const folder of isWhole ? this.#olderFolders() : [this.#older(oldest - 1)]) {
      for (const name of this.#namesIn(folder)) {
        if (Number.parseInt(name, 10) < oldest) discard(this.#fs, `${folder}/${name}`);
      }
      if (isWhole) orElse(() => this.#fs.rmdir(folder), undefined);
    }
    if (isWhole) orElse(() => this.#fs.rmdir(`${this.path}/${OLDER}`), undefined);
  }

  #names(): string[] {
    try {
      return this.#fs.readdir(this.path);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw failure('read', this.path, error);
    }
  }

  /** The head after a failed rename. */
  #headAfter(error: StateError): VersionName | undefined {
    try {
      return this.list().head;
    } catch {
      throw notKnown(error.message, error);
    }
  }

  #removeUnfinished(path: string): void {
    discard(this.#fs, `${path}/${headFile(VERSION_0)}`);
    // Fails if another process is creating it, which will remove it.
    orElse(() => this.#fs.rmdir(path), undefined);
  }

  #namesIn(folder: string): string[] {
    return orElse(() => this.#fs.readdir(folder), []);
  }

  #olderFolders(): string[] {
    return this.#namesIn(`${this.path}/${OLDER}`).map((name) => `${this.path}/${OLDER}/${name}`);
  }

  #older(version: number): string {
    return `${this.path}/${OLDER}/${Math.floor(version / PUT_AWAY)}`;
  }

  #pathOf(name: VersionName): string {
    return `${this.path}/${versionFile(name)}`;
  }
}

function versionFile({ version, id }: VersionName): string {
  return `${version}-${id}.json`;
}

export function headFile({ version, id }: VersionName): string {
  return version === 0 ? 'head-0' : `head-${version}-${id}`;
}

/** Ignores other names. */
function readNames(names: readonly string[]): Omit<FolderReading, 'isHeadLost'> {
  let hasOlder = false;
  let head: VersionName | undefined;
  const versions: VersionName[] = [];
  for (const name of names) {
    if (!name.startsWith('head-')) {
      const [, version, id = ''] = VERSION_FILE_NAME.exec(name) ?? [];
      if (version !== undefined) versions.push({ version: Number(version), id });
      else hasOlder ||= name === OLDER;
      continue;
    }
    const [whole, version = 0, id = ''] = HEAD.exec(name) ?? [];
    if (whole === undefined) continue;
    const found = { version: Number(version), id };
    // A folder that is read during the rename of its head may show both names.
    if (head === undefined || found.version > head.version) head = found;
  }
  return { head, versions, hasOlder };
}

function isSameName(a: VersionName | undefined, b: VersionName): boolean {
  return a?.version === b.version && a.id === b.id;
}
