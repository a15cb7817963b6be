import { expect, onTestFinished, test } from 'vitest';
import { USER } from '../../src/lists/place.ts';
import { type PromptCommand, PromptLists } from '../../src/prompt/prompt-lists.ts';
import { createTasks } from '../../src/tasks/task-create.ts';
import { openTaskStore } from '../../src/tasks/task-store.ts';
import { updateTask } from '../../src/tasks/update-task.ts';
import { openTodoStore } from '../../src/todo/todo-store.ts';
import { items } from '../guidance/agent-session.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { listFolder } from '../helpers/list-folders.ts';
import { LEADER } from '../tasks/tasks.ts';

// What a prompt shows and says of its lists, without a terminal.

function lists(more: Record<string, string> = {}) {
  const directory = temporaryDirectory();
  const state = `${directory}/state`;
  const environment = { TODO_STATE_DIR: state, TODO_SESSION: 's', NO_COLOR: '1', ...more };
  const folder = listFolder(state, { session: 's', agent: more.TODO_AGENT ?? 'main' });
  const store = openTaskStore({ environment, directory });
  return {
    write: (...lines: string[]) => openTodoStore({ folder, author: USER }).update(items(...lines)),
    create: (subject: string, owner?: string) =>
      store.change((graph, at) => createTasks(graph, [{ subject, owner }], at), undefined, 'lead'),
    begin: (taskId: number) =>
      store.change((graph, at) => updateTask(graph, { taskId, status: 'in_progress' }, LEADER, at)),
    atPrompt: async () => {
      const found = await PromptLists.open({ environment, directory, columns: 80, rows: 24 });
      onTestFinished(() => found.close());
      return found;
    },
  };
}

const NONE = { todos: 0, tasks: 0 };

test('the versions of the lists are those in the paths of their heads; a list without one has version 0', async () => {
  const { write, create, atPrompt } = lists();
  const empty = await atPrompt();
  expect(empty.versionsIn('')).toEqual(NONE);
  expect(empty.versionsIn(empty.heads)).toEqual(NONE);
  expect([empty.isDone, empty.rows()]).toEqual([true, []]);
  write('[ ] a');
  write('[>] a');
  await create('A');
  const found = await atPrompt();
  expect(found.versionsIn(found.heads)).toEqual({ todos: 2, tasks: 1 });
  expect(found.versionsIn(`x${found.heads}y`)).toEqual({ todos: 2, tasks: 1 });
  expect(found.heads.split('\n')).toHaveLength(3);
  expect(found.isDone).toBe(false);
  write('[x] a');
  expect((await atPrompt()).isDone).toBe(true);
});

test('what has changed its status since is fresh, new items and tasks are not', async () => {
  const { write, create, begin, atPrompt } = lists();
  write('[>] a', '[ ] b');
  await create('A');
  await create('B');
  const before = { todos: 1, tasks: 2 };
  write('[x] a', '[ ] b', '[ ] c');
  await begin(2);
  await create('C');
  const found = await atPrompt();
  const named = (changes: ReturnType<typeof found.changedSince>) =>
    [...changes.fresh].map((row) => {
      const { content, subject } = row as { content?: string; subject?: string };
      return content ?? subject;
    });
  expect(named(found.changedSince(before))).toEqual(['a', 'B']);
  expect(found.changedSince(before).rewritten).toEqual({ added: 1, removed: 0 });
  expect(named(found.changedSince({ ...before, tasks: 4 }))).toEqual(['a']);
  expect(named(found.changedSince({ ...before, tasks: 0 }))).toEqual(['a']);
  expect(named(found.changedSince({ todos: 2, tasks: 2 }))).toEqual(['B']);
  expect(named(found.changedSince(NONE))).toEqual([]);
  expect(found.changedSince(NONE).rewritten).toBeUndefined();
  expect(named(found.latestOf('todos'))).toEqual(['a']);
  expect(named(found.latestOf('tasks'))).toEqual([]);
  const shown = found.rows().join('\n');
  for (const text of ['Tasks', '○ b', 'Team tasks', '#2 B...']) expect(shown).toContain(text);
});

test('in words, each list that has changed is a line', async () => {
  const { write, create, begin, atPrompt } = lists();
  write('[>] a');
  await create('A');
  const first = await atPrompt();
  expect(first.report({ todos: 1, tasks: 1 })).toEqual([]);
  const both = first.report(NONE);
  expect(both).toHaveLength(2);
  expect(both[0]).toMatch(/^Tasks/);
  await begin(1);
  const second = await atPrompt();
  expect(second.report({ todos: 1, tasks: 1 })).toHaveLength(1);
});

test('news of the team are for an agent with a name, once', async () => {
  const nameless = lists();
  await nameless.create('A', 'main');
  expect(await (await nameless.atPrompt()).newsOfTeam()).toEqual([]);
  const ann = lists({ TODO_AGENT: 'ann' });
  await ann.create('A', 'ann');
  expect(await (await ann.atPrompt()).newsOfTeam()).toEqual([
    'Note: #1 "A": assigned to you by lead',
  ]);
  expect(await (await ann.atPrompt()).newsOfTeam()).toEqual([]);
});

test('guidance counts the commands since the list was written', async () => {
  const { write, atPrompt } = lists();
  write('[>] a', '[ ] b');
  const found = await atPrompt();
  const ran = (count: number, line = 'ls'): PromptCommand[] =>
    Array.from({ length: count }, () => ({ line, exitCode: 0, todos: 1, tasks: 0 }));
  const wrote: PromptCommand[] = [{ line: 'x', exitCode: 0, ...NONE }, ...ran(1, 'TodoWrite -')];
  expect(found.guidance([...wrote, ...ran(9)])).toBe('');
  expect(found.guidance([...wrote, ...ran(10)])).toMatch(
    /^Note: 10 commands since the last TodoWrite/,
  );
});
