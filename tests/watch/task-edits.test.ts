import { describe, expect, onTestFinished, test } from 'vitest';
import type { Task } from '../../src/tasks/task.ts';
import { createTasks } from '../../src/tasks/task-create.ts';
import { openTaskStore, type TaskStore } from '../../src/tasks/task-store.ts';
import { executable } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { taskListFolder } from '../helpers/list-folders.ts';
import { hasTmux, TmuxTerminal } from '../helpers/tmux.ts';
import { TestViewer, tasksOf } from './viewer-state.ts';

const TASKS = tasksOf(
  { subject: 'Parse', status: 'completed', owner: 'ann' },
  { subject: 'Print', status: 'in_progress', activeForm: 'Printing', owner: 'bob', blocks: [3] },
  { subject: 'Ship', blockedBy: [2] },
  { subject: 'Tell', owner: 'ann' },
);

function board(columns = 100): TestViewer {
  return new TestViewer({ tasks: TASKS }, { columns, page: 'board' });
}

/** The request of a person's keys on the board. The selection begins at #2, which is in progress. */
function asked(...keys: string[]) {
  const { request } = board().press(...keys).state;
  return request?.what === 'task'
    ? [request.command, request.json, ...(request.force ? ['--force'] : [])]
    : undefined;
}

test.each([
  ['n adds a task', ['n', ...'New', 'return'], ['TaskCreate', { subject: 'New' }]],
  [
    'e changes the subject, and the active form with it',
    ['e', 's', 'return'],
    ['TaskUpdate', { taskId: 2, subject: 'Prints', activeForm: 'Prints' }],
  ],
  ['x completes', ['x'], ['TaskUpdate', { taskId: 2, status: 'completed' }]],
  ['x reopens', ['right', 'x'], ['TaskUpdate', { taskId: 1, status: 'pending' }]],
  ['p gives back what is in progress', ['p'], ['TaskRelease', { taskIds: [2] }]],
  [
    'p begins a task for its owner',
    ['left', 'down', 'p'],
    ['TaskUpdate', { taskId: 4, status: 'in_progress', owner: 'ann' }],
  ],
  [
    'p begins a task that is nobody’s for the person',
    ['left', 'p'],
    ['TaskUpdate', { taskId: 3, status: 'in_progress', owner: 'user' }],
  ],
  ['d deletes', ['d'], ['TaskUpdate', { taskId: 2, status: 'deleted' }]],
  [
    'o assigns, as a leader may',
    ['o', ...'cat', 'return'],
    ['TaskUpdate', { taskId: 2, owner: 'cat' }, '--force'],
  ],
  ['o with no name makes it nobody’s', ['o', 'return'], ['TaskRelease', { taskIds: [2] }]],
  ['o with the same name changes nothing', ['o', ...'bob', 'return'], undefined],
  ['Esc changes nothing', ['e', 'x', 'escape'], undefined],
  ['u has nothing to undo before you changed anything', ['u'], undefined],
])('%s', (_what, keys, expected) => {
  expect(asked(...keys)).toEqual(expected);
});

test('one moves through a column by up and down, and to the next by left and right', () => {
  const chosen = (viewer: TestViewer) => /▸.? (#\d)/.exec(viewer.rows().join('\n'))?.[1];
  const wide = board();
  const seen = ['right', 'left', 'left', 'down', 'right', 'home', 'end'].map((key) =>
    chosen(wide.press(key)),
  );
  expect(seen).toEqual(['#1', '#2', '#3', '#4', '#2', '#3', '#1']);
  const narrow = board(40);
  expect(['down', 'down', 'down', 'k'].map((key) => chosen(narrow.press(key)))).toEqual([
    '#3',
    '#4',
    '#1',
    '#4',
  ]);
  const gap = new TestViewer(
    { tasks: tasksOf({}, { status: 'completed' }) },
    { columns: 100, page: 'board' },
  );
  expect(['right', 'left'].map((key) => chosen(gap.press(key)))).toEqual(['#2', '#1']);
});

test('the selected task is in sight, whole, wherever one moves on a board of hundreds', () => {
  const status = (index: number) => (['pending', 'in_progress', 'completed'] as const)[index % 3];
  const many = tasksOf(
    ...Array.from({ length: 200 }, (_, index) => ({
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

test('keys of the list do nothing on the board, nor those of the board elsewhere', () => {
  for (const key of ['J', 'K']) expect(asked(key)).toBeUndefined();
  const viewer = new TestViewer({ tasks: TASKS }).press('h', 'o', '?', 'o');
  expect(viewer.state.input).toBeUndefined();
});

describe.skipIf(!hasTmux)('on the board in the viewer', () => {
  async function start(): Promise<{ terminal: TmuxTerminal; store: TaskStore }> {
    const state = temporaryDirectory();
    const store = openTaskStore({ folder: taskListFolder(state, 's'), author: 'ann' });
    const tasks = ['Parse', 'Print', 'Ship'].map((subject) => ({ subject }));
    await store.change((graph, at) => createTasks(graph, tasks, at, 'ann'), undefined, 'ann');
    const program = `${process.execPath} ${executable('agent-shell')}`;
    const command = `TODO_STATE_DIR=${state} ${program} watch --session s --tasks`;
    const terminal = new TmuxTerminal(command, { columns: 100 });
    onTestFinished(() => terminal.close());
    await terminal.until('the board', (screen) => screen.includes('○ #3 Ship'));
    return { terminal, store };
  }

  const tasksIn = async (store: TaskStore): Promise<Partial<Task>[]> =>
    [...(await store.read()).graph.tasks.values()].map(({ id, subject, status, owner }) => ({
      id,
      subject,
      status,
      ...(owner !== undefined && { owner }),
    }));

  test('a person adds, assigns, completes and deletes tasks; agents are told; u undoes each; h shows all', async () => {
    const { terminal, store } = await start();
    terminal.type('nTell');
    terminal.press('Enter');
    await terminal.until('the task', (screen) => /▸○ #4 Tell[\s\S]*Added "Tell"$/.test(screen));
    terminal.type('obob');
    terminal.press('Enter');
    await terminal.until('its owner', (screen) => /Assigned #4 Tell to bob$/.test(screen));
    terminal.press('Home');
    // Faster than they are written.
    terminal.type('xgd');
    await terminal.until('one less', (screen) =>
      screen.endsWith('Deleted #2 Print; u undoes that'),
    );
    expect(await tasksIn(store)).toEqual([
      { id: 1, subject: 'Parse', status: 'completed' },
      { id: 3, subject: 'Ship', status: 'pending' },
      { id: 4, subject: 'Tell', status: 'pending', owner: 'bob' },
    ]);
    const { graph } = await store.read();
    expect(graph.by).toBe('user');
    expect(graph.inboxes?.get('bob')).toMatchObject([{ kind: 'assigned', taskId: 4, by: 'user' }]);
    expect(graph.inboxes?.get('ann')).toMatchObject([{ kind: 'completed', taskId: 1, by: 'user' }]);
    terminal.type('uuuu');
    await terminal.until('the beginning', (screen) => screen.endsWith('Undone: added "Tell"'));
    expect(await tasksIn(store)).toEqual(
      ['Parse', 'Print', 'Ship'].map((subject, index) => ({
        id: index + 1,
        subject,
        status: 'pending',
      })),
    );
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
    terminal.type('u');
    await terminal.until('no more', (screen) => screen.includes('made no change to undo'));
  });

  test('a change of a task that has changed meanwhile is refused with a message; the typed text stays', async () => {
    const { terminal, store } = await start();
    terminal.type('e and read');
    await terminal.until('the text', (screen) => screen.endsWith('Change to: Parse and read'));
    await store.change(
      (graph) => ({
        graph: {
          ...graph,
          tasks: new Map(graph.tasks).set(1, {
            ...(graph.tasks.get(1) as Task),
            subject: 'Parse it',
          }),
        },
      }),
      undefined,
      'ann',
    );
    terminal.press('Enter');
    await terminal.until('the refusal', (screen) =>
      screen.endsWith(
        '#1 was changed meanwhile; your text is kept; Enter writes it\nChange to: Parse and read',
      ),
    );
    terminal.press('Enter');
    await terminal.until('the change', (screen) => screen.includes('Changed to "Parse and read"'));
    terminal.type('oann');
    terminal.press('Enter');
    await terminal.until('its owner', (screen) => screen.includes('ann · '));
    terminal.type('e!');
    terminal.press('Enter');
    await terminal.until('its name', (screen) => screen.includes('#1 Parse and read!'));
    const heard = (await store.read()).graph.inboxes?.get('ann') ?? [];
    expect(heard.map(({ kind, by }) => `${kind} by ${by}`)).toContain('changed by user');
  });
});
