import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { StateError } from '../base/command/state-error.ts';
import { isTrusted } from '../base/system/access.ts';
import { codeOf, NotRegular, orElse, readOwnFile } from '../base/system/files.ts';
import { enclosing } from './list-paths.ts';

/** The bytes of an object's name: SHA-1, SHA-256. */
const HASHES = [20, 32];
/** Before an entry's flags: times, device, inode, mode, owner, group and size of its file. */
const STAT_BYTES = 40;
const MODE_AT = 24;
const SUBMODULE = 0o160000;
const EXTENDED = 0x4000;
const LENGTH = 0xfff;

/**
 * True if git tracks a file in a subfolder, where lists are: it came with a repository. Read from the index of the enclosing
 * work tree, since git itself runs programs that the configuration of a repository names.
 *
 * @throws StateError if the index cannot be read.
 */
export function isTracked(folder: string): boolean {
  const real = realPath(folder);
  const tree = workTree(real);
  if (!tree) return false;
  // Some file systems ignore case.
  const start = Buffer.from(`${real}/`)
    .toString('latin1')
    .slice(Buffer.byteLength(tree) + 1);
  const isInside = (path: string) =>
    path.slice(0, start.length).toLowerCase() === start.toLowerCase() &&
    /^[^./][^/]*\//.test(path.slice(start.length));
  try {
    return indexFiles(gitFolder(tree)).some((paths) => paths.some(isInside));
  } catch (error) {
    const problem = `cannot read which files in ${folder} git tracks: ${(error as Error).message}`;
    throw new StateError(`${problem}; set TODO_STATE_DIR to a folder outside of ${tree}`, {
      cause: error,
    });
  }
}

/** Also of a folder that does not exist yet, or no longer: git may track files that were deleted. */
function realPath(folder: string): string {
  return (
    orElse(() => realpathSync(folder), undefined) ??
    join(realPath(dirname(folder)), basename(folder))
  );
}

/** Another user's `.git`, as in /tmp, is no repository of ours. */
function workTree(folder: string): string | undefined {
  const tree = enclosing(folder, (at) => isTrusted(`${at}/.git`, folder));
  return tree === '/' ? '' : tree;
}

/** In submodules and added work trees, `.git` is a file that names the folder. */
function gitFolder(tree: string): string {
  const path = `${tree}/.git`;
  if (statSync(path).isDirectory()) return path;
  const [, named] = /^gitdir: (.+)/.exec(readOwnFile(path).toString()) ?? [];
  if (named === undefined) throw new NotRegular(`${path} names no folder`);
  return resolve(tree, named);
}

/** The paths in the index and, if it is split, in the shared one that it builds upon. */
function indexFiles(folder: string): string[][] {
  const found: string[][] = [];
  for (let name: string | undefined = 'index'; name; ) {
    let bytes: Buffer;
    try {
      bytes = readOwnFile(`${folder}/${name}`);
    } catch (error) {
      // Nothing was ever added.
      if (codeOf(error) === 'ENOENT' && name === 'index') return found;
      throw error;
    }
    const index = HASHES.map((hash) => orElse(() => readIndex(bytes, hash), undefined)).find(
      Boolean,
    );
    if (!index) throw new NotRegular(`${folder}/${name} has an unknown format`);
    found.push(index.paths);
    name = index.shared && `sharedindex.${index.shared}`;
  }
  return found;
}

/** Git's documentation has the format (gitformat-index). @throws Error if it is another one. */
function readIndex(bytes: Buffer, hash: number) {
  const [version, count] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4)
    throw new Error('unknown');
  const paths: string[] = [];
  let at = 12;
  for (let path = ''; paths.length < count; ) {
    const start = at;
    const flags = bytes.readUInt16BE(at + STAT_BYTES + hash);
    at += STAT_BYTES + hash + ((flags & EXTENDED) === 0 ? 2 : 4);
    let kept = 0;
    if (version === 4) {
      const removed = offsetAt(bytes, at);
      at = removed.end;
      kept = path.length - removed.value;
    }
    const end = bytes.indexOf(0, at);
    path = path.slice(0, kept) + bytes.toString('latin1', at, end);
    if (end < 0 || Math.min(path.length, LENGTH) !== (flags & LENGTH)) throw new Error('unknown');
    at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
    // The files of a submodule are in an index of its own.
    paths.push(bytes.readUInt32BE(start + MODE_AT) === SUBMODULE ? `${path}/` : path);
  }
  return { paths, shared: sharedIn(bytes, at, hash) };
}

/** A number of 7 bits a byte: how many bytes of the path before to remove. */
function offsetAt(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let end = start;
  let byte = bytes.readUInt8(end++);
  let value = byte & 0x7f;
  while (byte > 0x7f) {
    byte = bytes.readUInt8(end++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, end };
}

/** The name of the shared index, from the extension that has it. @param start of the extensions. */
function sharedIn(bytes: Buffer, start: number, hash: number): string | undefined {
  for (let at = start; at < bytes.length - hash; at += 8 + bytes.readUInt32BE(at + 4)) {
    if (bytes.toString('latin1', at, at + 4) !== 'link') continue;
    const shared = bytes.toString('hex', at + 8, at + 8 + hash);
    return /[^0]/.test(shared) ? shared : undefined;
  }
  return undefined;
}
