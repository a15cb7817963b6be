import { describe, expect, test } from 'vitest';
import { stateJson } from '../../src/viewer/page/page-state.ts';
import { isFinished } from '../../src/viewer/shown.ts';
import { plan } from '../screen/panel/todos.ts';
import { historyOf, listOf, NOON, STEPS, TestViewer, tasksOf } from './viewer-state.ts';

describe('the filter', () => {
  const many = historyOf('main', [[4, plan(50, 20)]]);

  test('narrows the list as one types; Enter keeps it, Esc shows everything again', () => {
    const viewer = new TestViewer({ lists: [many] }).press('/', '4');
    expect(viewer.rows().at(-1)).toBe('/4');
    const steps = viewer.body().map((row) => /\d+/.exec(row)?.[0]);
    expect(steps.join(' ')).toBe('4 14 24 34 40 41 42 43 44 45 46 47 48 49');
    viewer.press('down');
    expect(viewer.body().find((row) => row.startsWith('▸'))).toBe('▸○ step 34');
    viewer.press('5', 'return');
    expect(viewer.body()).toEqual(['▸○ step 45']);
    expect(viewer.rows().at(-1)).toMatch(/^\/45 {2}p start .* q quit$/);
    expect(viewer.press('escape').rows().join('\n')).toContain('● Doing step 21...');
    const none = viewer.press('/', 'q', 'u', 'x').body();
    expect(none).toEqual(['Nothing here has qux; Esc shows everything.']);
  });

  test('works on the board, on agents, in histories and among sessions', () => {
    const tasks = tasksOf({ subject: 'Parse', owner: 'ann' }, { subject: 'Print' });
    const rowsOf = (page: 'board' | 'agents' | 'history', ...keys: string[]) =>
      new TestViewer({ tasks, lists: [STEPS, listOf('bob', [4, '- c'])] }, { page, columns: 100 })
        .press('/', ...keys)
        .rows()
        .slice(0, -1)
        .join('\n');
    expect(rowsOf('board', 'a', 'n', 'n')).toMatch(/#1 Parse/);
    expect(rowsOf('board', 'a', 'n', 'n')).not.toMatch(/#2/);
    expect(rowsOf('agents', 'b', 'o', 'b')).not.toContain('Analyze');
    expect(rowsOf('history', 'b', 'e', 'g', 'a', 'n', ' ', '2')).toMatch(/▸ {3}1 /);
  });
});

test('of a finished list the last item is selected, of an empty one nothing', () => {
  const done = listOf('main', [4, 'x a', 'x b', 'x c', 'x d', 'x e']);
  const rows = new TestViewer({ lists: [done] }).body();
  expect(rows).toHaveLength(5);
  expect(rows.at(-1)).toMatch(/^▸✓ e/);
  expect(new TestViewer({ lists: [listOf('main', [4])] }).body()).toEqual(['The list is empty.']);
  const hidden = new TestViewer({ lists: [done] }).press('c').body();
  expect(hidden).toEqual(['Everything is completed; press c to show it.']);
});

test('completed tasks of the board begin with the latest, on the page, too, and c hides them', () => {
  const ended = (minute: number) => new Date(NOON - minute * 60_000).toISOString();
  const done = (minute: number) => ({ status: 'completed' as const, updatedAt: ended(minute) });
  const tasks = tasksOf(done(9), done(3), done(3), done(6), {});
  const viewer = new TestViewer({ tasks }, { page: 'board', columns: 50, rows: 30 });
  const ids = () => viewer.rows().flatMap((row) => /#(\d)/.exec(row)?.[1] ?? []);
  expect(ids().join('')).toBe('53241');
  const sent = JSON.parse(stateJson(viewer.state.known, new Set()));
  expect(sent.tasks.map(({ name }: { name: string }) => name).join('')).toBe('53241');
  viewer.press('c');
  expect(ids().join('')).toBe('5');
});

test('agents are found by their names and by what is on their lists', () => {
  const lists = [listOf('ann', [4, '- Parse']), listOf('bob', [4, '- Print'])];
  const heads = (...keys: string[]) =>
    new TestViewer({ lists }, { page: 'agents', columns: 100 }).press('/', ...keys).rows()[2];
  expect(heads('p', 'r', 'i', 'n')).toMatch(/^▸bob .*[^│]$/);
  expect(heads('A', 'N', 'N')).toMatch(/^▸ann /);
  expect(heads('A', 'N', 'N')).not.toContain('bob');
});

test('the board has columns where each has room', () => {
  const tasks = tasksOf({}, { status: 'in_progress' });
  const first = (columns: number) =>
    new TestViewer({ tasks }, { page: 'board', columns })
      .rows()
      .find((row) => /Pending 1/.test(row));
  expect(first(66)).not.toContain('│');
  expect(first(67)).toContain('│');
});

test('Esc goes back from every page, and follows the list again; c hides completed items', () => {
  const viewer = new TestViewer({ lists: [STEPS] });
  for (const [key, title] of [
    ['h', 'History of main'],
    ['s', 'All sessions'],
    ['a', 'All agents'],
    ['b', 'Team tasks'],
    ['?', 'Keys'],
  ] as const) {
    expect(viewer.press(key).rows()[0]?.startsWith(title), title).toBe(true);
    expect(viewer.press('escape').rows()[0]).toMatch(/^main · /);
  }
  expect(viewer.press('b', 'a', 'escape').rows()[0]).toMatch(/^main · /);
  expect(viewer.press('j').body().at(-1)).toMatch(/^▸○ Ship it/);
  expect(viewer.press('escape').body().at(-1)).toMatch(/^ ○ Ship it/);
  expect(viewer.press('c').body().join('\n')).not.toContain('Analyze');
  expect(viewer.press('c').body()).toHaveLength(3);
});

test('the board chooses the next task that is not blocked', () => {
  const tasks = tasksOf({ priority: 'high', blockedBy: [2] }, {});
  const rows = new TestViewer({ tasks }, { page: 'board', columns: 50 }).body();
  expect(rows.find((row) => row.startsWith('▸'))).toMatch(/#2/);
});

test('a list is finished when all is completed, also if that empties it, and not when it is cleared', () => {
  const isDone = (...writes: [number, ...string[]][]) =>
    isFinished(new TestViewer({ lists: [listOf('main', ...writes)] }).state);
  expect(isDone([4, '> a'])).toBe(false);
  expect(isDone([4, '> a'], [3, 'x a'])).toBe(true);
  expect(isDone([4, '> a'], [3, 'x a'], [3])).toBe(true);
  expect(isDone([4, '> a'], [3])).toBe(false);
  expect(isDone([4])).toBe(false);
});
