import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { FilePlace } from '../../src/lists/file-place.ts';
import type { FileSystem } from '../../src/lists/file-system.ts';
import { Random, testSeed } from '../helpers/random.ts';
import { askingFileSystem, systemError } from './faulty-file-system.ts';

const NOW = new Date('2026-05-01T12:00:00.000Z');
const COMMITS = 8;

const placeOn = (fs: FileSystem) =>
  new FilePlace<string>({ folder: '/home/state/session/agent', history: 3, fs });

type Names = ReadonlyMap<string, Node>;

/** A file's bytes or a folder's names, and all that they were since they were saved. */
interface Node {
  now: Buffer | Names;
  states: (Buffer | Names)[];
}

const nodeOf = (now: Buffer | Names): Node => ({ now, states: [now] });

function put(node: Node, content: Buffer | Names): void {
  node.now = content;
  node.states.push(content);
}

/** A disk in memory, on which fsync saves only what it must. */
function diskOf(root: Node): FileSystem {
  const opened: Node[] = [];
  const find = (path: string) =>
    path
      .split('/')
      .filter(Boolean)
      .reduce((folder, name) => {
        const node = (folder.now as Names).get(name);
        if (node === undefined) throw systemError('ENOENT');
        return node;
      }, root);
  const change = (path: string, how: (names: Map<string, Node>, name: string) => void) => {
    const folder = find(dirname(path));
    const names = new Map(folder.now as Names);
    how(names, basename(path));
    put(folder, names);
  };
  const remove = (path: string) => {
    find(path);
    change(path, (names, name) => names.delete(name));
  };
  return {
    mkdir: (path) =>
      change(path, (names, name) => {
        if (names.has(name)) throw systemError('EEXIST');
        names.set(name, nodeOf(new Map()));
      }),
    readdir: (path) => [...(find(path).now as Names).keys()],
    open: (path, flags) => {
      if (flags !== 'r')
        change(path, (names, name) => names.set(name, names.get(name) ?? nodeOf(Buffer.alloc(0))));
      return opened.push(find(path)) - 1;
    },
    read: (path) => find(path).now as Buffer,
    write: (file, bytes) => put(opened[file] as Node, bytes),
    fsync: (descriptor) => {
      const node = opened[descriptor] as Node;
      node.states = [node.now];
    },
    close: () => {},
    rename: (from, to) => {
      const node = find(from);
      // Both in one folder.
      change(to, (names, name) => names.delete(basename(from)) && names.set(name, node));
    },
    unlink: remove,
    rmdir: remove,
    pause: () => {},
  };
}

/** What a power cut may leave: of an unsaved file any part, of the changes of names in a folder any number, in order. */
function afterPowerCut({ now, states }: Node, random: Random): Node {
  const left = random.pick(states);
  if (Buffer.isBuffer(now))
    return nodeOf(states.length > 1 ? now.subarray(0, random.below(now.length + 1)) : now);
  const names = [...(left as Names)].map(
    ([name, node]) => [name, afterPowerCut(node, random)] as const,
  );
  return nodeOf(new Map(names));
}

test('a power cut before any operation takes no version that was acknowledged', () => {
  const seed = testSeed();
  const random = new Random(seed);
  const disk = nodeOf(new Map());
  let acknowledged = 0;
  let cuts = 0;
  const cutting = askingFileSystem(() => {
    for (let outcome = 0; outcome < 10; outcome++) {
      const after = placeOn(diskOf(afterPowerCut(disk, random)));
      const newest = after.load();
      const version = newest?.version ?? 0;
      expect(version, `seed ${seed}, cut ${cuts}`).toBeGreaterThanOrEqual(acknowledged);
      expect(version).toBeLessThanOrEqual(acknowledged + 1);
      expect(newest?.content).toBe(version === 0 ? undefined : `v${version}`);
      expect(after.commit(version, 'next', NOW)?.version).toBe(version + 1);
      cuts++;
    }
  }, diskOf(disk));
  const place = placeOn(cutting);
  while (acknowledged < COMMITS) {
    expect(place.commit(acknowledged, `v${acknowledged + 1}`, NOW)).toBeDefined();
    acknowledged++;
  }
  expect(cuts).toBeGreaterThan(500);
});
