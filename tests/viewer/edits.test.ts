import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { settingsOfCalls } from '../../src/base/settings/settings.ts';
import type { Task, TaskGraph } from '../../src/tasks/task.ts';
import { createTasks } from '../../src/tasks/task-create.ts';
import { openTaskStore, type TaskStore } from '../../src/tasks/task-store.ts';
import type { Items, TodoItem } from '../../src/todo/todo-fields.ts';
import { openTodoStore, TodoStore } from '../../src/todo/todo-store.ts';
import { press } from '../../src/viewer/keys.ts';
import { afterChange, writeList, writeTask } from '../../src/viewer/writes.ts';
import { executable } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { taskListFolder } from '../helpers/list-folders.ts';
import { hasTmux, TmuxTerminal } from '../helpers/tmux.ts';
import { todos } from '../screen/panel/todos.ts';
import { listOf, TestViewer, tasksOf } from './viewer-state.ts';

const LIST = listOf('main', [60, 'x a', '> b', '- c']);

/** The items that a person's keys request, as lines. */
function asked(...keys: string[]): string[] | undefined {
  const { request } = new TestViewer({ lists: [LIST] }).press(...keys).state;
  return request?.what === 'write' ? linesOf(request.items) : undefined;
}

function linesOf(items: Items): string[] {
  const mark = { completed: 'x', in_progress: '>', pending: '-' };
  return items.map(({ status, content }) => `${mark[status]} ${content}`);
}

test.each([
  ['n adds one below the chosen item', ['n', 'N', 'return'], ['x a', '> b', '- N', '- c']],
  ['e changes a text', ['e', 'backspace', 'B', '2', 'return'], ['x a', '> B2', '- c']],
  ['p begins another item, after asking', ['down', 'p', 'y'], ['x a', '- b', '> c']],
  ['p puts back what is in progress', ['p'], ['x a', '- b', '- c']],
  ['x completes', ['x'], ['x a', 'x b', '- c']],
  ['x puts back what is completed', ['up', 'x'], ['- a', '> b', '- c']],
  ['d drops', ['d'], ['x a', '- c']],
  ['K moves an item up', ['K'], ['> b', 'x a', '- c']],
  ['J moves it down', ['J'], ['x a', '- c', '> b']],
  ['but not above the first', ['up', 'K'], ['x a', '> b', '- c']],
  ['nor below the last', ['down', 'J'], ['x a', '> b', '- c']],
])('%s', (_what, keys, items) => {
  expect(asked(...keys)).toEqual(items);
});

test('p on another item asks before the one in progress goes back to pending', () => {
  const viewer = new TestViewer({ lists: [LIST] }, { columns: 80 }).press('down', 'p');
  expect(viewer.rows().at(-1)).toBe('"b" is in progress. Put it back and begin "c"?  y / n');
  expect(viewer.state.request).toBeUndefined();
  expect(viewer.press('n').state.request).toBeUndefined();
  expect(viewer.rows().at(-1)).toMatch(/^p start /);
});

test('a question is whole on a narrow screen', () => {
  const [one, other] = ['a long text of some 36 characters, one', 'and another one as long as it'];
  const list = listOf('main', [60, `> ${one}`, `- ${other}`]);
  const viewer = new TestViewer({ lists: [list] }, { columns: 40, rows: 15 }).press('down', 'p');
  const screen = viewer.rows();
  expect(screen.slice(screen.findIndex((row) => row.startsWith('"'))).join(' ')).toBe(
    `"${one}" is in progress. Put it back and begin "${other}"?  y / n`,
  );
});

test('an agent that only reads and signs a list leaves it as the person saw it, for what is typed and for u', () => {
  const seen = ['x a', '> b', '- c'];
  const viewer = new TestViewer({ lists: [LIST] }).press('n', 'N');
  viewer.learn({ lists: [listOf('main', [60, ...seen], [1, ...seen])] });
  const { request } = viewer.press('return').state;
  if (request?.what !== 'write') throw new Error('nothing is asked for');
  const written: [number, ...string[]] = [1, ...linesOf(request.items)];
  viewer.learn({ lists: [listOf('main', [60, ...seen], [1, ...seen], written, written)] });
  viewer.state = afterChange(viewer.state, request, { version: 3 });
  const undo = viewer.press('u').state.request;
  expect([request, undo]).toMatchObject([{ version: 2 }, { version: 4, items: request.before }]);
});

test('a moved item is selected also after that is undone', () => {
  const viewer = new TestViewer({ lists: [LIST] }).press('down', 'K');
  const { request } = viewer.state;
  if (request?.what !== 'write') throw new Error('nothing is asked for');
  const seen = ['x a', '> b', '- c'];
  viewer.learn({ lists: [listOf('main', [60, ...seen], [0, ...linesOf(request.items)])] });
  viewer.state = afterChange(viewer.state, request, { version: 2 });
  viewer.press('u').learn({ lists: [LIST] });
  expect(viewer.body().at(-1)).toBe('▸○ c');
});

test('the restored item is selected', () => {
  const viewer = new TestViewer({ lists: [LIST] }, { columns: 100 }).press('down', 'd');
  const { request } = viewer.state;
  if (request?.what !== 'write') throw new Error('nothing is asked for');
  viewer.learn({ lists: [listOf('main', [60, 'x a', '> b', '- c'], [0, 'x a', '> b'])] });
  viewer.state = afterChange(viewer.state, request, { version: 2 });
  expect(viewer.press('u').state.request).toMatchObject({ undo: 'pop', items: request.before });
  viewer.learn({ lists: [LIST] });
  expect(viewer.body().at(-1)).toBe('▸○ c');
});

test('keys of another page do nothing, nor those that need an item or a task where there is none', () => {
  for (const page of ['h', 'a', 'b', 's', '?']) expect(asked(page, 'x')).toBeUndefined();
  expect(asked('h', 'return', 'd')).toBeUndefined();
  for (const key of ['J', 'K']) expect(askedOfTasks(key)).toBeUndefined();
  const history = new TestViewer({ tasks: TASKS }).press('h', 'o', '?', 'o');
  expect(history.state.input).toBeUndefined();
  for (const page of ['list', 'board'] as const) {
    const { request, input } = new TestViewer({}, { page }).press(...'eopxdKJu').state;
    expect([request, input]).toEqual([undefined, undefined]);
  }
});

test('a filter keeps the selection where it passes', () => {
  const viewer = new TestViewer({ lists: [LIST] }).press('down', '/', 'c', 'escape');
  expect(viewer.body().at(-1)).toBe('▸○ c');
});

test('keys of the page are text while you type; Esc, or no text, changes nothing', () => {
  const viewer = new TestViewer({ lists: [LIST] }).press('n', 'q', 'x', 'left', 'u', 'end', '?');
  expect(viewer.rows().at(-1)).toBe('New item: qux?');
  expect(asked('n', 'N', 'escape')).toBeUndefined();
  expect(asked('n', ' ', 'return')).toBeUndefined();
});

test.each([
  { name: 'x', sequence: '\x18', ctrl: true },
  { name: 'x', sequence: '\x1bx', meta: true },
])('a key that is held with another does nothing: %j', (key) => {
  const { state } = new TestViewer({ lists: [LIST] });
  expect(press(state, key)).toEqual(state);
});

test('a change is asked for on the version that was seen', () => {
  const viewer = new TestViewer({ lists: [LIST] }).press('n', 'N');
  viewer.learn({ lists: [listOf('main', [60, 'x a', '> b', '- c'], [1, 'x a', 'x b', '> c'])] });
  expect(viewer.press('return').state.request).toMatchObject({ what: 'write', version: 1 });
});

test('from the first key on, keys are for the list that was shown then, whichever agent writes next or begins', () => {
  const [ann, bob] = [listOf('ann', [60, '- a']), listOf('bob', [50, '- b'])];
  const later = listOf('ann', [60, '- x'], [1, 'x a']);
  const viewer = new TestViewer({ lists: [ann, bob] })
    .press('n', 'N')
    .learn({ lists: [later, bob] });
  expect(viewer.rows()[0]).toMatch(/^bob /);
  expect(viewer.press('return').state.request).toMatchObject({
    agent: 'bob',
    before: bob.versions[0].items,
  });
  const removed = new TestViewer({ lists: [ann, bob] }).press('n', 'N').learn({ lists: [ann] });
  expect(removed.press('return').state.request).toMatchObject({ agent: 'bob', before: [] });
  const first = new TestViewer({}).press('n', 'N').learn({ lists: [bob] });
  expect(first.press('return').state.request).toMatchObject({
    agent: 'main',
    version: 0,
    before: [],
    items: [{ content: 'N' }],
  });
});

test('a moved item passes hidden ones', () => {
  const list = listOf('main', [4, '- a', 'x b', '- c']);
  const viewer = new TestViewer({ lists: [list] }).press('c', 'J');
  const { request } = viewer.state;
  expect(request?.what === 'write' && request.items.map(({ content }) => content)).toEqual([
    'b',
    'c',
    'a',
  ]);
});

test("a change before an agent's write cannot be undone, also after later changes of your own are undone", () => {
  const viewer = new TestViewer({ lists: [LIST] }, { columns: 100 });
  const writes: [number, ...string[]][] = [[60, 'x a', '> b', '- c']];
  const written = (...keys: string[]) => {
    const { request } = viewer.press(...keys).state;
    if (request?.what !== 'write') throw new Error('nothing is asked for');
    writes.push([0, ...linesOf(request.items)]);
    viewer.learn({ lists: [listOf('main', ...writes)] });
    viewer.state = afterChange(viewer.state, request, { version: writes.length });
  };
  written('down', 'd');
  writes.push([0, 'x a', 'x b']);
  viewer.learn({ lists: [listOf('main', ...writes)] });
  written('d');
  written('K');
  written('u');
  written('u');
  expect(writes.at(-1)).toEqual([0, 'x a', 'x b']);
  expect(viewer.press('u').rows().at(-1)).toBe(
    'main has changed the list since, so your change cannot be undone.',
  );
});

test('r on an older version asks for it as a new one; on the newest, and on tasks, it says why not', () => {
  const list = listOf('main', [60, '- a'], [30, 'x a', '> b'], [4, 'x a', 'x b']);
  const history = new TestViewer({ lists: [list] }, { columns: 100, page: 'history' });
  expect(history.rows().at(-1)).toMatch(/^Enter open {2}r restore /);
  expect(history.press('r').rows().at(-1)).toBe('It is as in version 3.');
  for (const keys of [['down'], ['down', 'return']]) {
    const viewer = new TestViewer({ lists: [list] }, { page: 'history' }).press(...keys, 'r');
    const { request, pages } = viewer.state;
    expect(pages).toMatchObject([{ name: 'list' }]);
    expect(request).toMatchObject({ version: 3, items: list.versions[1]?.items, isRestored: true });
  }
  const tasks = new TestViewer({ tasks: TASKS }, { columns: 100, page: 'taskHistory' }).press('r');
  expect(tasks.rows().at(-1)).toMatch(/TaskUndo --at 1 undoes what this version changed\.$/);
  expect(tasks.state.request).toBeUndefined();
});

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

test('without a change of your own there is nothing to undo', () => {
  const viewer = new TestViewer({ lists: [LIST] }).press('u');
  expect(viewer.state.request).toBeUndefined();
  expect(viewer.rows().at(-1)).toBe('You have made no change to undo here.');
});

test('a text that is longer than the row shows its end while it is typed', () => {
  const text = [...'a text that is much longer than what one row of this has room for'];
  const viewer = new TestViewer({ lists: [LIST] }, { columns: 30, rows: 6 }).press('n', ...text);
  const last = viewer.rows().at(-1) ?? '';
  expect(last).toMatch(/^> .*this has room for$/);
  expect(last.length).toBeLessThan(30);
});

const TASKS = tasksOf(
  { subject: 'Parse', status: 'completed', owner: 'ann' },
  { subject: 'Print', status: 'in_progress', activeForm: 'Printing', owner: 'bob', blocks: [3] },
  { subject: 'Ship', blockedBy: [2] },
  { subject: 'Tell', owner: 'ann' },
);

function board(columns = 100): TestViewer {
  return new TestViewer({ tasks: TASKS }, { columns, page: 'board' });
}

/** The request of a person's keys on the board, as text. The selection begins at #2, which is in progress. */
function askedOfTasks(keys: string): string | undefined {
  const { request } = board().press(...keys.split(' ')).state;
  if (request?.what !== 'task') return undefined;
  const fields = Object.entries(request.json).map((field) => field.join('='));
  return [request.command, ...fields, ...(request.force ? ['--force'] : [])].join(' ');
}

test.each([
  ['n adds a task', 'n N e w return', 'TaskCreate subject=New'],
  ['e changes both texts', 'e s return', 'TaskUpdate taskId=2 subject=Prints activeForm=Prints'],
  ['x completes', 'x', 'TaskUpdate taskId=2 status=completed'],
  ['x reopens', 'right x', 'TaskUpdate taskId=1 status=pending'],
  ['p gives back what is in progress', 'p', 'TaskRelease taskIds=2'],
  ['p begins for the owner', 'left down p', 'TaskUpdate taskId=4 status=in_progress owner=ann'],
  ['p begins for the person', 'left p', 'TaskUpdate taskId=3 status=in_progress owner=user'],
  ['d deletes', 'd', 'TaskUpdate taskId=2 status=deleted'],
  ['o assigns, as a leader may', 'o c a t return', 'TaskUpdate taskId=2 owner=cat --force'],
  ['o with no name makes it nobody’s', 'o return', 'TaskRelease taskIds=2'],
  ['o with the same name changes nothing', 'o b o b return', undefined],
  ['Esc changes nothing', 'e x escape', undefined],
  ['u has nothing to undo before you changed anything', 'u', undefined],
])('%s', (_what, keys, expected) => {
  expect(askedOfTasks(keys)).toBe(expected);
});

test('a text for a task stays where the tasks cannot be read', async () => {
  const folder = `${temporaryDirectory()}/team`;
  writeFileSync(folder, '');
  const viewer = board().press('e', 's', 'return');
  const { request } = viewer.state;
  if (request?.what !== 'task') throw new Error('nothing is asked for');
  const around = { environment: {}, cwd: '/' };
  const settings = settingsOfCalls({}, () => '/');
  const result = await writeTask(openTaskStore({ folder }), { around }, settings, request);
  viewer.state = afterChange(viewer.state, request, result);
  expect(viewer.rows().at(-1)).toBe('Change to: Prints');
});

test('one moves through a column by up and down, and to the next by left and right', () => {
  const chosen = (viewer: TestViewer) => /▸.? (#\d)/.exec(viewer.rows().join('\n'))?.[1];
  const wide = board();
  const seen = ['right', 'left', 'left', 'down', 'right', 'home', 'end'].map((key) =>
    chosen(wide.press(key)),
  );
  expect(seen).toEqual(['#1', '#2', '#3', '#4', '#2', '#3', '#1']);
  const narrow = board(40);
  const down = ['down', 'down', 'down', 'k'].map((key) => chosen(narrow.press(key)));
  expect(down).toEqual(['#3', '#4', '#1', '#4']);
  const tasks = tasksOf({}, { status: 'completed' });
  const gap = new TestViewer({ tasks }, { columns: 100, page: 'board' });
  expect(['right', 'left'].map((key) => chosen(gap.press(key)))).toEqual(['#2', '#1']);
});

test('the selected task is in sight, whole, wherever one moves on a board of many screens', () => {
  const status = (index: number) => (['pending', 'in_progress', 'completed'] as const)[index % 3];
  const many = tasksOf(
    ...Array.from({ length: 60 }, (_, index) => ({
      subject: `A task of more words than a column has room for, number ${index + 1} end`,
      status: status(index) ?? 'pending',
    })),
  );
  for (const columns of [30, 80, 200]) {
    const viewer = new TestViewer({ tasks: many }, { columns, rows: 14, page: 'board' });
    for (const key of ['pagedown', 'down', 'end', 'up', 'left', 'pageup', 'home', 'G', 'g']) {
      viewer.press(key);
      const rows = viewer.rows().join('\n');
      const id = /▸. #(\d+)/.exec(rows)?.[1];
      expect(id, `${columns} ${key}\n${rows}`).toBeDefined();
      expect(rows).toMatch(new RegExp(`▸. #${id}[\\s\\S]*\\bend\\b`));
    }
    expect(viewer.rows().join('\n')).toMatch(/Pending|In progress/);
  }
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
