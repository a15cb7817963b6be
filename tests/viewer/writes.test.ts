import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { settingsOfCalls } from '../../src/base/settings/settings.ts';
import { MemoryPlace, USER } from '../../src/lists/place.ts';
import type { Task, TaskGraph } from '../../src/tasks/task.ts';
import { createTasks } from '../../src/tasks/task-create.ts';
import { openTaskStore, type TaskStore } from '../../src/tasks/task-store.ts';
import type { TodoItem } from '../../src/todo/todo-fields.ts';
import { openTodoStore, TodoStore } from '../../src/todo/todo-store.ts';
import { afterChange, writeList, writeTask } from '../../src/viewer/writes.ts';
import { executable } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { taskListFolder } from '../helpers/list-folders.ts';
import { hasTmux, TmuxTerminal } from '../helpers/tmux.ts';
import { todos } from '../screen/panel/todos.ts';
import { board, linesOf, TestViewer } from './viewer-state.ts';

test('a restored version is refused if the list has changed since the person saw it', async () => {
  const store = new TodoStore();
  for (const line of ['- a', '- b', '- c']) store.update(todos(line));
  const change = { what: 'write', agent: 'main', at: -1, told: '', undo: 'push' } as const;
  const request = { ...change, version: 2, before: [], items: todos('- a'), isRestored: true };
  const result = await writeList(
    store,
    settingsOfCalls({}, () => '/'),
    request,
  );
  expect(result).toMatchObject({ isOlder: true, refused: 'main changed the list meanwhile' });
  expect(store.get().items).toEqual(todos('- c'));
});

test('u undoes the change that emptied a completed list, too', async () => {
  const list = new TodoStore(undefined, new MemoryPlace({ author: USER, history: 9 }));
  list.update(todos('> a'));
  const change = { what: 'write', agent: 'main', at: 0, told: '', undo: 'push' } as const;
  const request = { ...change, version: 1, before: todos('> a'), items: todos('x a') };
  const settings = settingsOfCalls({ TODO_CLEAR_WHEN_DONE: '1' }, () => '/');
  const made = await writeList(list, settings, request);
  expect(list.get()).toMatchObject({ version: 3, items: [] });
  expect(made).toEqual({ version: 3 });
});

/** The last row after the task that the viewer asks for was written there. */
async function toldAfter(viewer: TestViewer, store: TaskStore): Promise<string | undefined> {
  const { request } = viewer.state;
  if (request?.what !== 'task') throw new Error('nothing is asked for');
  const around = { environment: {}, cwd: '/' };
  const settings = settingsOfCalls({}, () => '/');
  const result = await writeTask(store, { around }, settings, request);
  viewer.state = afterChange(viewer.state, request, result);
  return viewer.rows().at(-1);
}

test('a text for a task stays where the tasks cannot be read', async () => {
  const folder = `${temporaryDirectory()}/team`;
  writeFileSync(folder, '');
  const viewer = board().press('e', 's', 'return');
  expect(await toldAfter(viewer, openTaskStore({ folder }))).toBe('Change to: Prints');
});

test('the message names the tasks that a completed one has unblocked', async () => {
  const store = openTaskStore({ folder: `${temporaryDirectory()}/team` });
  const tasks = [{ subject: 'Parse' }, { subject: 'Ship', blockedBy: [{ index: 0 }] }];
  await store.change((graph, at) => createTasks(graph, tasks, at));
  const viewer = new TestViewer({ tasks: [await store.read()] }, { page: 'board' }).press('x');
  expect(await toldAfter(viewer, store)).toBe('Completed #1 Parse; unblocked #2');
});

test('a refusal on the board gives a person the reason, not the command that a model would type next', async () => {
  const store = openTaskStore({ folder: `${temporaryDirectory()}/team` });
  const tasks = [{ subject: 'Parse' }, { subject: 'Ship', blockedBy: [{ index: 0 }] }];
  await store.change((graph, at) => createTasks(graph, tasks, at));
  const viewer = new TestViewer({ tasks: [await store.read()] }, { page: 'board' });
  expect(await toldAfter(viewer.press('down', 'p'), store)).toBe('Not saved: #2 is blocked by #1');
});

test('p is offered for a task that can be started, not for a completed one', () => {
  expect(board().press('left').rows().at(-1)).toMatch(/^p start {2}x complete /);
  expect(board().press('right').rows().at(-1)).toMatch(/^x reopen /);
});

/** Opens the viewer of session `s`. */
async function watch(state: string, options: string, isShown: (screen: string) => boolean) {
  const program = `${process.execPath} ${executable('agent-shell')} watch --session s ${options}`;
  const terminal = new TmuxTerminal(`TODO_STATE_DIR=${state} ${program}`, { columns: 100 });
  await terminal.until('the list', isShown);
  return {
    terminal,
    /** Types each of the keys and waits until the screen ends with what follows it; a line break is Enter. */
    enter: async (...steps: [keys: string, ending: string][]) => {
      for (const [keys, ending] of steps) {
        for (const [at, text] of keys.split('\n').entries()) {
          if (at > 0) terminal.press('Enter');
          if (text !== '') terminal.type(text);
        }
        await terminal.until(ending, (screen) => screen.endsWith(ending));
      }
    },
  };
}

describe.skipIf(!hasTmux)('in the viewer', () => {
  /** A viewer of a list, and the list as its agent has it. */
  async function start(...lines: string[]) {
    const state = temporaryDirectory();
    const store = openTodoStore({ folder: `${state}/s/main`, author: 'main' });
    store.update(todos(...lines));
    return { store, ...(await watch(state, '', (screen) => screen.startsWith('main · s'))) };
  }

  test('a change is written by the author user, shows at once, and can be taken back', async () => {
    const { store, terminal, enter } = await start('x a', '> b', '- c');
    await enter(['nWrite it down', 'New item: Write it down'], ['\n', 'Added "Write it down"']);
    expect(terminal.screen()).toMatch(/● Doing b\.\.\..*\n▸○ Write it down\n.*○ c/);
    expect(store.get()).toMatchObject({ version: 2, by: 'user' });
    await enter(
      ['x', 'Completed "Write it down"'],
      ['u', 'Undone: completed "Write it down"'],
      ['d', 'Dropped "Write it down"; u undoes that'],
      ['u', 'Restored "Write it down"'],
      ['u', 'Undone: added "Write it down"'],
    );
    expect(store.get().items).toEqual(todos('x a', '> b', '- c'));
  });

  test('r in the history restores a version, proofs included, and u undoes that as it undoes x', async () => {
    const { store, terminal, enter } = await start('- a');
    const proof = {
      command: 'make',
      exitCode: 0 as const,
      at: '2026-05-05T10:00:00.000Z',
      by: 'main',
    };
    const [done] = todos('x a') as [TodoItem];
    const proven = [{ ...done, check: 'make', proof }];
    store.update(proven);
    store.update(todos('> b'));
    terminal.type('h');
    await terminal.until('all versions', (screen) => /▸ +3 .*\n +2 /.test(screen));
    terminal.press('Down');
    await enter(['r', 'Restored version 2; u undoes that']);
    expect(terminal.screen()).toMatch(/^main · s[\s\S]*✓ a .*proven/);
    expect(store.get()).toMatchObject({ version: 4, by: 'user', items: proven });
    await enter(['x', 'Reopened "a"'], ['u', 'Undone: reopened "a"']);
    expect(store.get().items).toEqual(proven);
    await enter(['u', 'Undone: restored version 2']);
    expect(store.get().items).toEqual(todos('> b'));
  });

  test('a change of a list that has moved on is refused with a message; the typed text stays', async () => {
    const { store, terminal, enter } = await start('> a');
    await enter(['nMine', 'New item: Mine']);
    store.update(todos('x a', '> b'));
    await terminal.until('the new list', (screen) => screen.includes('Doing b'));
    await enter([
      '\n',
      'main changed the list meanwhile; your text is kept; Enter writes it\nNew item: Mine',
    ]);
    expect(store.get().version).toBe(2);
    terminal.press('Enter');
    await terminal.until('the item', (screen) => screen.includes('○ Mine'));
    expect(store.get().items.map(({ content }) => content)).toContain('Mine');
  });

  test('keys that come faster than a change is written are for the list as it is then', async () => {
    const letters = [...'abcdefghij'];
    const { store, terminal } = await start(...letters.map((letter) => `- ${letter}`));
    terminal.type('JJJJJJJJJxkx');
    const screen = await terminal.until('both changes', (text) => /✓ j.*\n.*✓ a/.test(text));
    expect(screen).not.toContain('nothing was changed');
    expect(store.get()).toMatchObject({ version: 12, by: 'user' });
    terminal.type('h');
    await terminal.until('the history', (text) => /▸ +12 .*\n +11 .*\n +10 /.test(text));
    terminal.press('End');
    await terminal.until('its beginning', (text) =>
      /user: order changed\n▸ +1 .*main: 10 added/.test(text),
    );
  });

  test('pasted text is one text, and ignored if no text is being typed; edits obey the schema', async () => {
    const { store, terminal, enter } = await start('- Build', '- Ship');
    terminal.paste('d\nd\nq\n');
    await enter(['n', 'New item:']);
    terminal.paste('first line\nsecond\tline');
    await terminal.until('the text', (screen) => screen.includes('first line second line'));
    terminal.press('Enter');
    await terminal.until('the item', (screen) => screen.includes('○ first line second line'));
    expect(linesOf(store.get().items)).toEqual(['- Build', '- first line second line', '- Ship']);
    terminal.type(`n${'x'.repeat(201)}`);
    terminal.press('Enter');
    await terminal.until('the refusal', (screen) =>
      screen.includes('Not saved: Must be at most 200 characters, received 201; your text is kept'),
    );
    expect(store.get().version).toBe(2);
  });

  /** The board of a team, and its tasks. */
  async function startBoard() {
    const state = temporaryDirectory();
    const store = openTaskStore({ folder: taskListFolder(state, 's'), author: 'ann' });
    const tasks = ['Parse', 'Print', 'Ship'].map((subject) => ({ subject }));
    await store.change((graph, at) => createTasks(graph, tasks, at, 'ann'), undefined, 'ann');
    return { store, ...(await watch(state, '--tasks', (screen) => screen.includes('○ #3 Ship'))) };
  }

  const tasksIn = async (store: TaskStore) =>
    [...(await store.read()).graph.tasks.values()]
      .map(({ id, subject, status, owner = '' }) => `${id} ${subject} ${status} ${owner}`.trim())
      .join(', ');

  test('a person adds, assigns, completes and deletes tasks; agents are told; u undoes each; h shows all', async () => {
    const { store, terminal, enter } = await startBoard();
    await enter(['nTell\n', 'Added "Tell"'], ['obob\n', 'Assigned #4 Tell to bob']);
    terminal.press('Home');
    // Faster than they are written.
    await enter(['xgd', 'Deleted #2 Print; u undoes that']);
    expect(await tasksIn(store)).toBe('1 Parse completed, 3 Ship pending, 4 Tell pending bob');
    const { graph } = await store.read();
    expect(graph.by).toBe('user');
    expect(graph.inboxes?.get('bob')).toMatchObject([{ kind: 'assigned', taskId: 4, by: 'user' }]);
    expect(graph.inboxes?.get('ann')).toMatchObject([{ kind: 'completed', taskId: 1, by: 'user' }]);
    await enter(['uuuu', 'Undone: added "Tell"']);
    expect(await tasksIn(store)).toBe('1 Parse pending, 2 Print pending, 3 Ship pending');
    terminal.type('h');
    await terminal.until('the history', (screen) =>
      /▸ +9 .*user: deleted #4 Tell\n[\s\S]* 4 .*user: completed #1 Parse\n/.test(screen),
    );
    terminal.press('End');
    terminal.press('Up');
    terminal.press('Enter');
    await terminal.until('a version', (screen) =>
      /^Version 2 of the team's tasks, .* by user .*\n[\s\S]*○ #4 Tell/.test(screen),
    );
    terminal.press('Escape');
    await terminal.until('the history again', (screen) => screen.startsWith('History of the team'));
    terminal.type('h');
    await terminal.until('the board again', (screen) => screen.startsWith('Team tasks'));
  });

  test('a change of a task that has changed meanwhile is refused with a message; the typed text stays', async () => {
    const { store, enter } = await startBoard();
    await enter(['e and read', 'Change to: Parse and read']);
    const changed = (graph: TaskGraph) => {
      const tasks = new Map(graph.tasks);
      return { ...graph, tasks: tasks.set(1, { ...(tasks.get(1) as Task), subject: 'Parse it' }) };
    };
    await store.change((graph) => ({ graph: changed(graph) }), undefined, 'ann');
    await enter(
      [
        '\n',
        '#1 was changed meanwhile; your text is kept; Enter writes it\nChange to: Parse and read',
      ],
      ['\n', 'Changed to "Parse and read"'],
      ['oann\n', 'Assigned #1 Parse and read to ann'],
      ['e!\n', 'Changed to "Parse and read!"'],
    );
    const heard = (await store.read()).graph.inboxes?.get('ann') ?? [];
    expect(heard.map(({ kind, by }) => `${kind} by ${by}`)).toContain('changed by user');
  });
});
