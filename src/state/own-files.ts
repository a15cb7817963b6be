import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';

/*
 * Files in a state folder, which may be in a repository that somebody else has made: a link in the place of a file would
 * lead elsewhere, and a FIFO or a device would never end.
 */

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

/** Reads a file. @throws an Error where it is no regular file. */
export function readOwnFile(path: string): Buffer {
  return inFile(path, O_RDONLY, (fd) => readFileSync(fd));
}

/** Adds to a file that only this user can read; makes it if it is not there. */
export function appendOwnFile(path: string, text: string): void {
  inFile(path, O_WRONLY | O_CREAT | O_APPEND, (fd) => writeAll(fd, Buffer.from(text)));
}

/** The same, but replaces what is in it. */
export function writeOwnFile(path: string, text: string): void {
  inFile(path, O_WRONLY | O_CREAT | O_TRUNC, (fd) => writeAll(fd, Buffer.from(text)));
}

function inFile<T>(path: string, flags: number, use: (fd: number) => T): T {
  const fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) throw new Error('it is not a regular file');
    return use(fd);
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

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
