import { basename, dirname } from 'node:path';
import type { FileSystem } from '../../src/state/file-system.ts';
import type { Random } from '../helpers/random.ts';
import { systemError } from './faulty-file-system.ts';

interface File {
  kind: 'file';
  bytes: Buffer;
  /** The bytes that survive a power cut. */
  saved: Buffer;
}

interface Folder {
  kind: 'folder';
  names: Map<string, Node>;
  saved: Map<string, Node>;
  /** The states since then; a power cut may leave any of them. */
  since: Map<string, Node>[];
}

type Node = File | Folder;

const newFolder = (): Folder => ({ kind: 'folder', names: new Map(), saved: new Map(), since: [] });

/**
 * A disk that loses on a power cut what fsync did not save: of an unsaved file any part may be left, of the changes of
 * names in a folder any number, in order. fsync saves only what it must.
 */
export class SimulatedDisk {
  readonly #root = newFolder();
  readonly #open = new Map<number, Node>();
  #nextDescriptor = 3;

  readonly fs: FileSystem = {
    mkdir: (path) => {
      const [folder, name] = this.#parent(path);
      if (folder.names.has(name)) throw systemError('EEXIST');
      this.#rename(folder, (names) => names.set(name, newFolder()));
    },
    readdir: (path) => [...this.#folder(path).names.keys()],
    open: (path, flags) => {
      const [folder, name] = path === '/' ? [this.#root, '.'] : this.#parent(path);
      const there = path === '/' ? this.#root : folder.names.get(name);
      if (there && flags === 'wx') throw systemError('EEXIST');
      if (!there && flags === 'r') throw systemError('ENOENT');
      const node: Node = there ?? { kind: 'file', bytes: Buffer.alloc(0), saved: Buffer.alloc(0) };
      if (!there) this.#rename(folder, (names) => names.set(name, node));
      this.#open.set(this.#nextDescriptor, node);
      return this.#nextDescriptor++;
    },
    read: (path) => {
      const [folder, name] = this.#parent(path);
      const node = folder.names.get(name);
      if (node?.kind !== 'file') throw systemError(node ? 'EISDIR' : 'ENOENT');
      return node.bytes;
    },
    write: (descriptor, bytes) => {
      const node = this.#open.get(descriptor);
      if (node?.kind === 'file') node.bytes = Buffer.concat([node.bytes, bytes]);
    },
    fsync: (descriptor) => {
      const node = this.#open.get(descriptor);
      if (node?.kind === 'file') node.saved = node.bytes;
      if (node?.kind !== 'folder') return;
      node.saved = new Map(node.names);
      node.since = [];
    },
    close: (descriptor) => {
      this.#open.delete(descriptor);
    },
    rename: (from, to) => {
      const [source, oldName] = this.#parent(from);
      const [target, newName] = this.#parent(to);
      const node = source.names.get(oldName);
      if (node === undefined) throw systemError('ENOENT');
      const replaced = target.names.get(newName);
      if (replaced?.kind === 'folder' && replaced.names.size > 0) throw systemError('ENOTEMPTY');
      if (source !== target) throw new Error('not simulated: a rename from folder to folder');
      this.#rename(source, (names) => {
        names.delete(oldName);
        names.set(newName, node);
      });
    },
    unlink: (path) => this.#remove(path),
    rmdir: (path) => this.#remove(path),
    pause: () => {},
  };

  /** A random state after a power cut at this moment. */
  afterPowerCut(random: Random): SimulatedDisk {
    const disk = new SimulatedDisk();
    disk.#root.names = left(this.#root, random).names;
    return disk;
  }

  #folder(path: string): Folder {
    if (path === '/') return this.#root;
    const [folder, name] = this.#parent(path);
    const node = folder.names.get(name);
    if (node?.kind !== 'folder') throw systemError(node ? 'ENOTDIR' : 'ENOENT');
    return node;
  }

  #parent(path: string): [Folder, string] {
    return [this.#folder(dirname(path)), basename(path)];
  }

  #remove(path: string): void {
    const [folder, name] = this.#parent(path);
    if (!folder.names.has(name)) throw systemError('ENOENT');
    this.#rename(folder, (names) => names.delete(name));
  }

  #rename(folder: Folder, change: (names: Map<string, Node>) => unknown): void {
    change(folder.names);
    folder.since.push(new Map(folder.names));
  }
}

function left(folder: Folder, random: Random): Folder {
  const names = random.pick([folder.saved, ...folder.since]);
  const kept = [...names].map(([name, node]) => [name, leftOf(node, random)] as const);
  return { kind: 'folder', names: new Map(kept), saved: new Map(kept), since: [] };
}

function leftOf(node: Node, random: Random): Node {
  if (node.kind === 'folder') return left(node, random);
  const isSaved = node.saved === node.bytes;
  const bytes = isSaved ? node.bytes : node.bytes.subarray(0, random.below(node.bytes.length + 1));
  return { kind: 'file', bytes, saved: bytes };
}
