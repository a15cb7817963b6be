import { expect, test } from 'vitest';
import { StateError } from '../../src/base/command/state-error.ts';
import { MemoryPlace } from '../../src/lists/place.ts';
import { TodoReadHandler } from '../../src/todo/todo-read.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';
import { failed } from '../helpers/replies.ts';
import { commandsOn, json, todo } from './call.ts';

const list = (...contents: string[]) => json(...contents.map((content) => todo(content)));

/** Both commands on a list with one version for each of these contents. */
function commandsAfter(contents: readonly string[], history = 50) {
  let minute = 0;
  const now = () => new Date(Date.UTC(2026, 4, 1, 12, minute++));
  const store = new TodoStore(now, new MemoryPlace({ author: 'ann', history }));
  for (const content of contents) store.update([todo(content)]);
  return { store, ...commandsOn(store) };
}

test('a write for the newest version is made, and for version 0 where nothing was ever written', async () => {
  const { store, write } = commandsAfter([]);
  expect((await write('--if-version=0', list('a'))).exitCode).toBe(0);
  expect((await write('--if-version=0', list('b'))).exitCode).toBe(1);
  expect((await write('--if-version', '1', list('c'))).exitCode).toBe(0);
  expect(store.get()).toMatchObject({ version: 2, items: [todo('c')] });
});

test('a write for another version is refused, with the version and the list that there are', async () => {
  const { store, write } = commandsAfter(['a', 'b']);
  expect(await write(list('c'), '--if-version', '1')).toEqual(
    failed(`Error: The list is at version 2, not 1; nothing was changed. It now is:
[ ] b
Take this list into account, then write with --if-version 2.
`),
  );
  expect(store.get()).toMatchObject({ version: 2, items: [todo('b')] });
});

test('a write that is refused for its version prints under 4 KB for any list', async () => {
  const { store, write } = commandsAfter([]);
  store.update(Array.from({ length: 500 }, () => todo('任'.repeat(200))));
  const { stderr } = await write('--if-version', '7', list('c'));
  expect(Buffer.byteLength(stderr)).toBeLessThan(4096);
  expect(stderr).toMatch(/\nand \d+ more\nTake this list/);
});

test('a broken list is refused as such before any version is looked at', async () => {
  const { write } = commandsAfter(['a']);
  expect((await write('--if-version', '7', '{"todos":[{}]}')).stderr).toMatch(/^Error: Validation/);
});

test('an undo brings the list before back as a new version, and a second one the first again', async () => {
  const { store, write } = commandsAfter(['a', 'b', 'c']);
  const updated = 'Todo list updated: 0 completed, 0 in_progress, 1 pending\n';
  expect(await write('--undo')).toEqual({ stdout: updated, stderr: '', exitCode: 0 });
  expect(store.get()).toMatchObject({ version: 4, items: [todo('b')] });
  await write('--undo');
  expect(store.get()).toMatchObject({ version: 5, items: [todo('c')] });
  const first = commandsAfter(['a']);
  expect((await first.write('--undo')).exitCode).toBe(0);
  expect(first.store.get()).toMatchObject({ version: 2, items: [] });
  // A finished list, too, unless its own write has emptied it.
  const finished = [todo('a', { status: 'completed' })];
  first.store.update(finished);
  first.store.update([todo('b')]);
  await first.write('--undo');
  expect(first.store.get().items).toEqual(finished);
});

test.each([
  ['nothing was ever written', commandsAfter([])],
  ['the list before is no longer kept', commandsAfter(['a', 'b'], 1)],
])('an undo where %s is refused', async (_, { store, write }) => {
  const before = store.get();
  expect(await write('--undo')).toEqual(
    failed('Error: Nothing to undo\n- no earlier version is kept\n'),
  );
  expect(store.get()).toBe(before);
});

test('an undo to a version restores that one, and a second undo takes it back', async () => {
  const { store, write, read } = commandsAfter(['a', 'b', 'c'], 4);
  expect(await write('--undo', '--at', '1')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(store.get()).toMatchObject({ version: 4, items: [todo('a')] });
  await write('--undo');
  expect(store.get()).toMatchObject({ version: 5, items: [todo('c')] });
  expect(await write('--undo', '--at', '1')).toEqual(
    failed('Error: There is no version 1\n- versions 2 to 5 are kept\n'),
  );
  // A list that is written back as it was is meant as an undo; a changed one is late.
  const old = (await read('--at', '2', '--json')).stdout;
  const refused = await write(old);
  expect(refused.stderr).toMatch(/\nTo restore version 2: TodoWrite --undo --at 2\n$/);
  const late = [old.replace('pending', 'completed'), '{"todos":[],"version":1}'];
  for (const json of late) expect((await write(json)).stderr).not.toContain('--undo');
  await write('--undo', '--at', '2');
  expect(store.get()).toMatchObject({ version: 6, items: [todo('b')] });
});

test('the history is a line a version: number, time, agent, change', async () => {
  const { read } = commandsAfter(['a', 'b']);
  expect((await read('--history')).stdout).toBe(
    '2  2026-05-01T12:02:00Z  ann  1 removed, 1 added\n1  2026-05-01T12:01:00Z  ann  1 added\n',
  );
  expect((await commandsAfter([]).read('--history')).stdout).toBe('No versions.\n');
  // Of the oldest kept version only the length of the list is known.
  const { stdout } = await commandsAfter(['a', 'b', 'c'], 2).read('--history');
  expect(stdout).toMatch(/^3 .* 1 removed, 1 added\n2 .* 1 item\n$/);
});

test('an old version is shown, as text and as JSON', async () => {
  const { read } = commandsAfter(['a', 'b']);
  expect((await read('--at', '1')).stdout).toBe('[ ] a\n\n(0/1 completed)\n');
  expect(JSON.parse((await read('--json', '--at', '1')).stdout)).toEqual({
    todos: [todo('a')],
    updatedAt: '2026-05-01T12:01:00.000Z',
    version: 1,
  });
});

test('a version that is not kept is refused', async () => {
  const { read } = commandsAfter(['a', 'b', 'c'], 2);
  expect(await read('--at', '1')).toEqual(
    failed('Error: There is no version 1\n- versions 2 to 3 are kept\n'),
  );
  expect((await commandsAfter([]).read('--at', '1')).stderr).toContain('was never written');
});

test.each([
  ...[
    '--undo []',
    '--undo --if-version 1',
    '--undo -',
    '--at 1',
    '--at 1 --done 1',
    '--at 1 []',
  ].map((words) => ['write', words]),
  ...['--json --line', '--history --json', '--history --at 1', '--at', '--at x'].map((words) => [
    'read',
    words,
  ]),
] as ['read' | 'write', string][])('wrong usage: %s %s', async (name, words) => {
  const commands = commandsAfter(['a', 'b']);
  expect(await commands[name](...words.split(' '))).toMatchObject({ stdout: '', exitCode: 2 });
  expect(commands.store.get().version).toBe(2);
});

test('a list in memory is the only one: --agent and --session are wrong usage that says so', async () => {
  const { read, write } = commandsAfter(['a']);
  for (const result of [await read('--agent', 'bob'), await write('--session=s', list('b'))]) {
    expect(result).toMatchObject({ stdout: '', exitCode: 2 });
    expect(result.stderr).toMatch(/: this shell keeps one list, in memory: leave --\w+ out\n/);
  }
});

const fail = () => {
  throw new StateError('cannot read /lists/a.json: EIO: \x1b[31mbroken');
};
const broken = { author: 'main', load: fail, history: fail, commit: fail, watch: () => () => {} };
const unreadable = new TodoStore(undefined, broken);

test.each([
  [new TodoWriteHandler(unreadable), 'Cannot update the list', []],
  [new TodoWriteHandler(unreadable), 'Cannot update the list', ['--undo']],
  [new TodoReadHandler(unreadable), 'Cannot read the list', []],
  [new TodoReadHandler(unreadable), 'Cannot read the list', ['--history']],
])('trouble with where the list lives is exit code 3: %o, %s, %j', async (handler, title, argv) => {
  const stdin = async () => (argv.includes('--undo') ? '' : list('a'));
  expect(await handler.execute({ argv, stdin })).toEqual(
    failed(`Error: ${title}\n- cannot read /lists/a.json: EIO: ␛[31mbroken\n`, 3),
  );
});
