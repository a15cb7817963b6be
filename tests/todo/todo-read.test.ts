import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { MemoryPlace } from '../../src/lists/place.ts';
import type { Items, TodoItem } from '../../src/todo/todo-fields.ts';

import { TodoStore } from '../../src/todo/todo-store.ts';
import { failed, ok } from '../helpers/replies.ts';
import { todoList } from './arbitraries.ts';
import { commandsOn, json, todo } from './call.ts';

const at = new Date('2026-01-02T03:04:05.678Z');

async function todoRead(argv: string[], ...items: TodoItem[]) {
  const store = new TodoStore(() => at);
  store.update(items);
  return commandsOn(store).read(...argv);
}

test('the list has one line per item, then the count of completed ones', async () => {
  const result = await todoRead(
    [],
    { content: 'Refactor auth module', activeForm: 'Refactoring', status: 'completed', id: 'a' },
    {
      content: 'Add unit tests',
      activeForm: 'Adding unit tests for auth module',
      status: 'in_progress',
      id: '2\x1b',
      priority: 'high',
    },
    todo('Update documentation', { priority: 'low' }),
    todo('Ship'),
  );
  expect(result).toEqual(
    ok(`[x] Refactor auth module (id: a)
[>] Add unit tests <- Adding unit tests for auth module (id: 2␛, priority: high)
[ ] Update documentation (priority: low)
[ ] Ship

(1/4 completed)
`),
  );
});

test('--json prints the list, its time and its version as one line', async () => {
  const item: TodoItem = todo('Build', { id: '1', priority: 'low' });
  expect(await todoRead(['--json'], item)).toEqual(
    ok(
      '{"todos":[{"content":"Build","activeForm":"Doing","status":"pending","id":"1","priority":"low"}],"updatedAt":"2026-01-02T03:04:05.678Z","version":1}\n',
    ),
  );
});

test('text that a terminal would obey is shown as text', async () => {
  const { stdout } = await todoRead([], todo('a\x1b[2Jb\nc\u202ed'));
  expect(stdout).toBe('[ ] a␛[2Jb cd\n\n(0/1 completed)\n');
});

test('any valid list is stored without a word on stderr, and printed by --json in printable characters', async () => {
  await fc.assert(
    fc.asyncProperty(todoList(), async (items) => {
      const { write, read } = commandsOn(new TodoStore());
      expect(await write(json(...items))).toMatchObject({ exitCode: 0, stderr: '' });
      const { stdout } = await read('--json');
      expect(JSON.parse(stdout).todos).toEqual(items);
      expect(stdout).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+\n$/u);
    }),
  );
});

test("a host's tool call without input is none", async () => {
  expect(await todoRead([' {} '], todo('Build'))).toEqual(await todoRead([], todo('Build')));
});

test.each([
  ['list', "Unexpected argument 'list'", 1],
  ['', "Unexpected argument ''", 1],
  // Not '--at 3': an old list could be taken for the current one.
  ['3', "Unexpected argument '3'", 1],
  ['history', "Unexpected argument 'history'. Try: --history", 1],
  ['\x1b[2J', "Unexpected argument '␛[2J'", 1],
  ['--jsno', 'Unknown option --jsno (did you mean --json?)', 2],
])('%j is refused', async (argument, problem, exitCode) => {
  expect(await todoRead([argument], todo('Build'))).toEqual(
    failed(`Error: ${problem}\nUsage: TodoRead [--json]\n`, exitCode),
  );
});

test.each([
  [[], ''],
  [['completed', 'in_progress', 'pending', 'pending'], '1/4 Doing 1 · next: Do 2\n'],
  [['completed', 'pending'], '1/2 next: Do 1\n'],
  [['in_progress'], '0/1 Doing 0\n'],
  [['completed', 'completed'], '2/2 done\n'],
] as const)('--line shows %j in one line: %j', async (statuses, line) => {
  const items = statuses.map((status, index) =>
    todo(`Do ${index}`, { activeForm: `Doing ${index}`, status }),
  );
  expect(await todoRead(['--line'], ...items)).toEqual(ok(line));
});

test('the next item is the first pending one of the highest priority, in every text', async () => {
  const store = new TodoStore();
  const priorities = ['low', undefined, 'medium', 'high', 'high'] as const;
  store.update(priorities.map((priority, at) => todo(`Do ${at + 1}`, priority && { priority })));
  const { read, write } = commandsOn(store);
  const line = await read('--line');
  const replies = [await write('--done', '4', '--output', 'next'), await write('--done', '5')];
  expect([line, ...replies].map(({ stdout }) => stdout)).toEqual([
    '0/5 next: Do 4\n',
    'Todo list updated: 1 completed, 0 in_progress, 4 pending\nNext 5: Do 5\n',
    'Todo list updated: 2 completed, 0 in_progress, 3 pending\nNext 2: Do 2\n',
  ]);
});

test('--line stays one short line of text for any item', async () => {
  const text = `\u001b[31m${'x'.repeat(190)}\n`;
  const item = todo(text, { activeForm: text, status: 'in_progress' });
  const { stdout } = await todoRead(['--line'], item);
  expect(stdout).toMatch(/^[^\n\x1b]{1,70}\n$/);
});

test('the list is read once: on a server each time is a request', async () => {
  const place = new MemoryPlace<Items>();
  const store = new TodoStore(() => at, place);
  store.update([todo('Build')]);
  const load = vi.spyOn(place, 'load');
  expect((await commandsOn(store).read()).stdout).toContain('[ ] Build');
  expect(load).toHaveBeenCalledTimes(1);
});
