import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import { pause, readOwnFile, writeAll } from '../system/files.ts';

/** The operations that a list in a folder is made of. Tests hand in their own, which fail. */
export const nodeFileSystem = {
  mkdir: (path: string, mode: number): void => mkdirSync(path, mode) as undefined,
  readdir: (path: string): string[] => readdirSync(path),
  open: (path: string, flags: string, mode?: number): number => openSync(path, flags, mode),
  read: (path: string): Buffer => readOwnFile(path),
  write: (descriptor: number, bytes: Buffer): void => writeAll(descriptor, bytes),
  fsync: (descriptor: number): void => fsyncSync(descriptor),
  close: (descriptor: number): void => closeSync(descriptor),
  rename: (from: string, to: string): void => renameSync(from, to),
  unlink: (path: string): void => unlinkSync(path),
  rmdir: (path: string): void => rmdirSync(path),
  pause,
};

export type FileSystem = Readonly<typeof nodeFileSystem>;
