import { type FileSystem, nodeFileSystem } from './file-system.ts';
import { type FolderReading, headFile, newId, type VersionName } from './folder-names.ts';
import {
  type ContentCheck,
  DEFAULT_AGENT,
  DEFAULT_HISTORY,
  type Place,
  standIn,
  type Version,
} from './place.ts';
import { DamagedVersion } from './state-error.ts';
import { encodeVersion, type StoredVersion } from './version-file.ts';
import { VersionFolder } from './version-folder.ts';
import { watchFolder } from './watch-folder.ts';

/** Options of a place in a folder. */
export interface FilePlaceOptions {
  /** The list's own folder, absolute. It is made when the first version is. */
  folder: string;
  /** The agent that commits through this place. */
  author?: string;
  /** How many versions to keep, the newest included. */
  history?: number;
  /**
   * Returns what is wrong with content that was read, or undefined. Anyone who can write to the folder can write
   * anything; without a check, a file's content is taken for a `T`.
   */
  check?: ContentCheck;
  /** Called before the folder is made. */
  begins?: (() => void) | undefined;
  fs?: FileSystem;
}

const MOST_PATIENCE_MS = 20;
const PAUSE_MS = 1;

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
  /** The ids of damaged versions that were met here; they are kept for who may want to repair them. */
  readonly #damaged = new Set<string>();
  #patienceMs = MOST_PATIENCE_MS;
  /** The newest version that was read or written here. A version's file never changes, so it need not be read again. */
  #known: { id: string; version: StoredVersion<T> } | undefined;

  constructor(options: FilePlaceOptions) {
    const { author = DEFAULT_AGENT, history = DEFAULT_HISTORY, fs = nodeFileSystem } = options;
    this.#fs = fs;
    this.#folder = new VersionFolder(options.folder, fs, options.check);
    this.author = author;
    this.#history = history;
    this.#begins = options.begins;
  }

  load(): StoredVersion<T> | undefined {
    let missed: VersionName | undefined;
    for (;;) {
      const { head } = this.#folder.list();
      if (head === undefined || head.version === 0) return undefined;
      const known = this.#known;
      if (known?.id === head.id && known.version.version === head.version) return known.version;
      // It may have been replaced and removed since the folder was read; not so if it is the head again.
      const isMissing = missed?.id === head.id;
      const version = isMissing
        ? this.#standIn(head, this.#folder.missing(head))
        : this.#read(head);
      if (version instanceof DamagedVersion) throw version;
      // A damaged file may be repaired.
      if (version?.damage === undefined) this.#known = version && { id: head.id, version };
      if (version !== undefined) return version;
      missed = head;
    }
  }

  *history(): Generator<StoredVersion<T>> {
    let newer = this.load();
    while (newer !== undefined) {
      yield newer;
      const before =
        newer.damage === undefined
          ? { version: newer.version - 1, id: newer.after }
          : this.#below(newer.version)[0];
      const version = before && before.version > 0 ? this.#read(before) : undefined;
      newer = version instanceof DamagedVersion ? undefined : version;
    }
  }

  /** A version or, if it is damaged, what stands in for it; the damage where nothing can. */
  #read(name: VersionName): StoredVersion<T> | DamagedVersion | undefined {
    const version = orDamaged(() => this.#folder.read(name));
    return version instanceof DamagedVersion ? this.#standIn(name, version) : version;
  }

  #standIn(name: VersionName, damage: DamagedVersion): StoredVersion<T> | DamagedVersion {
    this.#damaged.add(name.id);
    for (const older of this.#below(name.version)) {
      const whole = orDamaged(() => this.#folder.read(older));
      if (whole && !(whole instanceof DamagedVersion)) return standIn(damage, whole);
    }
    return damage;
  }

  /** The files of older versions, newest first. */
  #below(than: number): VersionName[] {
    const older = this.#folder.list().versions.filter(({ version }) => version < than);
    return older.sort((a, b) => b.version - a.version);
  }

  commit(base: number, content: T, at: Date): Version<T> | undefined {
    const found = this.#giveWay();
    if ((found.head?.version ?? 0) !== base) return undefined;
    if (found.head === undefined) this.#begins?.();
    const from = found.head ?? this.#folder.create();
    const to = { version: base + 1, id: newId() };
    const version = { version: to.version, after: from.id, at, by: this.author, content };
    if (!this.#folder.add(from, to, encodeVersion(version))) {
      this.#patienceMs = 0;
      return undefined;
    }
    this.#patienceMs = MOST_PATIENCE_MS;
    this.#known = { id: to.id, version };
    this.#sweep(found, to);
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
   * Lets those go first who are about to commit: whoever has lost to another goes at once, so where many write the same
   * list nobody loses again and again. What a killed process was about to commit holds up one commit, for so long.
   */
  #giveWay(): FolderReading {
    let found = this.#folder.list();
    while (this.#patienceMs > 0 && isContended(found)) {
      this.#patienceMs -= PAUSE_MS;
      this.#fs.pause(PAUSE_MS);
      found = this.#folder.list();
    }
    return found;
  }

  /**
   * Removes the versions beyond those that are kept, and the files of attempts that failed and could not clean up. No
   * clock is needed to tell these from attempts under way: what has the number of a version that is there, and is not
   * that version, can never become one.
   */
  #sweep({ versions }: FolderReading, newest: VersionName): void {
    const isOld = ({ version, id }: VersionName) =>
      version <= newest.version - this.#history && !this.#damaged.has(id);
    const seen = new Set([newest.version]);
    const doubled = versions.filter(({ version }) => seen.size === seen.add(version).size);
    const strays =
      doubled.length === 0
        ? []
        : this.#strays(versions, newest, Math.min(...doubled.map(({ version }) => version)));
    this.#folder.remove([...versions.filter(isOld), ...strays]);
  }

  #strays(versions: readonly VersionName[], newest: VersionName, lowest: number): VersionName[] {
    const ids = new Map([[newest.version, newest.id]]);
    try {
      for (const { version, after, damage } of this.history()) {
        if (damage !== undefined) break;
        ids.set(version - 1, after);
        if (version <= lowest) break;
      }
    } catch {
      // A version that cannot be read stops no commit; what is older than it stays for now.
    }
    return versions.filter(({ version, id }) => ids.has(version) && ids.get(version) !== id);
  }

  #headName(): string {
    try {
      const { head } = this.#folder.list();
      return head === undefined ? '' : headFile(head);
    } catch {
      // That it cannot be read is news too: who is told of it will find out by reading.
      return 'unreadable';
    }
  }
}

function orDamaged<T>(read: () => T): T | DamagedVersion {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedVersion) return error;
    throw error;
  }
}

/** Whether someone has written a version that is not, or not yet, the newest. */
function isContended({ head, versions }: FolderReading): boolean {
  return versions.some(({ version }) => version > (head?.version ?? 0));
}
