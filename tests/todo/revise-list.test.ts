import { expect, test } from 'vitest';
import { USER } from '../../src/lists/place.ts';
import { openTodoStore, TodoStore } from '../../src/todo/todo-store.ts';
import { items } from '../guidance/agent-session.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { failed, ok } from '../helpers/replies.ts';
import { commandsOn, refused, todoWrite } from './call.ts';

function list(...lines: string[]) {
  const store = new TodoStore();
  store.update(items(...lines));
  const { write: call, read: show } = commandsOn(store);
  const read = async () => (await show()).stdout.split('\n\n')[0]?.split('\n');
  return { store, call, read };
}

test('items are started and completed by their places, in one change', async () => {
  const { store, call, read } = list('[>] A <- a', '[ ] B <- b', '[ ] C <- c');
  expect(await call('--done', '1', '--start', '3')).toEqual(
    ok('Todo list updated: 1 completed, 1 in_progress, 1 pending\nNow 3: C\nNext 2: B\n'),
  );
  expect(await read()).toEqual(['[x] A', '[ ] B', '[>] C <- c']);
  expect(store.get().version).toBe(2);
});

test('an id comes before a place', async () => {
  const { call, read } = list('[ ] #3 A', '[ ] #2 B', '[ ] C');
  expect((await call('--done', '3')).stdout).toContain('\nNext 2: B\n');
  expect(await read()).toEqual(['[x] A (id: 3)', '[ ] B (id: 2)', '[ ] C']);
});

test('the place of an item without an id is told apart from the same id of another one', async () => {
  const { call, read } = list('[x] #3 A', '[ ] B', '[ ] C');
  expect((await call('--done', '2')).stdout).toContain('\nNext @3: C\n');
  expect((await call('--done', 'c')).stderr).toContain("'c' is item @3. Try: TodoWrite --done @3");
  expect(await call('--start', '@3')).toMatchObject({ exitCode: 0 });
  expect(await read()).toEqual(['[x] A (id: 3)', '[x] B', '[>] C <- C']);
});

test.each([
  [['[ ] A', '[ ] B', '[ ] C'], '--done 1 --done 2,3', ['[x] A', '[x] B', '[x] C']],
  [['[x] A'], '--add B --active-form Bing --start 2', ['[x] A', '[>] B <- Bing']],
  [['[>] A <- a', '[ ] B'], '--drop 1 --start 2', ['[>] B <- B']],
  [['[>] A <- a', '[x] B'], '--pending 1 --pending 2', ['[ ] A', '[ ] B']],
])('%j is changed by %s to %j', async (before, options, after) => {
  const { call, read } = list(...before);
  expect(await call(...options.split(' '))).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await read()).toEqual(after);
});

test.each([
  [
    ['--start', '2'],
    'item 1 is in_progress: "A". Try: TodoWrite --done 1 --start 2, or --pending 1 --start 2',
  ],
  [
    ['--start', '3', '--drop', '2'],
    'item 1 is in_progress: "A". First: TodoWrite --done 1, or --pending 1',
  ],
  [
    ['--add', 'D', '--active-form', 'Ding', '--start', '4'],
    'item 1 is in_progress: "A". First: TodoWrite --done 1, or --pending 1',
  ],
  [['--done', '9'], "there is no item '9'; the list has 3 items, see TodoRead"],
  [['--done', 'Fix\x1b'], "there is no item 'Fix␛'; the list has 3 items, see TodoRead"],
  [['--done', '1-2'], "there is no item '1-2'; several are written 1,2"],
  [['--done', '0'], "there is no item '0'; the list has 3 items, see TodoRead"],
  [['--done', '1', '--drop', '1'], '--done and --drop both name 1'],
])('%j is refused, and the list stays', async (argv, line) => {
  const { store, call } = list('[>] A', '[ ] B', '[ ] C');
  expect(await call(...argv)).toEqual(failed(`Error: Cannot update the list\n- ${line}\n`));
  expect(store.get().version).toBe(1);
});

test('two items cannot be started at once, however they are named', async () => {
  const line = 'todos: Only one item can be in_progress, received 2 (todos[0], todos[1])';
  for (const argv of [
    ['--start', '1,2'],
    ['--start', '1', '--start', '2'],
  ]) {
    const { call } = list('[ ] A', '[ ] B');
    const stderr = `Error: Validation failed\n- ${line}; set all but one to pending\n`;
    expect(await call(...argv)).toEqual(failed(stderr));
  }
});

test('a result that breaks a rule is refused like any other list', async () => {
  const add = (content: string) =>
    todoWrite(['--add', content, '--active-form', 'Doing'], { settings: { maxItems: 1 } });
  const problems = { ' ': 'todos[1].content: Cannot be blank\n- todos:', B: 'todos:' };
  for (const [content, problem] of Object.entries(problems)) {
    const stderr = `Error: Validation failed\n- ${problem} Must have at most 1 items, received 2\n`;
    expect(await add(content)).toEqual(refused(stderr));
  }
});

test('--if-version holds for single changes too', async () => {
  const { call } = list('[>] A', '[ ] B');
  expect(await call('--if-version', '1', '--done', '1')).toMatchObject({ exitCode: 0 });
  const late = await call('--if-version', '1', '--done', '2');
  expect(late.stderr).toMatch(/^Error: The list is at version 2, not 1/);
});

test('another write in between is kept: the change is made to the newest list', async () => {
  class Contended extends TodoStore {
    override updateIf(...args: Parameters<TodoStore['updateIf']>) {
      if (this.get().version === 1) this.update([...this.get().items, ...items('[ ] C')]);
      return super.updateIf(...args);
    }
  }
  const store = new Contended();
  store.update(items('[>] A', '[ ] B'));
  await commandsOn(store).write('--done', '1');
  expect(store.get().items.map(({ content, status }) => [content, status])).toEqual([
    ['A', 'completed'],
    ['B', 'pending'],
    ['C', 'pending'],
  ]);
});

test("after a person's change the new places are printed before they count", async () => {
  const folder = `${temporaryDirectory()}/s/main`;
  const store = openTodoStore({ folder, author: 'main' });
  store.update(items('[>] A', '[ ] B', '[ ] C'));
  openTodoStore({ folder, author: USER }).update(items('[>] A', '[ ] C'));
  const done = () => commandsOn(store).write('--drop', '2');
  const refused = await done();
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toMatch(
    /^Error: The user changed the list; nothing was changed\nNote: the user dropped "B"\n/,
  );
  expect(store.get().items).toHaveLength(2);
  expect(await done()).toMatchObject({ exitCode: 0, stderr: '' });
  expect(store.get().items).toHaveLength(1);
});
