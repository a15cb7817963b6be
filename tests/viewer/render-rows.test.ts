import { describe, expect, test } from 'vitest';
import { createTheme } from '../../src/screen/panel/theme.ts';
import type { TodoItem } from '../../src/todo/todo-fields.ts';
import { plan } from '../screen/panel/todos.ts';
import { historyOf, listOf, NOON, STEPS, TestViewer, tasksOf } from './viewer-state.ts';

test('of items that were completed in the same minute, the first says when', () => {
  const list = listOf('main', [700, '> a', '- b'], [120, 'x a', '> b'], [70, 'x a', 'x b', '> c']);
  const other = listOf('main', [700, '> a', '- b'], [118, 'x a', '> b'], [100, 'x a', 'x b']);
  const ends = (lists: typeof list) =>
    new TestViewer({ lists: [lists] }).body().map((row) => row.replace(/^.* {3}/, ''));
  expect(ends(list)).toEqual(['9m 40s · 11:58', '50s', '1m 10s']);
  expect(ends(other)).toEqual(['9m 42s · 11:58', '18s']);
});

test('the selected row is a bar across the screen, in which only the item in progress keeps its colour', () => {
  const theme = createTheme({ colours: true, background: 'dark' });
  const barOf = (viewer: TestViewer) => viewer.rows().find((row) => row.includes('▸'));
  const viewer = new TestViewer({ lists: [STEPS] }, { theme });
  const text = `▸● Doing Build...${' '.repeat(36)}1m 05s`;
  expect(barOf(viewer)).toBe(theme.paint.chosen(theme.paint.inProgress(text)));
  viewer.press('down');
  expect(barOf(viewer)).toBe(theme.paint.chosen(`▸○ Ship it${' '.repeat(49)}`));
  const wrapped = listOf('main', [4, `- ${'word '.repeat(30)}`]);
  const bars = new TestViewer({ lists: [wrapped] }, { theme: createTheme({ styles: true }) });
  for (const row of bars.rows().slice(3, 6)) expect(row).toMatch(/^\x1b\[7m.{59}\x1b\[27m$/);
});

test('a text that is longer than the screen is wrapped, not cut; a priority is said', () => {
  const content = 'Find out why the importer drops the last row of every third file';
  const viewer = new TestViewer({ lists: [listOf('main', [4, `- ${content}`])] }, { columns: 30 });
  expect(viewer.body()).toEqual([
    '▸○ Find out why the importer',
    '   drops the last row of',
    '   every third file',
  ]);
  const item = { content: 'Mend', activeForm: 'Mending', status: 'pending', priority: 'high' };
  const urgent = new TestViewer({ lists: [historyOf('main', [[4, [item as TodoItem]]])] });
  expect(urgent.body()[0]).toMatch(/○ Mend +high$/);
});

test('a high priority stands out from the times, a low one does not, in lists and on the board', () => {
  const theme = createTheme({ colours: true, background: 'dark' });
  const item = (content: string, priority: TodoItem['priority'], status: TodoItem['status']) =>
    ({ content, activeForm: content, status, priority }) as TodoItem;
  const items = [item('a', 'high', 'in_progress'), item('b', 'low', 'pending')];
  const lists = [historyOf('main', [[65, items]])];
  const rows = new TestViewer({ lists }, { theme }).press('end').rows().join('\n');
  expect(rows).toContain(theme.paint.inProgress('1m 05s · ') + theme.paint.high('high'));
  const tasks = tasksOf({ owner: 'ann', priority: 'high' }, { priority: 'low' }, {});
  const board = new TestViewer({ tasks }, { page: 'board', theme }).press('end').rows().join('\n');
  expect(board).toContain(`${theme.paint.high('high')}\n`);
  expect(board).toContain(theme.paint.faint('low'));
});

describe('the lists of all agents', () => {
  const agents = Array.from({ length: 10 }, (_, index) =>
    historyOf(`agent-${index}`, [[60 + index, plan(8, index % 8)]]),
  );

  test('stand side by side, each at its item in progress', () => {
    const viewer = new TestViewer({ lists: agents }, { columns: 200, rows: 40, page: 'agents' });
    const screen = viewer.rows().join('\n');
    for (const index of agents.keys()) expect(screen).toContain(`agent-${index} `);
    expect(screen.match(/● Doing step/g)).toHaveLength(10);
    expect(viewer.rows()[2]).toMatch(/^▸agent-0 +0\/8 {2}1m 00s │ {2}agent-1 +1\/8 {2}1m 01s │/);
  });

  test('have 30 columns at least, unless the screen is narrower', () => {
    const screen = (columns: number) =>
      new TestViewer({ lists: agents }, { columns, rows: 40, page: 'agents' }).rows().join('\n');
    expect(screen(62)).not.toContain('│');
    expect(screen(63)).toContain('│');
  });

  test('come in the order of what goes on, then the main agent first, the others by name and number; the key says how many', () => {
    const lists = [
      ...[listOf('ann', [4, 'x a']), listOf('aide-29', [4, '- a'])],
      ...[listOf('idle', [4]), listOf('aide-3', [4, '- a']), listOf('amy', [4, '> a'])],
      ...[listOf('main@1', [4, '- a']), listOf('main', [4, '> a'])],
    ];
    const viewer = new TestViewer({ lists }, { columns: 250 });
    expect(viewer.rows().at(-1)).toContain('a all 7 agents');
    const heads = viewer.press('a').rows()[2]?.split('│');
    const names = heads?.map((head) => head.replace(/^[ ▸]+| .*$/g, '').split(' ')[0]);
    expect(names).toEqual(['main', 'amy', 'main@1', 'aide-3', 'aide-29', 'idle', 'ann']);
  });

  test('begin with the one at work, whoever wrote last; an empty list says so', () => {
    const lists = [listOf('idle', [60]), listOf('zoe', [4, '> a'])];
    const rows = new TestViewer({ lists }, { columns: 100, page: 'agents' }).rows();
    expect(rows[2]).toMatch(/^▸zoe .*│ {2}idle /);
    expect(rows[3]).toContain('│  The list is empty.');
  });

  test('of one item show it', () => {
    const lists = [listOf('ann', [4, '> a']), listOf('bob', [4, '- b'])];
    const rows = new TestViewer({ lists }, { columns: 100, page: 'agents' }).rows();
    expect(rows[3]).toMatch(/^ ● Doing a\.\.\. +│ {2}○ b$/);
  });

  test('that are completed show their last items, if there is no room for all', () => {
    const lists = [listOf('ann', [4, '> a']), historyOf('bob', [[4, plan(30, 30)]])];
    const rows = new TestViewer({ lists }, { columns: 100, rows: 14, page: 'agents' }).rows();
    expect(rows.join('\n')).toContain('✓ step 30');
  });

  test('have the rows that shorter lists leave; what is still cut is counted', () => {
    const lists = [listOf('ann', [4, '> a']), historyOf('bob', [[4, plan(12, 12)]])];
    const shown = (rows: number) =>
      new TestViewer({ lists }, { columns: 40, rows, page: 'agents' }).body();
    expect(shown(21).slice(2)).toEqual(Array.from({ length: 12 }, (_, at) => ` ✓ step ${at + 1}`));
    expect(shown(20).slice(-2)).toEqual([' ✓ step 12', ' ↑ 2 more']);
  });

  test('which are out of sight are counted, as are tasks of a board: not the rows', () => {
    const viewer = new TestViewer({ lists: agents }, { columns: 100, rows: 12, page: 'agents' });
    expect(viewer.press('home').rows()[1]).toBe(' ↓ 4 more');
    expect(viewer.press('end').rows()[1]).toBe(' ↑ 6 more');
    const many = tasksOf(...Array.from({ length: 20 }, () => ({ owner: 'ann' })));
    for (const columns of [100, 50]) {
      const board = new TestViewer({ tasks: many }, { columns, rows: 10, page: 'board' });
      expect(board.press('home').rows().join('\n')).toMatch(/ ↓ 1[79] more/);
    }
  });

  test('of a harness have its name and the begin of its id', () => {
    const claude = 'main@11111111-aaaa-4bbb-8ccc-123456789abc';
    const codex = 'main@019a4f2c-0000-7bbb-8ccc-12345678fedc';
    const lists = [listOf(claude, [4, '> a']), listOf(codex, [4, '- a'])];
    const viewer = new TestViewer({ lists, session: '~/work/app2' }, { columns: 100 });
    expect(viewer.rows()[0]).toMatch(/^Claude 1111 · app2 {2}─/);
    expect(viewer.press('a').rows()[2]).toMatch(/^▸Claude 1111 .* │ {2}Codex fedc /);
    expect(viewer.press('h').rows()[0]).toMatch(/^History of Claude 1111 · app2/);
    expect(viewer.rows()[2]).toContain(' Claude 1111: began "a"');
  });

  test('can be moved through, and one of them opened', () => {
    const viewer = new TestViewer({ lists: agents }, { columns: 100, rows: 20, page: 'agents' });
    viewer.press('right', 'down', 'down');
    expect(viewer.rows().join('\n')).toContain('▸agent-7');
    expect(viewer.press('return').rows()[0]).toMatch(/^agent-7 · app/);
    expect(viewer.press('a').rows().join('\n')).toContain('▸agent-7');
  });
});

describe("the team's board", () => {
  const tasks = tasksOf(
    { subject: 'Parse', status: 'completed', owner: 'ann', blocks: [3] },
    { subject: 'Print', status: 'in_progress', activeForm: 'Printing', owner: 'bob', blocks: [3] },
    { subject: 'Ship', blockedBy: [1, 2] },
  );

  test('has a column per status, with owners, ages and blockers', () => {
    const viewer = new TestViewer({ tasks }, { columns: 100, rows: 10, page: 'board' });
    expect(viewer.rows()[0]).toMatch(/^Team tasks · release {2}━+─+ {2}1\/3 {2}updated 4s ago$/);
    const body = viewer.rows().slice(2, 5);
    expect(body.map((row) => row.split('│').map((cell) => cell.trim()))).toEqual([
      ['Pending 1', 'In progress 1', 'Completed 1'],
      ['○ #3 Ship', '▸● #2 Printing...', '✓ #1 Parse'],
      ['1m ago · blocked by #2', 'bob · 1m 00s · blocks #3', 'ann · 1m ago'],
    ]);
  });

  test('to the left of the first column, and to the right of the last, the keys move nothing', () => {
    const two = tasksOf({}, {}, { status: 'completed' }, { status: 'completed' });
    const viewer = new TestViewer({ tasks: two }, { columns: 100, page: 'board' });
    const selected = () => viewer.rows().find((row) => row.includes('▸'));
    expect(viewer.press('home', 'left').rows()).toEqual(viewer.press('home').rows());
    viewer.press('right');
    const last = viewer.rows();
    expect(selected()).toMatch(/│.*▸✓ #4/);
    expect(viewer.press('right').rows()).toEqual(last);
  });

  test('a change of state shows for two seconds, then settles', () => {
    const theme = createTheme({ colours: true });
    const at = new Date(NOON - 500);
    const updatedAt = at.toISOString();
    const begun = tasksOf(
      { status: 'completed' },
      { subject: 'Printing', status: 'in_progress', updatedAt },
    );
    const viewer = new TestViewer(
      {
        tasks: [
          ...begun.map((newest) => ({ ...newest, version: 2, at })),
          ...tasksOf({ status: 'completed' }, { subject: 'Printing' }),
        ],
      },
      { columns: 100, page: 'board', theme },
    );
    const rowOf = (text: string) => viewer.rows().find((row) => row.includes(text)) ?? '';
    viewer.press('right');
    const [bar = ''] = theme.fresh.in_progress('●').split('●');
    expect(rowOf('Printing')).toContain(bar);
    expect(viewer.untilChange).toBeLessThanOrEqual(1500);
    viewer.now += 1500;
    expect(rowOf('Printing')).not.toContain(bar);
    expect(rowOf('Printing')).toContain(theme.paint.inProgress('●'));
  });

  test('says beside the owner that a lease has expired, when it does', () => {
    const lease = { ms: 1000, beat: 1, clock: 'another', tick: 0 };
    const held = { subject: 'Parse', status: 'in_progress' as const, owner: 'ann', lease };
    const viewer = new TestViewer({ tasks: tasksOf(held) }, { columns: 100, page: 'board' });
    viewer.now = Date.now();
    expect(viewer.rows().join()).not.toContain('expired');
    expect(viewer.untilChange).toBeLessThanOrEqual(2000);
    viewer.now += 182_000;
    const rows = viewer.rows().map((row) => row.split('│')[1]?.trim());
    // How long the task has been in progress stays.
    expect(rows.join(' ')).toMatch(/ann · expired 3m ago, free to claim ?· \d/);
  });

  test('opens a task: all that is known of it, and what happened to it', () => {
    const at = '2026-05-05T09:00:00.000Z';
    const detailed = tasksOf(
      { subject: 'Parse', status: 'completed', check: 'npm test' },
      {
        ...{ subject: 'Print', owner: 'ann', description: 'Two\nlines', blockedBy: [1] },
        ...{
          comments: [{ by: 'bob', at, text: 'Mind the tabs' }],
          createdAt: at,
          updatedAt: at,
          createdBy: 'lea',
        },
      },
    );
    const viewer = new TestViewer({ tasks: detailed }, { columns: 50, page: 'board' });
    viewer.press('home', 'return');
    expect(viewer.rows()[0]).toBe('#2 Print');
    expect(
      viewer
        .rows()
        .slice(2, 12)
        .map((row) => row.replace(/\d\d:\d\d/, 'TIME')),
    ).toEqual([
      'Status        pending',
      'Owner         ann',
      'Description   Two',
      '              lines',
      'Blocked by    #1 Parse (completed)',
      'Comment by bob',
      '              TIME Mind the tabs',
      'Created by    TIME lea',
      'History       TIME ann: created #2 Print',
      '',
    ]);
    expect(viewer.press('escape').rows()[0]).toMatch(/^Team tasks/);
    const narrow = viewer.resize(30, 24).press('return').rows();
    expect(narrow).toEqual(expect.arrayContaining(['Owner', '  ann']));
  });

  test('of an older version says no ages; a task of which nothing is to be said is one row', () => {
    const old = tasksOf({ subject: 'Parse' }, { subject: 'Print', owner: 'bob' });
    const viewer = new TestViewer({ tasks: old }, { columns: 40, page: 'taskVersion' });
    const expected = ['Pending 2', '▸○ #1 Parse', ' ○ #2 Print', '     bob', ''];
    expect(viewer.rows().join('\n')).toContain(expected.join('\n'));
  });

  test('is one column on a narrow screen, tasks in progress first', () => {
    const viewer = new TestViewer({ tasks }, { columns: 40, rows: 30, page: 'board' });
    const titles = viewer.rows().filter((row) => /^[A-Z].* \d$/.test(row));
    expect(titles).toEqual(['In progress 1', 'Pending 1', 'Completed 1']);
  });
});

const WITH_MARK = ['list', 'agents', 'board', 'history', 'taskHistory'] as const;

test.each(WITH_MARK)('the mark is at the chosen row of the page %s alone', (page) => {
  const newer = tasksOf({}, {}, {}).map((newest) => ({ ...newest, version: 2 }));
  const tasks = [...newer, ...tasksOf({})];
  const list = (agent: string) => listOf(agent, [9, '- a'], [4, '- a', '- b', '- c']);
  const lists = ['main', 'bob', 'eve'].map(list);
  const viewer = new TestViewer({ lists, tasks }, { page, rows: 40 });
  const marked = () =>
    viewer.rows().flatMap((row, y) => (row.includes('▸') ? [y] : [])) as [number];
  viewer.press('home');
  const [first] = marked();
  expect(marked()).toEqual([first]);
  viewer.press('down');
  const [second] = marked();
  expect(marked()).toEqual([second]);
  expect(second).toBeGreaterThan(first);
});
