import {
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { StateError } from '../../src/base/command/state-error.ts';
import { FilePlace } from '../../src/lists/file-place.ts';
import { type FileSystem, nodeFileSystem } from '../../src/lists/file-system.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';
import { listFiles, temporaryDirectory } from '../helpers/files.ts';
import { askingFileSystem, Killed, type Operation, systemError } from './faulty-file-system.ts';

const NOW = new Date('2026-05-01T12:00:00.000Z');
const HISTORY = 3;

interface Situation {
  root: string;
  /** Of the list. */
  folder: string;
  place: (fs?: FileSystem) => FilePlace<string>;
}

/** A list with the versions `v1`, `v2`, ... */
function listWith(versions: number): Situation {
  const root = temporaryDirectory();
  const folder = join(root, 'state', 'session', 'agent');
  const place = (fs: FileSystem = nodeFileSystem) =>
    new FilePlace<string>({ folder, history: HISTORY, fs });
  for (let base = 0; base < versions; base++) place().commit(base, `v${base + 1}`, NOW);
  return { root, folder, place };
}

/** The operations of the next commit, including the folder's creation and the sweep. */
function operationsOf(versions: number): Operation[] {
  const operations: Operation[] = [];
  const fs = askingFileSystem((operation) => operations.push(operation));
  listWith(versions).place(fs).commit(versions, 'next', NOW);
  return operations;
}

describe.each([
  ['the first version', 0],
  ['a later version', 1],
  ['a version that displaces an old one', HISTORY],
])('%s', (_, versions) => {
  test('killed before any of the operations: the list is whole, and the next commit goes on', () => {
    for (const [index, { name }] of operationsOf(versions).entries()) {
      const situation = listWith(versions);
      const dying = askingFileSystem((_operation, count) => {
        if (count >= index) throw new Killed();
      });
      errorOf(() => situation.place(dying).commit(versions, 'next', NOW));
      const after = situation.place().load();
      const before = versions === 0 ? undefined : `v${versions}`;
      const expected = after?.version === versions + 1 ? 'next' : before;
      expect(after?.content, `killed before ${name}, operation ${index}`).toBe(expected);
      expectWhole(situation, after?.version ?? 0);
    }
  });

  test('trouble at any of the operations: an error that names it and the file, or the commit stands', () => {
    let refused = 0;
    for (const [index, { name }] of operationsOf(versions).entries()) {
      const situation = listWith(versions);
      const failing = askingFileSystem((_operation, count) => {
        if (count === index) throw systemError('EIO');
      });
      const error = errorOf(() => situation.place(failing).commit(versions, 'next', NOW));
      const after = situation.place().load()?.version ?? 0;
      const isDone = error === undefined || /was replaced/.test(error.message);
      expect(after, `${name}, operation ${index}`).toBe(isDone ? versions + 1 : versions);
      if (error !== undefined) {
        refused++;
        expect(error).toBeInstanceOf(StateError);
        expect(error.message).toContain('EIO: injected');
        expect(error.message).toContain(situation.root);
      }
      expectWhole(situation, after);
    }
    expect(refused).toBeGreaterThanOrEqual(6);
  });
});

/** The list continues from this version, without stray files. */
function expectWhole({ folder, place }: Situation, version: number): void {
  for (let base = version; base < version + HISTORY; base++) {
    expect(place().commit(base, `w${base + 1}`, NOW)?.version).toBe(base + 1);
    const files = listFiles(folder).filter((name) => /json$/.test(name));
    const numbers = files.map((name) => Number.parseInt(name, 10));
    expect(numbers.length, files.join(' ')).toBe(new Set(numbers).size);
  }
  const last = version + HISTORY;
  const history = [...place().history()];
  expect(history.map((entry) => entry.version)).toEqual([last, last - 1, last - 2]);
  const files = listFiles(join(folder, '..')).map((file) => file.replace(/-[a-z0-9]{8}/, ''));
  const kept = [last - 2, last - 1, last].map((number) => `agent/${number}.json`);
  expect(files).toEqual(['agent', ...kept, `agent/head-${last}`].sort());
}

function errorOf(action: () => unknown): Error | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

test('a disk that fills up in the middle of a file leaves no part of it', () => {
  const { folder, place } = listWith(1);
  const filling: FileSystem = {
    ...nodeFileSystem,
    write(descriptor, bytes) {
      nodeFileSystem.write(descriptor, bytes.subarray(0, bytes.length / 2));
      throw systemError('ENOSPC');
    },
  };
  expect(() => place(filling).commit(1, 'next', NOW)).toThrow(/cannot write .*ENOSPC/);
  expect(place().load()?.content).toBe('v1');
  expect(listFiles(folder)).toHaveLength(2);
});

test('trouble while reading: an error that names the file', () => {
  const { place } = listWith(1);
  for (const name of ['readdir', 'read'] as const) {
    const failing = askingFileSystem((operation) => {
      if (operation.name === name) throw systemError('EIO');
    });
    expect(() => place(failing).load()).toThrow(/cannot read .*agent.*EIO/);
  }
});

test('files are for this user alone, and a person can read them', () => {
  const { root, folder } = listWith(2);
  for (const name of listFiles(root)) {
    const stat = statSync(join(root, name));
    expect([name, stat.mode & 0o777]).toEqual([name, stat.isDirectory() ? 0o700 : 0o600]);
  }
  const file = listFiles(folder).find((name) => name.startsWith('2-')) ?? '';
  const text = readFileSync(join(folder, file), 'utf8');
  const at = NOW.toISOString();
  expect(JSON.parse(text)).toMatchObject({ format: 1, version: 2, at, by: 'main', content: 'v2' });
  expect(text.split('\n').length).toBeGreaterThan(5);
});

test('files of someone else in the place of a list: an error, not a wait without end', () => {
  const { folder, place } = listWith(0);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  expect(place().load()).toBeUndefined();
  expect(() => place().commit(0, 'x', NOW)).toThrow(/cannot make the folder .*agent: ENOTEMPTY/);
  expect(listFiles(join(folder, '..'))).toEqual(['agent', 'agent/notes.txt']);
});

test('a file that is larger than any list is damage, and is not read into memory; none is written', () => {
  const { folder, place } = listWith(1);
  writeFileSync(join(folder, '2-toolarge.json'), '');
  truncateSync(join(folder, '2-toolarge.json'), 2 ** 30);
  writeFileSync(join(folder, 'head-2-toolarge'), '');
  expect(place().load()).toMatchObject({
    content: 'v1',
    damage: expect.stringMatching(/2-toolarge\.json is damaged: it is larger than 256 MiB;/),
  });
  expect(() => place().commit(2, ' '.repeat(64 * 2 ** 20), NOW)).toThrow(
    /^the list is too large: \d+ bytes, at most 67108864; nothing was changed$/,
  );
  expect(place().commit(2, 'v3', NOW)).toMatchObject({ version: 3 });
});

test('a file or a link to nothing where a folder should be: an error that names it', () => {
  const { root, place } = listWith(0);
  mkdirSync(join(root, 'state'));
  writeFileSync(join(root, 'state', 'session'), '');
  expect(() => place().load()).toThrow(/cannot read .*agent: ENOTDIR/);
  expect(() => place().commit(0, 'x', NOW)).toThrow(/ENOTDIR/);
  const other = listWith(0);
  symlinkSync('/nowhere', join(other.root, 'state'));
  expect(() => other.place().commit(0, 'x', NOW)).toThrow(/cannot make the folder .*: ENOENT/);
});

test('a writer that is held up while others make any number of versions is refused', () => {
  const { folder, place } = listWith(2);
  // Paused after it has seen version 2, at each of its operations in turn.
  for (let held = 1; held < 6; held++) {
    const base = place().load()?.version ?? 0;
    const slow = askingFileSystem((_operation, index) => {
      if (index !== held) return;
      for (let others = 0; others < 2 * HISTORY; others++)
        place().commit(base + others, 'other', NOW);
    });
    expect(place(slow).commit(base, 'late', NOW)).toBeUndefined();
    expect(listFiles(folder)).toHaveLength(HISTORY + 1);
    expect(place().load()?.content).toBe('other');
  }
});

test('an unfinished commit of a killed process delays one commit, not for long, and leaves no file', () => {
  const { folder, place } = listWith(2);
  writeFileSync(join(folder, '3-stray.json'), '');
  let pauses = 0;
  const counting = askingFileSystem(({ name }) => {
    if (name === 'pause') pauses++;
  });
  expect(place(counting).commit(2, 'next', NOW)?.version).toBe(3);
  expect(pauses).toBe(20);
  expect(listFiles(folder).filter((file) => file.includes('stray'))).toEqual([]);
  expect(place(counting).commit(3, 'next', NOW)?.version).toBe(4);
  expect(pauses).toBe(20);
});

test('several that make the same list at once lose nothing', () => {
  const operations = operationsOf(0).length;
  for (let held = 0; held < operations; held++) {
    const { folder, place } = listWith(0);
    const slow = askingFileSystem((_operation, index) => {
      if (index === held) place().commit(place().load()?.version ?? 0, 'quick', NOW);
    });
    const late = place(slow).commit(0, 'late', NOW);
    const contents = [...place().history()].map(({ content }) => content);
    expect(contents).toEqual(late === undefined ? ['quick'] : ['quick', 'late']);
    expect(listFiles(join(folder, '..')).filter((name) => name.includes('~'))).toEqual([]);
  }
});

/** Renames, and reports a failure. */
const renamesAndFails = (code: string): FileSystem => ({
  ...nodeFileSystem,
  rename(from, to) {
    nodeFileSystem.rename(from, to);
    throw systemError(code);
  },
});

test('a rename that fails, done or not, is not known where it cannot be seen, and the list is whole', () => {
  const notKnown = /^not known whether the change was made: .* EIO: injected; read the list before/;
  const situation = listWith(1);
  const commit =
    (fs: FileSystem, { place } = situation) =>
    () =>
      place(fs).commit(1, 'next', NOW);
  let hasFailed = false;
  const unreadable = askingFileSystem(({ name }) => {
    if (name === 'rename') hasFailed = true;
    if (hasFailed) throw systemError('EIO');
  });
  expect(commit(unreadable, listWith(1))).toThrow(notKnown);
  expect(commit(renamesAndFails('EIO'))).toThrow(notKnown);
  expect(situation.place().load()?.content).toBe('next');
  expectWhole(situation, 2);
});

test('a rename that was done and is asked for again, as on network file systems, is a commit', () => {
  const situation = listWith(1);
  const place = situation.place(renamesAndFails('ENOENT'));
  expect(place.commit(1, 'next', NOW)?.version).toBe(2);
  expect(situation.place().load()?.content).toBe('next');
});

test.each(['EINVAL', 'ENOTSUP'])('lists are kept where folders cannot be synced: %s', (code) => {
  const { place } = listWith(0);
  let opened = '';
  let refusals = 0;
  const fs = askingFileSystem(({ name, path }) => {
    if (name === 'open') opened = path;
    if (name !== 'fsync' || opened.endsWith('.json')) return;
    refusals++;
    throw systemError(code);
  });
  expect(place(fs).commit(0, 'first', NOW)?.version).toBe(1);
  expect(refusals).toBeGreaterThan(0);
  expect(place().load()?.content).toBe('first');
});

const UNWRITABLE = ['EROFS', 'EACCES', 'EPERM', 'ENOTDIR', 'ENOENT', 'ENOSPC', 'EDQUOT'];

test.each(UNWRITABLE)('after %s TodoWrite says how to keep lists elsewhere', async (code) => {
  const failing = askingFileSystem(({ name }) => {
    if (name === 'mkdir') throw systemError(code);
  });
  const folder = join(temporaryDirectory(), 'state', 'session', 'agent');
  const store = new TodoStore(undefined, new FilePlace({ folder, fs: failing }));
  const handler = new TodoWriteHandler(store);
  const { stderr, exitCode } = await handler.execute({ argv: ['[]'], stdin: async () => '' });
  expect(exitCode).toBe(3);
  expect(stderr).toContain(`${code}: injected\n- to keep lists elsewhere, start this program with`);
  expect(stderr).toContain('TODO_STATE_DIR');
});
