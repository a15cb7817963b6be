import { describe, expect, test } from 'vitest';
import type { FoundSession, SessionList } from '../../src/viewer/model.ts';
import { plan, todos } from '../screen/panel/todos.ts';
import { historyOf, listOf, NOON, STEPS, TestViewer } from './viewer-state.ts';

test('h shows who changed what, and when; Enter shows the list as it was, Esc goes back', () => {
  const viewer = new TestViewer({ lists: [STEPS] }).press('h');
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
    expect(rows.at(-1)).not.toContain('D remove');
    expect(rows.join('\n')).toContain('Waiting for the list of agent ann in session ~/app.');
    expect(rows.filter((row) => row.includes('app-'))).toHaveLength(5);
    expect(rows.join('\n')).toMatch(/▸ app-0 · open · ~ +main {2}1\/2 {2}1m ago/);
    const viewer = new TestViewer({ found }).press('down', 'return');
    expect(viewer.state.request).toEqual({ what: 'open', found: found[1] });
    // A list shows as soon as it is there, that of another agent too.
    const other = new TestViewer({ found }).learn({ lists: [listOf('bob', [4, '> Build'])] });
    expect(other.rows()[0]).toMatch(/^bob · app/);
  });

  test('while it waits, the key for a first item is in the last row, unless no session is named', () => {
    const hints = (known: ConstructorParameters<typeof TestViewer>[0]) =>
      new TestViewer(known).rows().at(-1);
    expect(hints({})).toMatch(/^n new /);
    expect(hints({ found })).toMatch(/^Enter open {2}n new /);
    expect(hints({ session: undefined })).not.toContain('n new');
  });

  test('a session is open, finished or idle, if nothing is in progress', () => {
    const states = [['- a'], ['x a'], []].map((lines, at) =>
      sessionOf(listIn(`~/app-${at}`, 'main', `todos/app-${at}/main`, ...lines)),
    );
    const rows = new TestViewer({ found: states }).press('s').rows();
    const words = ['open', 'finished', 'idle'].map((word, at) => `app-${at} · ${word} · ~`);
    expect(rows.slice(2, 5).map((row) => row.slice(2).replace(/ {2}.*/, ''))).toEqual(words);
  });

  test.each([
    ['damaged', 'damage'],
    ['unreadable', 'unreadable'],
  ])('a session with a list that is %s is so, whatever is in progress', (word, field) => {
    const list = listIn('~/app', 'main', 'todos/app/main', '> a');
    const lists: [SessionList, SessionList] = [list, { ...list, agent: 'bob', [field]: 'a fault' }];
    const rows = new TestViewer({ found: [sessionOf(...lists)] }).press('s').rows();
    expect(rows[2]).toMatch(new RegExp(`^▸ app · ${word} · ~ `));
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
    expect(viewer.rows().at(-1)).toContain('D remove');
    expect(viewer.press('D').rows().at(-1)).toBe(
      'Remove the 31 lists in shop, with all history?  y / n',
    );
    expect(viewer.press('n', 'return').state.request).toEqual({ what: 'open', found: both });
    viewer.learn({ lists: [historyOf('agent-0', [[4, plan(40, 2)]])] });
    expect(viewer.body()[0]).toBe(' ✓ step 2');
    const board = new TestViewer({ found: [sessionOf(team)] }).press('s', 'return');
    expect(board.rows()[0]).toMatch(/^Team tasks/);
  });

  test('a session on a narrow screen keeps its counts and age, and leaves out who is in it', () => {
    const doing = '> a text that is longer than half of the row';
    const lists = [listIn('~/app', 'the-agent-of-the-parser', 'todos/app/main', doing)] as const;
    const rowAt = (columns: number) => {
      const viewer = new TestViewer({ found: [sessionOf(...lists)] }, { columns });
      return viewer.press('s').rows()[2];
    };
    expect(rowAt(60)).toMatch(/^▸ app · Doing a text that is longer than half… {2}0\/1 {2}1m ago$/);
    expect(rowAt(90)).toMatch(/… {2}the-agent-of-the-parser {2}0\/1 {2}1m ago$/);
  });

  test('s lists all that there are', () => {
    const viewer = new TestViewer({ found, lists: [STEPS] }).press('s');
    expect(viewer.rows().filter((row) => row.includes('app-'))).toHaveLength(7);
    viewer.press('end', 'return');
    expect(viewer.state.request).toEqual({ what: 'open', found: found[6] });
  });
});

test('? has all keys, and q asks to quit on every page', () => {
  for (const key of ['?', 'a', 'b', 'h', 's']) {
    expect(new TestViewer({ lists: [STEPS] }).press(key, 'q').state.request).toEqual({
      what: 'quit',
    });
  }
  const help = new TestViewer({}, { columns: 80, rows: 24 }).press('?').rows();
  expect(help.join('\n')).toMatch(/c {10,}hide completed items[\s\S]*q {10,}quit/);
  expect(help.join('\n')).not.toContain('…');
  const small = new TestViewer({}, { columns: 80, rows: 8 }).press('?', 'end').rows();
  expect(small.join('\n')).toMatch(/ quit$/m);
  const narrow = new TestViewer({}, { columns: 20, rows: 100 }).press('?').rows();
  expect(narrow.join('\n')).not.toContain('…');
  expect(narrow.join('\n')).toContain('\nc\n  hide completed');
  const wide = new TestViewer({}, { columns: 200, rows: 24 }).press('?').rows();
  expect(wide[2]).toMatch(/^arrows, j, k .{80,} {10,}\w/);
});

test('what a page says that has nothing to show is whole on a narrow screen', () => {
  const rows = new TestViewer({ lists: [STEPS] }, { columns: 20, rows: 24, page: 'board' }).rows();
  expect(rows.join('\n')).toContain('The team has no\ntasks.');
});
