import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';

/*
 * Files in a state folder, which may be in a repository that somebody else has made: a link in the place of a file would
 * lead elsewhere, and a FIFO or a device would never end.
 */

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

/**
 * Reads a file. @throws an Error where it is no regular file.
 *
 * @param most of a larger file, only so many bytes at its end.
 */
export function readOwnFile(path: string, most = Number.POSITIVE_INFINITY): Buffer {
  return inFile(path, O_RDONLY, (fd, size) => readFrom(fd, Math.max(0, size - most), size));
}

/** Adds to a file that only this user can read; makes it if it is not there. */
export function appendOwnFile(path: string, text: string): void {
  inFile(path, O_WRONLY | O_CREAT | O_APPEND, (fd) => writeAll(fd, Buffer.from(text)));
}

/** The same, but replaces what is in it. */
export function writeOwnFile(path: string, text: string): void {
  inFile(path, O_WRONLY | O_CREAT | O_TRUNC, (fd) => writeAll(fd, Buffer.from(text)));
}

function inFile<T>(path: string, flags: number, use: (fd: number, size: number) => T): T {
  const fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    return use(fd, stats.size);
  } finally {
    closeSync(fd);
  }
}

function open(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error;
    throw new Error('it is a symbolic link', { cause: error });
  }
}

/** What readFileSync gives, with less of Node to compile for it at the start of a program. */
function readFrom(fd: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(fd, bytes, length, bytes.length - length, start + length);
  }
  return bytes.subarray(0, length);
}

/** The same for writeFileSync. */
export function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
