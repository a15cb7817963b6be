import { dirname } from 'node:path';
import type { FileSystem } from './file-system.ts';
import { attempt, errorCode } from './state-error.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Writes a new file that survives a power cut. If that fails, no file is left behind. */
export function writeDurably(fs: FileSystem, path: string, bytes: Buffer): void {
  const descriptor = attempt('create', path, () => fs.open(path, 'wx', PRIVATE_FILE));
  try {
    try {
      attempt('write', path, () => fs.write(descriptor, bytes));
      attempt('save', path, () => fs.fsync(descriptor));
    } finally {
      // Some file systems tell only here that there was no room for what was written.
      attempt('close', path, () => fs.close(descriptor));
    }
  } catch (error) {
    discard(fs, path);
    throw error;
  }
}

/** Errors of file systems that cannot sync folders: nothing more can be done. */
const CANNOT_SYNC_FOLDERS = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'];

/** Makes changes of names in a folder survive a power cut, if the file system supports that. */
export function syncFolder(fs: FileSystem, path: string): void {
  const descriptor = attempt('open', path, () => fs.open(path, 'r'));
  try {
    attempt('save', path, () => fs.fsync(descriptor));
  } catch (error) {
    if (!CANNOT_SYNC_FOLDERS.includes(errorCode(error) ?? '')) throw error;
  } finally {
    attempt('close', path, () => fs.close(descriptor));
  }
}

/** Creates a folder and its parents if they do not exist, for this user only. */
export function makeFolder(fs: FileSystem, path: string): void {
  const parent = dirname(path);
  const make = () => attempt('make the folder', path, () => fs.mkdir(path, PRIVATE_FOLDER));
  try {
    try {
      make();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || parent === path) throw error;
      makeFolder(fs, parent);
      make();
    }
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    throw error;
  }
  syncFolder(fs, parent);
}

/** Removes a file that nobody needs. If that fails, the file does no harm. */
export function discard(fs: FileSystem, path: string): void {
  try {
    fs.unlink(path);
  } catch {}
}
