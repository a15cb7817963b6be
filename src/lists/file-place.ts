import { DamagedVersion } from '../base/command/state-error.ts';
import { mustHave } from '../base/given.ts';
import { DEFAULT_HISTORY } from '../base/settings/settings.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';
import {
  DEFAULT_AGENT,
  newId,
  type Place,
  type PlaceOptions,
  type Version,
  wholeOnes,
} from './place.ts';
import { encodeVersion, type StoredVersion } from './version-file.ts';
import {
  type FolderReading,
  headFile,
  PUT_AWAY,
  VersionFolder,
  type VersionName,
} from './version-folder.ts';
import { watchFolder } from './watch-folder.ts';

/** Options of a place in a folder. */
export interface FilePlaceOptions extends Partial<PlaceOptions> {
  /** The list's own folder, absolute. It is made when the first version is. */
  readonly folder: string;
  readonly fs?: FileSystem;
}

const MOST_PATIENCE_MS = 20;
const COMMIT_PAUSE_MS = 1;
/** Versions this far behind the head are put away, many at once; with the default history there are none. */
const FAR = 200;

/**
 * A place in a folder, for any number of processes at once. What `commit` returns is on the disk; nothing that a
 * process leaves behind when it is killed stops another. docs/state.md has the layout and the promises.
 */
export class FilePlace<T> implements Place<T> {
  readonly #fs: FileSystem;
  readonly #folder: VersionFolder<T>;
  readonly author: string;
  readonly #history: number;
  readonly #begins: (() => void) | undefined;
  readonly #looks = new Set<() => void>();
  #patienceMs = MOST_PATIENCE_MS;
  /** The newest version that was read or written here; a version's file never changes. */
  #known: { id: string; version: StoredVersion<T> } | undefined;

  constructor(options: FilePlaceOptions) {
    mustHave('FilePlace', options, 'folder');
    const { author = DEFAULT_AGENT, history = DEFAULT_HISTORY, fs = nodeFileSystem } = options;
    this.#fs = fs;
    this.#folder = new VersionFolder(options.folder, fs, options.check);
    this.author = author;
    this.#history = history;
    this.#begins = options.begins;
  }

  load(): StoredVersion<T> | undefined {
    const [newest] = this.history();
    return newest;
  }

  *history(): Generator<StoredVersion<T>> {
    for (let missed: string | undefined; ; ) {
      const { head } = this.#folder.list();
      if (head === undefined || head.version === 0) return;
      const { id, version } = head;
      const known = this.#known?.id === id ? this.#known.version : undefined;
      const newest = known?.version === version ? known : this.#folder.read(head);
      // A missing file may have been replaced and removed since the folder was read, unless it is the head again.
      if (newest === undefined && missed !== id) {
        missed = id;
        continue;
      }
      // A damaged file may be repaired.
      const isWhole = newest !== undefined && !(newest instanceof DamagedVersion);
      this.#known = isWhole ? { id, version: newest } : undefined;
      yield* wholeOnes(this.#down(newest ?? this.#folder.missing(head), version));
      return;
    }
  }

  /** A version and those before it, newest first. @param below the numbers to look through if it is damaged. */
  *#down(
    newest: StoredVersion<T> | DamagedVersion,
    below: number,
  ): Generator<StoredVersion<T> | DamagedVersion> {
    let names: VersionName[] = [];
    for (let [version, end] = [newest, below]; ; ) {
      yield version;
      // A damaged version does not name its predecessor.
      if (!(version instanceof DamagedVersion)) {
        names = [{ version: version.version - 1, id: version.after }];
      } else if (names.length === 0) names = this.#below(end);
      const name = names.shift();
      if (name === undefined || name.version === 0) return;
      end = name.version;
      version = this.#folder.read(name) ?? this.#folder.missing(name);
    }
  }

  /** Newest first. */
  #below(than: number): VersionName[] {
    const older = this.#folder.all().filter(({ version }) => version < than);
    return older.sort((a, b) => b.version - a.version);
  }

  /** In five steps, between which a kill leaves the old version or the new one. */
  commit(base: number, content: T, at: Date): Version<T> | undefined {
    // 1. Give way to others that are about to commit.
    const found = this.#giveWay();
    if ((found.head?.version ?? 0) !== base) return undefined;
    if (found.head === undefined) this.#begins?.();
    const from = found.head ?? this.#folder.create();
    const to = { version: base + 1, id: newId() };
    const version = { version: to.version, after: from.id, at, by: this.author, content };
    if (found.isHeadLost) this.#folder.restoreHead(from);
    try {
      // 2. Write the version to a file of its own, durably.
      this.#folder.write(to, encodeVersion(version));
      // 3. Rename the head after it, which makes it the newest: of those that try, one succeeds.
      this.#folder.replaceHead(from, to);
    } catch (error) {
      if (!this.#folder.hasLeft(from, error)) throw error;
      this.#patienceMs = 0;
      return undefined;
    }
    // 4. Sync the folder, so that the rename survives a power cut.
    this.#folder.sync();
    this.#patienceMs = MOST_PATIENCE_MS;
    this.#known = { id: to.id, version };
    // 5. Sweep away what is no longer kept.
    this.#sweep(found, from);
    for (const look of [...this.#looks]) look();
    return version;
  }

  watch(listener: () => void): () => void {
    let seen = this.#headName();
    const look = () => {
      const now = this.#headName();
      if (now === seen) return;
      seen = now;
      listener();
    };
    this.#looks.add(look);
    const stop = watchFolder(this.#folder.path, look);
    return () => {
      this.#looks.delete(look);
      stop();
    };
  }

  /**
   * Waits for others that are about to commit: whoever has just lost does not wait, so nobody loses again and again. The
   * unfinished commit of a killed process delays one commit by that long.
   */
  #giveWay(): FolderReading {
    let found = this.#folder.list();
    while (this.#patienceMs > 0 && isContended(found)) {
      this.#patienceMs -= COMMIT_PAUSE_MS;
      this.#fs.pause(COMMIT_PAUSE_MS);
      found = this.#folder.list();
    }
    return found;
  }

  /**
   * Removes the versions beyond those to keep, and those that others had prepared to follow `from`: the head has moved on,
   * so they can never become one. The cost does not grow with how many are kept.
   */
  #sweep({ versions, hasOlder }: FolderReading, from: VersionName): void {
    const oldest = from.version + 2 - this.#history;
    this.#folder.remove(
      versions.filter(({ version }) => version < oldest || version > from.version),
    );
    if (hasOlder) this.#folder.removeOlder(oldest);
    const isFar = ({ version }: VersionName) => version >= oldest && version < from.version - FAR;
    const far = versions.filter(isFar);
    if (far.length >= PUT_AWAY) this.#folder.putAway(far);
  }

  #headName(): string {
    try {
      const { head } = this.#folder.list();
      return head === undefined ? '' : headFile(head);
    } catch {
      // An unreadable list is news too; the listener finds out by reading.
      return 'unreadable';
    }
  }
}

/** True if another writer has a version that is not yet the newest. */
function isContended({ head, versions }: FolderReading): boolean {
  return versions.some(({ version }) => version > (head?.version ?? 0));
}
