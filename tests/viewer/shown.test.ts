import { describe, expect, test } from 'vitest';
import { plan } from '../screen/panel/todos.ts';
import { historyOf, listOf, STEPS, TestViewer, tasksOf } from './viewer-state.ts';

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
