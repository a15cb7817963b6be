import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, failure } from '../base/command/state-error.ts';
import {
  APPEND,
  blockFor,
  makeOwnFolder,
  NEW_FILE,
  openOwn,
  orElse,
  readOwnFile,
  writeAll,
} from '../base/system/files.ts';

/** Tests pass one whose operations fail. */
export const nodeFileSystem = {
  mkdir: makeOwnFolder,
  readdir: readdirSync as (path: string) => string[],
  open: (path: string, flags: 'r' | 'a' | 'wx'): number =>
    flags === 'r' ? openSync(path, flags) : openOwn(path, flags === 'a' ? APPEND : NEW_FILE),
  read: readOwnFile as (path: string) => Buffer,
  write: writeAll as (descriptor: number, bytes: Buffer) => void,
  fsync: fsyncSync as (descriptor: number) => void,
  close: closeSync as (descriptor: number) => void,
  rename: renameSync as (from: string, to: string) => void,
  unlink: unlinkSync as (path: string) => void,
  rmdir: rmdirSync as (path: string) => void,
  pause: blockFor,
};

export type FileSystem = Readonly<typeof nodeFileSystem>;

/** Writes a file that survives a power cut. Leaves no file behind if it fails. */
export function writeDurably(fs: FileSystem, path: string, bytes: Buffer): void {
  let step = 'create';
  let descriptor: number | undefined;
  try {
    descriptor = fs.open(path, 'wx');
    step = 'write';
    fs.write(descriptor, bytes);
    step = 'save';
    fs.fsync(descriptor);
    step = 'close';
    // Some file systems report only here that they were full.
    fs.close(descriptor);
  } catch (error) {
    const opened = descriptor;
    if (opened !== undefined) {
      if (step !== 'close') orElse(() => fs.close(opened), undefined);
      discard(fs, path);
    }
    throw failure(step, path, error);
  }
}

const CANNOT_SYNC_FOLDERS = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'];

/** Makes renames in a folder survive a power cut, if the file system supports that. */
export function syncFolder(fs: FileSystem, path: string): void {
  let step = 'open';
  try {
    const descriptor = fs.open(path, 'r');
    step = 'save';
    try {
      fs.fsync(descriptor);
    } finally {
      fs.close(descriptor);
    }
  } catch (error) {
    const isUnable = step === 'save' && CANNOT_SYNC_FOLDERS.includes(errorCode(error) ?? '');
    if (!isUnable) throw failure(step, path, error);
  }
}

/** Creates a folder and its missing parents as own ones (system/files.ts), durably. */
export function makeFolder(fs: FileSystem, path: string): void {
  const parent = dirname(path);
  for (let isParentMade = parent === path; ; isParentMade = true) {
    try {
      fs.mkdir(path);
      break;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return;
      if (errorCode(error) !== 'ENOENT' || isParentMade)
        throw failure('make the folder', path, error);
      makeFolder(fs, parent);
    }
  }
  syncFolder(fs, parent);
}

/** Removes a file that nobody needs; one that stays does no harm. */
export function discard(fs: FileSystem, path: string): void {
  orElse(() => fs.unlink(path), undefined);
}
