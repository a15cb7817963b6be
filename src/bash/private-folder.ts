import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { randomHex } from './random-hex.ts';

const PREFIX = 'agent-shell-';
/** Younger folders are left alone: their sessions may not have got as far as to show that they live. */
const SWEPT_AFTER_MS = 60_000;
const REMOVAL_TRIES = 20;

/** Makes a folder that only this user can enter, whatever the umask. */
export function makePrivate(path: string): void {
  mkdirSync(path);
  chmodSync(path, 0o700);
}

/** Writes a file that only this user can use, whatever the umask. */
export function writePrivate(path: string, text: string, mode = 0o600): void {
  writeFileSync(path, text);
  chmodSync(path, mode);
}

/** A name for a private folder, which nobody can know. */
export const newPrivateName = (parent: string) => join(parent, `${PREFIX}${randomHex(6)}`);

/**
 * A folder that only this user can enter. It is never made again under its name, which another user may have taken.
 */
export class PrivateFolder {
  readonly path: string;
  /** Keeps the folder open, so that nobody can replace it unnoticed. */
  readonly #fd: number;

  /** @param path a new name. */
  constructor(path: string) {
    this.path = path;
    makePrivate(path);
    const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
    this.#fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  }

  /** Whether its path still leads to it: it was not removed, moved, mounted over or shut off. */
  get isThere(): boolean {
    const own = fstatSync(this.#fd);
    try {
      const now = lstatSync(this.path);
      return now.ino === own.ino && now.dev === own.dev;
    } catch {
      return false;
    }
  }

  /** Removes it with everything in it. */
  remove(): void {
    const { isThere } = this;
    // This may be the last descriptor, and the removal needs one.
    closeSync(this.#fd);
    if (isThere) removeTree(this.path);
  }
}

/** Removes what sessions of this user have left in a folder where neither their host nor their watchdog lives. */
export function sweep(parent: string): void {
  for (const name of namesIn(parent)) {
    if (name.startsWith(PREFIX)) sweepFolder(join(parent, name));
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // A shared folder may let its users add files and not see those of others.
  }
}

function sweepFolder(folder: string): void {
  try {
    const { uid, mtimeMs } = lstatSync(folder);
    if (uid !== process.getuid?.() || Date.now() - mtimeMs < SWEPT_AFTER_MS) return;
    if (!isOpen(aliveIn(folder))) removeTree(folder);
  } catch {
    try {
      // Its host may have been killed before it made anything else.
      rmdirSync(folder);
    } catch {
      // It is not empty: it belongs to another machine, or to something else.
    }
  }
}

/**
 * The FIFO in a private folder that its host and its watchdog have open as long as they live. It has the name of the machine:
 * on a disk that machines share, a FIFO tells nothing of the others.
 */
export const aliveIn = (folder: string) => join(folder, `alive-${hostname()}`);

/** Whether a process has this FIFO open for reading. */
function isOpen(fifo: string): boolean {
  try {
    closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') return false;
    throw error;
  }
}

function removeTree(path: string): void {
  for (let tries = 1; ; tries += 1) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A line may have removed our own rights.
      if (code === 'EACCES' && tries === 1) allow(path);
      // A caller of an agent command that has not yet noticed the end may still create a file in it.
      else if (code !== 'ENOTEMPTY' || tries === REMOVAL_TRIES) throw error;
    }
  }
}

function allow(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) allow(join(folder, entry.name));
  }
}
