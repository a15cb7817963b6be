import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTheme } from '../../src/screen/panel/theme.ts';
import { displayWidth } from '../../src/screen/terminal/text.ts';
import type { TodoItem } from '../../src/todo/todo-fields.ts';
import type { FoundSession, SessionList } from '../../src/viewer/model.ts';
import { hostile, hostileItem } from '../helpers/hostile-text.ts';
import { runs } from '../helpers/random.ts';
import { plan, todos } from '../screen/panel/todos.ts';
import { historyOf, listOf, NOON, PAGES, TestViewer, tasksOf } from './viewer-state.ts';

const LIST = listOf(
  'main',
  [725, '> Analyze', '- Build'],
  [65, 'x Analyze', '> Build'],
  [4, 'x Analyze', '> Build', '- Ship it'],
);

test('the header has agent, session, age, progress and total time; items have their times', () => {
  const viewer = new TestViewer({ lists: [LIST] }, { rows: 10, columns: 64 });
  expect(viewer.rows()).toEqual([
    'main · app                                       updated 4s ago',
    `${'━'.repeat(16)}${'─'.repeat(33)}  1/3  12m 05s`,
    '',
    ' ✓ Analyze                                      11m 00s · 11:58',
    '▸● Doing Build...                                        1m 05s',
    ' ○ Ship it',
    '',
    '',
    '',
    'p put back  x complete  e edit        h history  ? keys  q quit',
  ]);
  viewer.now += 3_600_000;
  expect(viewer.body()[1]).toMatch(/^▸● Doing Build... +1h 01m$/);
  const wide = new TestViewer({ lists: [LIST] }, { rows: 10, columns: 100 }).rows();
  expect(wide[0]).toMatch(/^main · app {2}━+─+ {2}1\/3 {2}12m 05s · updated 4s ago$/);
  expect(wide.at(-1)).toBe(
    'p put back  x complete  e edit  Enter details       h history  s sessions  / filter  ? keys  q quit',
  );
});

test('the count has the colour of what is done only if all is', () => {
  const theme = createTheme({ colours: true });
  const header = (list: typeof LIST) =>
    new TestViewer({ lists: [list] }, { columns: 100, theme }).rows()[0];
  expect(header(LIST)).not.toContain(theme.paint.done('  1/3'));
  expect(header(listOf('main', [4, 'x a']))).toContain(theme.paint.done('  1/1'));
});

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
  const viewer = new TestViewer({ lists: [LIST] }, { theme });
  const text = `▸● Doing Build...${' '.repeat(36)}1m 05s`;
  expect(barOf(viewer)).toBe(theme.paint.chosen(theme.paint.inProgress(text)));
  viewer.press('down');
  expect(barOf(viewer)).toBe(theme.paint.chosen(`▸○ Ship it${' '.repeat(49)}`));
  const wrapped = listOf('main', [4, `- ${'word '.repeat(30)}`]);
  const bars = new TestViewer({ lists: [wrapped] }, { theme: createTheme({ styles: true }) });
  for (const row of bars.rows().slice(3, 6)) expect(row).toMatch(/^\x1b\[7m.{59}\x1b\[27m$/);
});

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
      new TestViewer({ tasks, lists: [LIST, listOf('bob', [4, '- c'])] }, { page, columns: 100 })
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

test('if the versions do not go back to the beginning, the time is a minimum', () => {
  const { versions } = listOf('main', [600, '> Build'], [60, '> Build', '- Ship']);
  const viewer = new TestViewer({ lists: [{ agent: 'main', versions: [versions[0]] }] });
  expect(viewer.body()[0]).toMatch(/^▸● Doing Build... +>1m 00s$/);
  expect(viewer.rows()[1]).toMatch(/>1m 00s$/);
});

test('a finished plan has the time that it took, and no clock runs; the next one begins its own', () => {
  const list = listOf('main', [500, '> Build'], [380, 'x Build']);
  const viewer = new TestViewer({ lists: [list] });
  expect(viewer.rows()[1]).toMatch(/1\/1 {2}finished in 2m 00s$/);
  expect(viewer.resize(100, 24).rows()[0]).toMatch(/1\/1 {2}finished in 2m 00s · updated 6m ago$/);
  expect(viewer.untilChange).toBe(40_000);
  const other = listOf('main', [5000, '> Old'], [60, '> New']);
  expect(new TestViewer({ lists: [other] }).rows()[1]).toMatch(/ {2}1m 00s$/);
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

describe('scrolling', () => {
  const long = (completed: number) => historyOf('main', [[4, plan(50, completed)]]);

  test('follows the item in progress', () => {
    const viewer = new TestViewer({ lists: [long(5)] });
    for (const completed of [6, 20, 49, 30]) {
      viewer.learn({ lists: [long(completed)] });
      expect(viewer.body().join('\n')).toMatch(
        new RegExp(`▸● Doing step ${completed + 1}\\.\\.\\. +4s`),
      );
    }
  });

  test('stays where one has moved to, until Esc', () => {
    const viewer = new TestViewer({ lists: [long(30)] }).press('home', 'return', 'home');
    const before = viewer.body();
    expect(before[0]).toMatch(/^▸✓ step 1 +11:59$/);
    viewer.learn({ lists: [long(40)] });
    expect(viewer.body()).toEqual(before);
    viewer.press('escape');
    expect(viewer.body().join('\n')).toContain('● Doing step 41...');
    expect(viewer.body()[0]).toBe('   ▸ 37 completed');
  });

  test('of the completed items above the current one the last three show; Enter unfolds the others', () => {
    const rowsOf = (completed: number, ...keys: string[]) =>
      new TestViewer({ lists: [historyOf('main', [[4, plan(20, completed)]])] }).press(...keys);
    expect(rowsOf(3).body()[0]).toMatch(/^ ✓ step 1 /);
    expect(rowsOf(20).body().join()).not.toContain('▸ ');
    const folded = rowsOf(16);
    expect(folded.body().map((row) => row.replace(/ {2,}\S*$/, ''))).toEqual([
      '   ▸ 13 completed',
      ...[14, 15, 16].map((step) => ` ✓ step ${step}`),
      ...['▸● Doing step 17...', ' ○ step 18', ' ○ step 19', ' ○ step 20'],
    ]);
    folded.press('home');
    expect(folded.body()[0]).toBe('▸  ▸ 13 completed');
    expect(folded.rows().at(-1)).toMatch(/^Enter unfold /);
    expect(folded.press('x', 'd', 'K').state.request).toBeUndefined();
    expect(folded.press('return').body()[0]).toMatch(/^▸✓ step 1 /);
    expect(folded.press('escape').body()[0]).toBe('   ▸ 13 completed');
    expect(rowsOf(16, '/', 's').body()).toHaveLength(16);
  });

  test('goes by items, by screens, and to both ends', () => {
    const viewer = new TestViewer({ lists: [long(0)] });
    const chosen = () => /▸.*step (\d+)/.exec(viewer.body().join('\n'))?.[1];
    const chosenAfter = (...keys: string[]) => {
      viewer.press(...keys);
      return chosen();
    };
    expect(chosenAfter('j', 'down', 'j', 'k')).toBe('3');
    expect(chosenAfter('pagedown')).toBe('17');
    expect(chosenAfter('pageup')).toBe('3');
    expect(chosenAfter('G')).toBe('50');
    expect(chosenAfter('down')).toBe('50');
    expect(chosenAfter('g', 'up')).toBe('1');
  });

  test('how much is out of sight, above and below, is said', () => {
    const viewer = new TestViewer({ lists: [long(20)] }).press('home', 'return', 'end');
    expect(viewer.rows()[2]).toBe(' ↑ 34 more');
    expect(viewer.rows().join('\n')).not.toContain('↓');
    viewer.press('home');
    expect(viewer.rows()[2]).toBe(' ↓ 34 more');
    viewer.press('pagedown', 'pagedown');
    expect(viewer.rows()[2]).toMatch(/^ ↑ \d+ more {2}↓ \d+ more$/);
  });

  test('goes line by line through an item that is longer than the screen', () => {
    const words = Array.from({ length: 30 }, (_, index) => `word${index}`);
    const list = listOf('main', [4, `- ${words.join(' ')}`, '- next']);
    const viewer = new TestViewer({ lists: [list] }, { columns: 20, rows: 5 });
    const seen = new Set<string>();
    for (let step = 0; step < 20; step++) {
      for (const row of viewer.rows().slice(1)) for (const word of row.split(/\W+/)) seen.add(word);
      viewer.press('down');
    }
    expect(words.filter((word) => !seen.has(word))).toEqual([]);
    expect(viewer.rows().join('\n')).toContain('▸○ next');
  });
});

test('h shows who changed what, and when; Enter shows the list as it was, Esc goes back', () => {
  const viewer = new TestViewer({ lists: [LIST] }).press('h');
  expect(viewer.rows()[0]).toBe('History of main · app');
  expect(viewer.rows().slice(2, 5)).toEqual([
    '▸   3  11:59  main: 1 added',
    '    2  11:58  main: completed "Analyze"; began "Build"',
    '    1  11:47  main: began "Analyze"; 2 added',
  ]);
  viewer.press('down', 'down', 'return');
  expect(viewer.rows()[0]).toBe('Version 1 of main, 11:47 by main');
  expect(viewer.body()).toEqual([`▸● Doing Analyze...${' '.repeat(29)}since 11:47`, ' ○ Build']);
  expect(viewer.press('escape').rows()[0]).toBe('History of main · app');
  expect(viewer.press('h').rows()[0]).toMatch(/^main · /);
  const removed = new TestViewer({ lists: [] }, { page: 'history' });
  expect(removed.rows()[0]).toBe('History of main · app');
});

test('Esc goes back from every page, and follows the list again; c hides completed items', () => {
  const viewer = new TestViewer({ lists: [LIST] });
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

test('Enter on an item opens its details, also of an older version', () => {
  const check = {
    content: 'Build',
    activeForm: 'Building',
    status: 'pending',
    check: 'make',
  } as const;
  const list = historyOf('main', [
    [65, [check]],
    [4, [{ ...check, status: 'in_progress' }]],
  ]);
  const viewer = new TestViewer({ lists: [list] }).press('return');
  expect(viewer.rows()[0]).toBe('Build');
  expect(viewer.rows().slice(2, 8)).toEqual([
    'Status        in progress',
    'Active form   Building',
    'Check         make',
    'History       11:59 main: in progress',
    '              11:58 main: pending',
    '',
  ]);
  const old = new TestViewer({ lists: [list] }, { page: 'version' }).press('return');
  expect(old.rows()[2]).toBe('Status        pending');
  expect(viewer.learn({ lists: [listOf('main', [1])] }).rows()[2]).toContain(
    'no longer on the list',
  );
});

test('on a narrow screen the change of a version is below its time, in whole words', () => {
  const list = listOf('main', [60, '- Build the importer'], [4, 'x Build the importer']);
  const viewer = new TestViewer({ lists: [list] }, { columns: 24, rows: 12, page: 'history' });
  expect(viewer.rows().slice(2, 7)).toEqual([
    '▸   2  11:59',
    '  main: completed',
    '  "Build the importer"',
    '    1  11:59',
    '  main: 1 added',
  ]);
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

  test('come in the order of what goes on, then of their names by number; the key says how many', () => {
    const lists = [
      ...[listOf('ann', [4, 'x a']), listOf('agent-29', [4, '- a'])],
      ...[listOf('idle', [4]), listOf('agent-3', [4, '- a']), listOf('zoe', [4, '> a'])],
    ];
    const viewer = new TestViewer({ lists }, { columns: 200 });
    expect(viewer.rows().at(-1)).toContain('a all 5 agents');
    const heads = viewer.press('a').rows()[2]?.split('│');
    const names = heads?.map((head) => head.replace(/^[ ▸]+| .*$/g, '').split(' ')[0]);
    expect(names).toEqual(['zoe', 'agent-3', 'agent-29', 'idle', 'ann']);
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
    expect(viewer.rows()[0]).toMatch(/^Team tasks · app {2}━+─+ {2}1\/3 {2}updated 4s ago$/);
    const body = viewer.rows().slice(2, 5);
    expect(body.map((row) => row.split('│').map((cell) => cell.trim()))).toEqual([
      ['Pending 1', 'In progress 1', 'Completed 1'],
      ['○ #3 Ship', '▸● #2 Printing...', '✓ #1 Parse'],
      ['1m ago · blocked by #2', 'bob · 1m 00s · blocks #3', 'ann · 1m ago'],
    ]);
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
    expect(rows.join(' ')).toMatch(/ann · expired 3 ?m(in)? ago, free to claim/);
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

test('before the lists have been looked for, nothing is said of them', () => {
  const viewer = new TestViewer({ isReached: false });
  expect(viewer.body()).toEqual([]);
  expect(viewer.learn({ isReached: true }).rows().join()).toContain('Waiting for');
});

describe('where there is no list', () => {
  const listIn = (session: string, agent: string, key: string, ...lines: string[]) => ({
    ...{ session, agent, key },
    newest: { version: 1, items: todos(...lines), updatedAt: new Date(NOON - 60_000) },
  });
  const sessionOf = (first: SessionList, ...others: SessionList[]): FoundSession => ({
    session: first.session,
    key: `todos/${first.session}`,
    lists: [first, ...others],
  });
  const found = Array.from({ length: 7 }, (_, index) =>
    sessionOf(listIn(`~/app-${index}`, 'main', `todos/app-${index}/main`, 'x a', '- b')),
  );

  test('it names the awaited list, and offers the five newest, of which Enter opens one', () => {
    const rows = new TestViewer({ found }, { awaited: 'ann' }).rows();
    expect(rows.at(-1)).toContain('Enter open');
    expect(rows.join('\n')).toContain('Waiting for the list of agent ann in session ~/app.');
    expect(rows.filter((row) => row.includes('app-'))).toHaveLength(5);
    expect(rows.join('\n')).toMatch(/▸ app-0 · open · ~ +main {2}1\/2 {2}1m ago/);
    const viewer = new TestViewer({ found }).press('down', 'return');
    expect(viewer.state.request).toEqual({ what: 'open', found: found[1] });
    // A list shows as soon as it is there, that of another agent too.
    const other = new TestViewer({ found }).learn({ lists: [listOf('bob', [4, '> Build'])] });
    expect(other.rows()[0]).toMatch(/^bob · app/);
  });

  test('the sessions are a row each: what is done there, and who is in it', () => {
    const shop = Array.from({ length: 30 }, (_, at) =>
      listIn('~/work/shop', `agent-${at}`, `todos/shop/agent-${at}`, 'x a', '- b'),
    ) as unknown as [SessionList];
    const team = listIn('~/work/shop', '(team)', 'tasks/shop', '> Ship');
    const both = sessionOf(...shop, team);
    const viewer = new TestViewer({ found: [both, ...found.slice(0, 1)] }, { columns: 80 });
    expect(viewer.press('s').rows().slice(2, 4)).toEqual([
      '▸ shop · Doing Ship... · ~/work                      agent-0 +29  30/61  1m ago',
      '  app-0 · open · ~                                            main  1/2  1m ago',
    ]);
    expect(viewer.press('D').rows().at(-1)).toBe(
      'Remove the 31 lists in shop, with all history?  y / n',
    );
    expect(viewer.press('n', 'return').state.request).toEqual({ what: 'open', found: both });
    const board = new TestViewer({ found: [sessionOf(team)] }).press('s', 'return');
    expect(board.rows()[0]).toMatch(/^Team tasks/);
  });

  test('s lists all that there are', () => {
    const viewer = new TestViewer({ found, lists: [LIST] }).press('s');
    expect(viewer.rows().filter((row) => row.includes('app-'))).toHaveLength(7);
    viewer.press('end', 'return');
    expect(viewer.state.request).toEqual({ what: 'open', found: found[6] });
  });
});

test('trouble with reading shows in the last row, and the list stays', () => {
  const viewer = new TestViewer({ lists: [LIST], problem: '/state/x is damaged' });
  expect(viewer.rows().at(-1)).toBe('/state/x is damaged');
  expect(viewer.body()).toHaveLength(3);
});

test('? has all keys, and q asks to quit on every page', () => {
  for (const key of ['?', 'a', 'b', 'h', 's']) {
    expect(new TestViewer({ lists: [LIST] }).press(key, 'q').state.request).toEqual({
      what: 'quit',
    });
  }
  const help = new TestViewer({}, { columns: 80, rows: 24 }).press('?').rows();
  expect(help.join('\n')).toMatch(/c {10,}hide completed items[\s\S]*q {10,}quit/);
  expect(help.join('\n')).not.toContain('…');
  const small = new TestViewer({}, { columns: 80, rows: 8 }).press('?', 'end').rows();
  expect(small.join('\n')).toMatch(/ quit$/m);
  const wide = new TestViewer({}, { columns: 200, rows: 24 }).press('?').rows();
  expect(wide[2]).toMatch(/^arrows, j, k .* e {10,}change its text$/);
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

const ANY_KEY = fc.constantFrom(
  ...['up', 'down', 'left', 'right', 'pageup', 'pagedown', 'home', 'end', 'return', 'escape'],
  ...'abcdeghjknopsuxJKG?',
);

test('on every page and size, after any keys, no row is as wide as the screen, none holds a control, and there are no more than fit', () => {
  fc.assert(
    fc.property(
      fc.array(hostileItem, { maxLength: 12 }),
      hostile,
      fc.constantFrom(...(Object.keys(PAGES) as (keyof typeof PAGES)[])),
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 100 }),
      fc.boolean(),
      fc.array(ANY_KEY, { maxLength: 12 }),
      (items, name, page, columns, rows, unicode, keys) => {
        const own = historyOf(
          name,
          [9, 4].map((ago) => [ago, items.slice(ago % 2)]),
        );
        const lists = [own, listOf('main', [4, '- a'])];
        const task = { subject: name, owner: name, status: 'in_progress' as const };
        const tasks = tasksOf(task, { subject: name });
        const problem = unicode ? name : undefined;
        const viewer = new TestViewer(
          { lists, tasks, session: name, problem },
          { columns, rows, page, agent: name, theme: createTheme({ unicode }) },
        );
        viewer.press(...keys);
        const shown = viewer.rows();
        expect(shown.length).toBeLessThanOrEqual(rows);
        for (const row of shown) {
          expect(row).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
          expect(displayWidth(row)).toBeLessThanOrEqual(Math.max(1, columns - 1));
        }
      },
    ),
    { numRuns: runs(60) },
  );
});
