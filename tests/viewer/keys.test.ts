import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { press } from '../../src/viewer/keys.ts';
import { board, LIST, listOf, TestViewer, tasksOf } from './viewer-state.ts';

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
