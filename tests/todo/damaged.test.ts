import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FilePlace } from '../../src/lists/file-place.ts';
import { ServerLists } from '../../src/servers/server-lists.ts';
import { TodoLists } from '../../src/todo/todo-lists.ts';
import { openTodoStore } from '../../src/todo/todo-store.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { ok } from '../helpers/replies.ts';
import { describeOn, useServers } from '../helpers/servers.ts';
import { commandsOn, json, todo } from './call.ts';

// A list with a damaged newest version stays usable: an older version stands in for it until a new one replaces it.

describe('in files', () => staysUsable(() => ({ TODO_STATE_DIR: temporaryDirectory() })));
describeOn(useServers().one, (server) =>
  staysUsable(() => ({ TODO_STATE_URL: server().emptyUrl() })),
);

function staysUsable(variables: () => Record<string, string>): void {
  /** A list with these versions, of which the newest is then overwritten. */
  async function damagedAfter(...contents: string[]) {
    const lists = new TodoLists({ TODO_SESSION: 's', ...variables() }, '/');
    onTestFinished(() => lists.close());
    if (lists.lists instanceof ServerLists) await lists.lists.init();
    const list = lists.open({});
    const { write, read } = commandsOn(list);
    for (const content of contents) await write(json(todo(content)));
    const options = { author: 'main', history: 50 };
    const place = lists.lists.place<unknown>('todos/s/main', options);
    expect(await place.commit(contents.length, 'junk', new Date())).toBeDefined();
    return { write, read };
  }

  test('TodoRead shows the newest whole version, with a note', async () => {
    const { read } = await damagedAfter('a', 'b');
    const note =
      /^Note: .* is damaged: it does not contain a list; version 2 stands in for version 3\n$/;
    for (const argv of [[], ['--json'], ['--format', 'md'], ['--history'], ['--at', '3']]) {
      const { stdout, stderr, exitCode } = await read(...argv);
      expect([argv, exitCode, stderr]).toEqual([argv, 0, expect.stringMatching(note)]);
      expect(stdout).not.toBe('');
    }
    expect((await read()).stdout).toBe('[ ] b\n\n(0/1 completed)\n');
    const { todos, version } = JSON.parse((await read('--json')).stdout);
    expect([todos, version]).toEqual([[todo('b')], 3]);
    expect((await read('--history')).stdout).toMatch(
      /^3 {2}damaged; version 2 stands in for it\n2 .* 1 removed, 1 added\n1 .* 1 added\n$/,
    );
    expect(await read('--line')).toMatchObject(ok('0/1 next: b\n'));
    expect(await read('--at', '1')).toEqual(ok('[ ] a\n\n(0/1 completed)\n'));
  });

  test('a whole new list replaces it, and names the damage', async () => {
    const { read, write } = await damagedAfter('a', 'b');
    expect((await write(json(todo('c')))).stderr).toMatch(
      /^Note: replaced version 3, which is kept as (it is|3-\w+\.json\.damaged): .* is damaged: /,
    );
    expect(await read()).toEqual(ok('[ ] c\n\n(0/1 completed)\n'));
    expect((await read('--history')).stdout).toMatch(/^4 .*\n3 {2}damaged; .*\n2 .*\n1 .*\n$/);
    expect((await write(json(todo('d')))).stderr).toBe('');
  });

  test('--undo makes the newest whole version the list again', async () => {
    const { read, write } = await damagedAfter('a', 'b');
    expect(await write('--undo')).toMatchObject({ exitCode: 0 });
    expect(await read()).toEqual(ok('[ ] b\n\n(0/1 completed)\n'));
  });

  test('single items are not changed by an agent unaware of the stand-in', async () => {
    const { read, write } = await damagedAfter('a', 'b');
    const refused = await write('--done', '1');
    expect(refused).toMatchObject({ exitCode: 3, stdout: '' });
    expect(refused.stderr).toMatch(
      /version 2 stands in for version 3\. See it with TodoRead; then TodoWrite --undo/,
    );
    expect(await write('--done', '1', '--if-version', '3')).toMatchObject({ exitCode: 0 });
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
    expect((await write(json(todo('a')))).stderr).toMatch(/^Note: replaced version 1, /);
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
function writtenThrice(history = 50) {
  const folder = join(temporaryDirectory(), 'main');
  const open = () => openTodoStore({ folder, history });
  for (const content of ['a', 'b', 'c']) open().update([todo(content)]);
  return { folder, open, path: (start: string) => fileOf(folder, start) };
}

test.each(DAMAGE)('readers and --undo continue where a file %s', (kind, damage, problem = '') => {
  const { folder, open, path } = writtenThrice();
  damage(path('3-'));
  expect(open().get()).toMatchObject({ version: 3, items: [todo('b')], damage: { shown: 2 } });
  expect(open().get().damage?.message).toContain(problem);
  const versions = () =>
    open()
      .history()
      .map(({ version, damage }) => [version, damage?.shown]);
  expect(versions()).toEqual([[3, 2], [2], [1]].map(([a, b]) => [a, b]));
  open().update([todo('d')]);
  expect(open().get()).toMatchObject({ version: 4, items: [todo('d')], damage: undefined });
  expect(versions()).toEqual([[4], [3, 2], [2], [1]].map(([a, b]) => [a, b]));
  const isKept = readdirSync(folder).some((name) => name.endsWith('.damaged'));
  expect(isKept).toBe(kind !== 'is gone');
  const other = writtenThrice();
  damage(other.path('3-'));
  expect(other.open().undo()).toMatchObject({ version: 4, items: [todo('b')] });
  expect(other.open().get().damage).toBeUndefined();
});

test('--undo to a list that is damaged says which one it went back to', async () => {
  const { open, path } = writtenThrice();
  writeFileSync(path('2-'), 'junk');
  const undone = await commandsOn(open()).write('--undo');
  expect(undone.stderr).toMatch(
    /^Note: .*\/2-.* is damaged: .*; version 1 stands in for version 2\n$/,
  );
  expect(open().get().items).toEqual([todo('a')]);
});

test('the remains of a damaged version stay, however few versions are kept', () => {
  const { folder, open, path } = writtenThrice(1);
  const file = path('3-');
  writeFileSync(file, 'half a li');
  for (const content of ['d', 'e', 'f']) open().update([todo(content)]);
  expect(readdirSync(folder).filter((name) => name.endsWith('.json'))).toHaveLength(1);
  expect(readFileSync(`${file}.damaged`, 'utf8')).toBe('half a li');
});

test('a list without a head: the newest version is shown, with a note, and the next write repairs it', async () => {
  const { open, path } = writtenThrice();
  rmSync(path('head-'));
  const read = await commandsOn(open()).read();
  expect(read).toMatchObject({ stdout: '[ ] c\n\n(0/1 completed)\n', exitCode: 0 });
  expect(read.stderr).toMatch(
    /^Note: .* no head-\.\.\. file says which version is the newest; version 3 is shown\n$/,
  );
  const write = (...argv: string[]) => commandsOn(open()).write(...argv);
  expect(await write('--done', '1')).toMatchObject({ exitCode: 3 });
  expect((await write('--undo')).stderr).toMatch(
    /^Note: replaced version 3, which is kept as it is/,
  );
  expect(open().get()).toMatchObject({ version: 4, items: [todo('c')], damage: undefined });
  const versions = [...open().history()].map(({ version }) => version);
  expect(versions).toEqual([4, 3, 2, 1]);
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
