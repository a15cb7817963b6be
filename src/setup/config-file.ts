import {
  chmodSync,
  chownSync,
  closeSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolders } from '../make-folders.ts';
import { SetupError } from './edit.ts';

const BYTE_ORDER_MARK = '\ufeff';
const WRITABLE = 0o222;
/** A lock older than this belongs to a killed process. */
const STALE_LOCK_MS = 10_000;
const PAUSE_MS = 20;

/** The result of an edit. */
export type Outcome = 'written' | 'removed' | 'unchanged';

/**
 * The text of a file, without a byte-order mark; undefined if there is no file.
 *
 * @throws SetupError if it cannot be read or is not UTF-8.
 */
export function readConfig(path: string): string | undefined {
  return readBytes(path)?.text;
}

/**
 * Replaces a file in one step, or leaves it as it is. Follows symbolic links, and keeps the mode and the owner. Programs
 * that edit the same file this way take turns.
 *
 * @param change returns the new text, or undefined to delete the file.
 */
export function editConfig(
  path: string,
  change: (text: string | undefined) => string | undefined,
): Outcome {
  return told(path, () => {
    const target = targetOf(path);
    // Most runs change nothing. They write nothing, not even a lock.
    if (isUnchanged(target, change)) return 'unchanged';
    makeFolders(dirname(target), 0o777);
    return locked(target, () => {
      const { text, mark } = readBytes(target) ?? { text: undefined, mark: '' };
      const edited = change(text);
      if (edited === text) return 'unchanged';
      if (edited === undefined) {
        unlinkSync(target);
        return 'removed';
      }
      replace(target, Buffer.from(mark + edited));
      return 'written';
    });
  });
}

/** Removes empty folders. */
export function removeEmptyFolders(paths: readonly string[]): void {
  for (const path of paths) {
    try {
      rmdirSync(path);
    } catch {
      // Not empty, or not there.
    }
  }
}

function isUnchanged(
  path: string,
  change: (text: string | undefined) => string | undefined,
): boolean {
  const text = readConfig(path);
  return change(text) === text;
}

function readBytes(path: string): { text: string; mark: string } | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw new SetupError('is not UTF-8');
  return text.startsWith(BYTE_ORDER_MARK)
    ? { text: text.slice(1), mark: BYTE_ORDER_MARK }
    : { text, mark: '' };
}

function replace(path: string, bytes: Buffer): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat && (stat.mode & WRITABLE) === 0) {
    throw new SetupError('is read-only; make it writable first');
  }
  // A file with several hard links keeps them only if it is written in place.
  if (stat && stat.nlink > 1) {
    writeFileSync(path, bytes);
    return;
  }
  const unfinished = join(dirname(path), `.${basename(path)}.${process.pid}~`);
  try {
    writeFileSync(unfinished, bytes, { flag: 'wx' });
    if (stat) {
      chmodSync(unfinished, stat.mode & 0o7777);
      keepOwner(unfinished, stat);
    }
    renameSync(unfinished, path);
  } catch (error) {
    discard(unfinished);
    throw error;
  }
}

function keepOwner(path: string, { uid, gid }: { uid: number; gid: number }): void {
  try {
    chownSync(path, uid, gid);
  } catch {
    // Only root may give a file away. For anyone else, the writer becomes the owner.
  }
}

/** Where a link leads, even if the target does not exist yet. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
    return isLink ? targetOf(resolve(dirname(path), readlinkSync(path))) : path;
  }
}

function locked<T>(path: string, action: () => T): T {
  const lock = join(dirname(path), `.${basename(path)}.lock~`);
  for (;;) {
    try {
      closeSync(openSync(lock, 'wx'));
      break;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - since > STALE_LOCK_MS) discard(lock);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
  try {
    return action();
  } finally {
    discard(lock);
  }
}

function discard(path: string): void {
  try {
    unlinkSync(path);
  } catch {}
}

/** The system's error, with the name of the file. */
function told<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SetupError(
      `${path} ${error instanceof SetupError ? reason : `cannot be edited: ${reason}`}`,
      {
        cause: error,
      },
    );
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}
