import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { press } from '../../src/viewer/keys.ts';
import { board, LIST, linesOf, listOf, PAGES, STEPS, TestViewer, tasksOf } from './viewer-state.ts';

test('a filter keeps the selection where it passes', () => {
  const viewer = new TestViewer({ lists: [LIST] }).press('down', '/', 'c', 'escape');
  expect(viewer.body().at(-1)).toBe('▸○ c');
});

test.each([
  { name: 'x', sequence: '\x18', ctrl: true },
  { name: 'x', sequence: '\x1bx', meta: true },
])('a key that is held with another does nothing: %j', (key) => {
  const { state } = new TestViewer({ lists: [LIST] });
  expect(press(state, key)).toEqual(state);
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

test('each key that does something is on the page of keys', () => {
  const page = new TestViewer({}, { columns: 80, rows: 40 }).press('?').rows().join('\n');
  const states = (['list', 'board', 'sessions', 'history'] as const).map((name) => {
    const lists = [listOf('main', [60, '> a'], [9, '> a', '- b', '- c'])];
    const viewer = new TestViewer({ ...board().state.known, lists }, { page: name });
    return viewer.press('down').state;
  });
  const acts = (key: string) =>
    states.some((state) => {
      const { message: _, ...before } = state;
      return !isDeepStrictEqual(press(state, { sequence: key }), before);
    });
  const keys = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).filter(acts);
  expect(keys.length).toBeGreaterThan(15);
  const isNamed = (key: string) => RegExp(`(?<!\\w)[${key}](?!\\w)`).test(page);
  expect(keys.filter((key) => !isNamed(key))).toEqual([]);
});

test('a key that has nothing to work on changes and asks for nothing, on any page', () => {
  const names = ['return', 'escape', 'backspace', 'up', 'down', 'left', 'right', 'home', 'end'];
  const characters = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at));
  for (const page of Object.keys(PAGES) as (keyof typeof PAGES)[]) {
    const { state: before } = new TestViewer({}, { page });
    for (const key of [...names, ...characters]) {
      const { request } = press(before, names.includes(key) ? { name: key } : { sequence: key });
      expect(request, `${key} on ${page}`).toEqual(key === 'q' ? { what: 'quit' } : undefined);
    }
    const { state } = new TestViewer({ lists: [LIST] }, { page }).press('D');
    expect(state.input, `D on ${page}`).toBeUndefined();
  }
});

test('a page without a selection scrolls, and stays within its text', () => {
  const viewer = new TestViewer({}, { rows: 12, columns: 80 }).press('?');
  const first = () => viewer.rows()[2]?.split(/ {2}/)[0];
  const seen = ['up', 'down', 'down', 'up', 'pagedown', 'home'].map((key) => {
    viewer.press(key);
    return first();
  });
  expect(seen).toEqual([
    'arrows, j, k',
    'Page Up, Page Down',
    'Home, g; End, G',
    'Page Up, Page Down',
    'b',
    'arrows, j, k',
  ]);
  const end = viewer.press('end').rows();
  expect(viewer.press('down').rows()).toEqual(end);
  expect(end.at(-2)).toMatch(/^q +quit$/);
});

test('in the lists of all agents, up and down move by a row of lists, left and right by one', () => {
  const lists = Array.from({ length: 5 }, (_, at) => listOf(`agent-${at}`, [4, '> a']));
  const viewer = new TestViewer({ lists }, { columns: 70, rows: 40, page: 'agents' }).press('home');
  const at = () => /▸agent-(\d)/.exec(viewer.rows().join('\n'))?.[1];
  const seen = ['down', 'right', 'j', 'k', 'left', 'up', 'up'].map((key) => {
    viewer.press(key);
    return at();
  });
  expect(seen).toEqual(['2', '3', '4', '2', '1', '0', '0']);
});

test('a key of another page takes its place, but help and a history of tasks return to where they were opened', () => {
  const viewer = new TestViewer({ lists: [STEPS], tasks: tasksOf({}) });
  const title = (...keys: string[]) => viewer.press(...keys).rows()[0] ?? '';
  expect(title('a', 'b', 'h')).toMatch(/^History of the team's tasks/);
  expect(title('?')).toMatch(/^Keys/);
  expect(title('?')).toMatch(/^History of the team's tasks/);
  expect(title('backspace')).toMatch(/^Team tasks/);
  expect(title('s', 'h', 's')).toMatch(/^All sessions/);
  expect(title('escape')).toMatch(/^main · /);
  expect(title('h', 'return')).toMatch(/^Version 3 of main/);
  expect(title('h')).toMatch(/^History of main/);
});

test('a session of a team alone opens its board, and what was changed in the last one is not undone there', () => {
  const newest = { version: 1, items: [], updatedAt: new Date(0) };
  const of = (key: string, agent: string) => ({ session: 'x', key, agent, newest });
  const undo = [{ made: 1 }] as never;
  const opening = (...lists: ReturnType<typeof of>[]) => {
    const found = { session: 'x', key: 'todos/x', lists } as never;
    return new TestViewer({ found: [found] }, { page: 'sessions', undo }).press('return').state;
  };
  const [team, main] = [of('tasks/x', '(team)'), of('todos/x/main', 'main')];
  const board = opening(team);
  expect(board).toMatchObject({ request: { what: 'open' }, agent: undefined });
  expect(board.pages.map(({ name }) => name)).toEqual(['list', 'board']);
  expect(board.undo).toBeUndefined();
  const list = opening(team, main);
  expect(list).toMatchObject({ agent: 'main', pages: [{ name: 'list' }] });
  expect(list.pages).toHaveLength(1);
});

test('a question is agreed to by y and by Enter, and by no other key', () => {
  for (const key of ['y', 'return', 'n', 'escape', 'Y', 'x']) {
    const viewer = new TestViewer({ lists: [LIST] }).press('down', 'p', key);
    const { request, input } = viewer.state;
    expect(input).toBeUndefined();
    expect(request?.what === 'write' && linesOf(request.items), key).toEqual(
      key === 'y' || key === 'return' ? ['x a', '- b', '> c'] : false,
    );
  }
});
