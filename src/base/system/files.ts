import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/*
 * An "own" file is in a state folder, which may have come with a cloned repository: a link in its place would lead
 * elsewhere, and reading a FIFO or a device would never end.
 */

export const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND;
export const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
const READY_POLL_MS = 2;
/** Whoever makes a sparse file larger than our memory needs no room for it. */
const MOST_READ_MIB = 256;

export class NotRegular extends Error {
  constructor(message = 'it is not a regular file') {
    super(message);
  }
}

/** @param most reads only this many bytes at the end of a larger file. @throws NotRegular if it is no regular file. */
export function readOwnFile(path: string, most = Number.POSITIVE_INFINITY): Buffer {
  return inFile(path, constants.O_RDONLY, (fd, size) =>
    readFrom(fd, Math.max(0, size - most), size),
  );
}

/** The first bytes of a file, at most this many. */
export function readStart(path: string, most: number): Buffer {
  return inFile(path, constants.O_RDONLY, (fd, size) => readFrom(fd, 0, Math.min(size, most)));
}

/** Creates the file if it is missing, readable for this user only. */
export function appendOwnFile(path: string, text: string): void {
  inFile(path, APPEND, (fd) => writeAll(fd, text));
}

export function writeOwnFile(path: string, text: string): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
  inFile(path, flags, (fd) => writeAll(fd, text));
}

function inFile<T>(path: string, flags: number, use: (fd: number, size: number) => T): T {
  const fd = open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new NotRegular();
    return use(fd, stats.size);
  } finally {
    closeSync(fd);
  }
}

function open(path: string, flags: number): number {
  try {
    return (flags & constants.O_CREAT) === 0 ? openSync(path, flags) : openOwn(path, flags);
  } catch (error) {
    if (codeOf(error) === 'ELOOP') throw new NotRegular('it is a symbolic link');
    // A socket cannot be opened.
    if (codeOf(error) === 'ENXIO') throw new NotRegular();
    throw error;
  }
}

/** Like readFileSync, but without the parts of Node that it compiles at the start of a program. */
function readFrom(fd: number, start: number, end: number): Buffer {
  if (end - start > MOST_READ_MIB * 2 ** 20)
    throw new NotRegular(`it is larger than ${MOST_READ_MIB} MiB`);
  const bytes = Buffer.allocUnsafeSlow(end - start);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(fd, bytes, length, bytes.length - length, start + length);
  }
  return bytes.subarray(0, length);
}

export function writeAll(fd: number, content: string | Buffer): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for (let at = 0; at < bytes.length; ) at += untilReady(() => writeSync(fd, bytes, at));
}

/** Another process may have made a shared pipe non-blocking. */
export function untilReady(operation: () => number): number {
  for (;;) {
    try {
      return operation();
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error;
      blockFor(READY_POLL_MS);
    }
  }
}

/** Replaces a file atomically. */
export function replaceFile(path: string, content: string | Buffer): void {
  const unfinished = writeBeside(path, content);
  try {
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/**
 * Writes a temporary file beside `path`. Returns its path, or leaves no file behind.
 *
 * @param mode default: that of `openOwn`.
 */
export function writeBeside(path: string, content: string | Buffer, mode?: number): string {
  const unfinished = `${path}.${Math.random().toString(36).slice(2)}~`;
  const fd =
    mode === undefined ? openOwn(unfinished, NEW_FILE) : openSync(unfinished, NEW_FILE, mode);
  try {
    writeAll(fd, content);
    return unfinished;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

/**
 * Creates a folder and its missing parents, as own ones unless `mode` is given. Returns those it made, innermost first.
 *
 * Node's recursive mkdir never returns where the system refuses a folder with ENOENT, as in /proc or below an automounter's
 * folder.
 */
export function makeFolders(path: string, mode?: number): string[] {
  if (existsSync(path)) return [];
  const parent = dirname(path);
  const made = parent === path ? [] : makeFolders(parent, mode);
  try {
    if (mode === undefined) makeOwnFolder(path);
    else mkdirSync(path, { mode });
    made.unshift(path);
  } catch (error) {
    // Another process was faster.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  return made;
}

/** Creates a folder for this user only, or for the group if the parent folder is shared with it. */
export function makeOwnFolder(path: string): void {
  const isForGroup = isShared(dirname(path));
  mkdirSync(path, isForGroup ? 0o770 : 0o700);
  // The umask may have removed the group's bits, and the owner's chmod keeps the setgid bit. Some volumes refuse any chmod.
  if (isForGroup) orElse(() => chmodSync(path, (statSync(path).mode & 0o7777) | 0o070), undefined);
  if (heirOf(path)) {
    // Not through a link that somebody may have put in its place.
    const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    handOver(fd, path);
    closeSync(fd);
  }
}

/** Opens a file, and creates it for the same users as `makeOwnFolder`. */
export function openOwn(path: string, flags: number): number {
  const isForGroup = isShared(dirname(path));
  const mode = isForGroup ? 0o660 : 0o600;
  let fd: number | undefined;
  if (heirOf(path)) {
    try {
      fd = openSync(path, flags | constants.O_EXCL, mode);
      handOver(fd, path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || (flags & constants.O_EXCL) !== 0) throw error;
    }
  }
  fd ??= openSync(path, flags, mode);
  // Fails for another user's file.
  if (isForGroup && (fstatSync(fd).mode & 0o020) === 0)
    orElse(() => fchmodSync(fd, 0o660), undefined);
  return fd;
}

/** With `sudo`, a file that root makes in a user's folder would lock that user out, so it gets the folder's owner. */
function heirOf(path: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const folder = orElse(() => statSync(dirname(path)), undefined);
  return folder?.uid ? folder : undefined;
}

/** Only for what was just created: an existing file may be a hard link to one of root's. */
function handOver(fd: number, path: string): void {
  const heir = heirOf(path);
  // Some volumes have one owner only.
  if (heir && fstatSync(fd).uid === 0) orElse(() => fchownSync(fd, heir.uid, heir.gid), undefined);
}

/** True if a folder is writable for its group and passes that on: it is setgid, or has a default ACL. */
export function isShared(folder: string): boolean {
  // Without the folder, creating something there will fail with a better error.
  const mode = orElse(() => statSync(folder).mode, 0);
  return (mode & 0o020) !== 0 && ((mode & 0o2000) !== 0 || hasDefaultAcl(folder));
}

const defaultAcls = new Map<string, boolean>();

/** Node cannot read ACLs, but a default ACL overrides the umask. */
function hasDefaultAcl(folder: string): boolean {
  const known = defaultAcls.get(folder);
  if (known !== undefined) return known;
  const trial = join(folder, `acl.${Math.random().toString(36).slice(2)}~`);
  let has = false;
  try {
    // Throws in a worker thread.
    const umask = process.umask(0o777);
    try {
      mkdirSync(trial, 0o770);
    } finally {
      process.umask(umask);
    }
    has = (statSync(trial).mode & 0o020) !== 0;
    rmdirSync(trial);
  } catch {}
  defaultAcls.set(folder, has);
  return has;
}

/** Blocks the event loop. */
export function blockFor(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** The result of `get`; `otherwise` if it throws. */
export function orElse<T>(get: () => T, otherwise: T): T {
  try {
    return get();
  } catch {
    return otherwise;
  }
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null | undefined)?.code;
}

/**
 * Random bytes as hexadecimal digits. Read from the system, because node:crypto takes 4 ms to load, an eighth of Node's own
 * start.
 */
export function randomHex(bytes: number): string {
  // Some sandboxes have no devices.
  const random = orElse(() => readDevice('/dev/urandom', bytes), undefined);
  return (random ?? process.getBuiltinModule('node:crypto').randomBytes(bytes)).toString('hex');
}

function readDevice(path: string, bytes: number): Buffer {
  const device = openSync(path, 'r');
  try {
    return readFrom(device, 0, bytes);
  } finally {
    closeSync(device);
  }
}
