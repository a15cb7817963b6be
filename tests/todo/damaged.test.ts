import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FilePlace } from '../../src/lists/file-place.ts';
import { ServerStorage } from '../../src/servers/server-storage.ts';
import { TodoHome } from '../../src/todo/todo-home.ts';
import { TodoReadHandler } from '../../src/todo/todo-read.ts';
import { openTodoStore } from '../../src/todo/todo-store.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { failed, ok } from '../helpers/replies.ts';
import { describeOn, useServers } from '../helpers/servers.ts';
import { commandsOn, json, todo } from './call.ts';

// A list with a damaged newest version stays usable: the newest whole version counts, and a note says so until the next write.

describe('in files', () => staysUsable(() => ({ TODO_STATE_DIR: temporaryDirectory() })));
describeOn(useServers().one, (server) =>
  staysUsable(() => ({ TODO_STATE_URL: server().emptyUrl() })),
);

function staysUsable(variables: () => Record<string, string>): void {
  /** A list with these versions, of which the newest is then overwritten. */
  async function damagedAfter(...contents: string[]) {
    const home = new TodoHome({ TODO_SESSION: 's', ...variables() }, '/');
    onTestFinished(() => home.close());
    if (home.storage instanceof ServerStorage) await home.storage.init();
    const list = home.open({});
    const { write, read } = commandsOn(list);
    for (const content of contents) await write(json(todo(content)));
    const options = { author: 'main', history: 50 };
    const place = home.storage.place<unknown>('todos/s/main', options);
    expect(await place.commit(contents.length, 'junk', new Date())).toBeDefined();
    return { write, read, list };
  }

  test('TodoRead shows the newest whole version, with a note', async () => {
    const { read } = await damagedAfter('a', 'b');
    const note = /^Note: .* is damaged: it does not contain a list; version 2 stands in for it\n$/;
    for (const argv of [[], ['--json'], ['--format', 'md'], ['--history'], ['--at', '3']]) {
      const { stdout, stderr, exitCode } = await read(...argv);
      expect([argv, exitCode, stderr]).toEqual([argv, 0, expect.stringMatching(note)]);
      expect(stdout).not.toBe('');
    }
    expect((await read()).stdout).toBe('[ ] b\n\n(0/1 completed)\n');
    const { todos, version } = JSON.parse((await read('--json')).stdout);
    expect([todos, version]).toEqual([[todo('b')], 3]);
    expect((await read('--history')).stdout).toMatch(/^3 .* 1 removed, 1 added\n1 .* 1 added\n$/);
    expect(await read('--line')).toMatchObject(ok('0/1 next: b\n'));
    expect(await read('--at', '1')).toEqual(ok('[ ] a\n\n(0/1 completed)\n'));
  });

  test('a person who reads it on a terminal gets the note, too', async () => {
    const { list } = await damagedAfter('a', 'b');
    const reader = new TodoReadHandler(list, undefined, async ([newest]) => `${newest?.version}`);
    const { stdout, stderr } = await reader.execute({ argv: [] });
    expect([stdout, stderr]).toEqual(['3', expect.stringContaining('is damaged')]);
  });

  test('a whole new list replaces it, and names the damage', async () => {
    const { read, write } = await damagedAfter('a', 'b');
    expect((await write(json(todo('c')))).stderr).toMatch(
      /^Note: .* is damaged: .*; version 2 stands in for it\n$/,
    );
    expect(await read()).toEqual(ok('[ ] c\n\n(0/1 completed)\n'));
    expect((await read('--history')).stdout).toMatch(/^4 .*\n2 .*\n1 .*\n$/);
    expect((await write(json(todo('d')))).stderr).toBe('');
  });

  test('--undo makes the newest whole version the list again', async () => {
    const { read, write } = await damagedAfter('a', 'b');
    expect(await write('--undo')).toMatchObject({ exitCode: 0 });
    expect(await read()).toEqual(ok('[ ] b\n\n(0/1 completed)\n'));
  });

  test('a change of single items is one of the newest whole version, and names the damage', async () => {
    const { read, write } = await damagedAfter('a', 'b');
    const { exitCode, stderr } = await write('--done', '1');
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/version 2 stands in for it\n/)]);
    expect((await read()).stdout).toBe('[x] b\n\n(1/1 completed)\n');
  });

  test('where no version is whole, only a whole new list helps, and the error says so', async () => {
    const { read, write } = await damagedAfter();
    for (const result of [await read(), await write('--undo'), await write('--done', '1')]) {
      expect(result).toMatchObject({ stdout: '', exitCode: 3 });
      expect(result.stderr).toMatch(
        / is damaged: .*\n- no earlier version is intact; write a whole new list: /,
      );
    }
    expect((await write(json(todo('a')))).stderr).toMatch(/^Note: .* is damaged: /);
    expect(await read()).toEqual(ok('[ ] a\n\n(0/1 completed)\n'));
  });
}

const DAMAGE: [string, (path: string) => void, problem?: string][] = [
  ['is other text', (path) => writeFileSync(path, 'x\n')],
  ['is empty', (path) => writeFileSync(path, '')],
  ['is cut short', (path) => writeFileSync(path, readFileSync(path).subarray(0, 100))],
  ['is gone', (path) => rmSync(path)],
  ['is a folder', insteadOf(mkdirSync), 'is not a regular file'],
  ['is a link', insteadOf((path) => symlinkSync('/dev/zero', path)), 'is a symbolic link'],
  ['is a FIFO', insteadOf((path) => execFileSync('mkfifo', [path])), 'is not a regular file'],
  [
    'is that of another version',
    (path) => writeFileSync(path, readFileSync(fileOf(dirname(path), '1-'))),
    'it holds version 1',
  ],
];

function insteadOf(make: (path: string) => unknown) {
  return (path: string) => {
    rmSync(path);
    make(path);
  };
}

function fileOf(folder: string, start: string): string {
  return join(folder, readdirSync(folder).find((name) => name.startsWith(start)) ?? '');
}

/** A list in files with three versions, and the name of the newest one's file. */
function writtenThrice() {
  const folder = join(temporaryDirectory(), 'main');
  const open = () => openTodoStore({ folder });
  for (const content of ['a', 'b', 'c']) open().update([todo(content)]);
  return { folder, open, path: (start: string) => fileOf(folder, start) };
}

test.each(DAMAGE)('readers and --undo continue where a file %s', (_, damage, problem = '') => {
  const { open, path } = writtenThrice();
  damage(path('3-'));
  expect(open().get()).toMatchObject({ version: 3, items: [todo('b')] });
  expect(open().get().damage).toContain(problem);
  const versions = () =>
    open()
      .history()
      .map(({ version }) => version);
  expect(versions()).toEqual([3, 1]);
  open().update([todo('d')]);
  expect(open().get()).toMatchObject({ version: 4, items: [todo('d')], damage: undefined });
  expect(versions()).toEqual([4, 2, 1]);
  const other = writtenThrice();
  damage(other.path('3-'));
  expect(other.open().undo()).toMatchObject({ version: 4, items: [todo('b')] });
  expect(other.open().get().damage).toBeUndefined();
});

test('a damaged version among others is not kept, and the reply names the nearest that are', async () => {
  const { open, path } = writtenThrice();
  writeFileSync(path('2-'), 'junk');
  const { read, write } = commandsOn(open());
  const refused = failed('Error: There is no version 2\n- 1 and 3 are the nearest kept\n');
  expect(await read('--at', '2')).toEqual(refused);
  expect(await write('--undo', '--at', '2')).toEqual(refused);
});

test('--undo to a list that is damaged says which one it went back to', async () => {
  const { open, path } = writtenThrice();
  writeFileSync(path('2-'), 'junk');
  const undone = await commandsOn(open()).write('--undo');
  expect(undone.stderr).toMatch(/^Note: .*\/2-.* is damaged: .*; version 1 stands in for it\n$/);
  expect(open().get().items).toEqual([todo('a')]);
});

test('a list without a head: the newest whole version counts, and the next write repairs it', async () => {
  const { folder, open, path } = writtenThrice();
  rmSync(path('head-'));
  expect(await commandsOn(open()).read()).toEqual(ok('[ ] c\n\n(0/1 completed)\n'));
  expect(await commandsOn(open()).write('--done', '1')).toMatchObject({ exitCode: 0 });
  expect(readdirSync(folder).filter((name) => name.startsWith('head-4-'))).toHaveLength(1);
  const versions = [...open().history()].map(({ version }) => version);
  expect(versions).toEqual([4, 3, 2, 1]);
});

test('the largest number that can be read is the largest that is written', async () => {
  const { folder, open, path } = writtenThrice();
  renameSync(path('head-3-'), join(folder, 'head-999999999999999-x'));
  const files = readdirSync(folder);
  for (const argv of [['--undo'], [json(todo('d'))], ['--done', '1']]) {
    const { stdout, stderr, exitCode } = await commandsOn(open()).write(...argv);
    expect([stdout, exitCode]).toEqual(['', 3]);
    expect(stderr).toContain(
      'has no number left for a version after 999999999999999: move it away',
    );
  }
  expect(readdirSync(folder)).toEqual(files);
  renameSync(join(folder, 'head-999999999999999-x'), join(folder, 'head-999999999999998-x'));
  expect(await commandsOn(open()).write('--undo')).toMatchObject({ exitCode: 0 });
  expect(open().get()).toMatchObject({ version: 999_999_999_999_999, items: [todo('c')] });
});

test('a file in a newer format is not damaged: nothing stands in for it, and nothing replaces it', () => {
  const { open, path } = writtenThrice();
  writeFileSync(path('3-'), '{"format":2,"checksum":"00000000",\n}\n');
  expect(() => open().get()).toThrow(/has format 2, and this program reads format 1 only/);
  expect(() => open().update([])).toThrow(/has format 2/);
});

test('a damaged file is left as it is by readers, and the newest version again once it is repaired', () => {
  const { folder, open, path } = writtenThrice();
  const [file, files] = [path('3-'), readdirSync(folder)];
  const bytes = readFileSync(file);
  writeFileSync(file, 'x');
  const store = open();
  expect(store.get().items).toEqual([todo('b')]);
  expect(readdirSync(folder)).toEqual(files);
  writeFileSync(file, bytes);
  expect(store.get()).toMatchObject({ version: 3, items: [todo('c')] });
});

const proof = { command: 'true', exitCode: 0 as const, at: '2026-01-31T12:00:00.000Z', by: 'main' };

test.each<[unknown, string]>([
  ['junk', 'is not an object'],
  [{ content: undefined }, 'has no content'],
  [{ activeForm: undefined }, 'has no activeForm'],
  [{ status: '\u001b]52;c;ZXZpbA==\u0007' }, 'has an invalid status'],
  [{ priority: 'x' }, 'has an invalid priority'],
  [{ id: 1 }, 'has an invalid id'],
  [{ proof: null }, 'has an invalid proof'],
  ...[{ command: 1 }, { by: 1 }, { exitCode: 1 }, { at: 1 }, { at: 'soon' }].map(
    (wrong): [object, string] => [{ proof: { ...proof, ...wrong } }, 'has an invalid proof'],
  ),
])('a stored item with %j %s', (fields, problem) => {
  const folder = join(temporaryDirectory(), 'main');
  const item = typeof fields === 'object' ? { ...todo('a'), ...fields } : fields;
  new FilePlace<unknown>({ folder }).commit(0, [todo('a', { proof }), item], new Date());
  expect(() => openTodoStore({ folder }).get()).toThrow(`item 1 ${problem}`);
});
