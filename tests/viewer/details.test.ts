import { expect, test } from 'vitest';
import type { Known } from '../../src/viewer/model.ts';
import { stateJson } from '../../src/viewer/page/page-state.ts';
import { todos } from '../screen/panel/todos.ts';
import { historyOf, listOf, STEPS, TestViewer, tasksOf } from './viewer-state.ts';

test('Enter on an item opens its details, also of an older version', () => {
  const check = {
    content: 'Build',
    activeForm: 'Building',
    status: 'pending',
    check: 'make\ntouch x',
  } as const;
  const begun = { ...check, status: 'in_progress' } as const;
  // The last version changes nothing of the item.
  const list = historyOf('main', [
    [65, [check]],
    [4, [begun]],
    [2, [begun, ...todos('- Ship')]],
  ]);
  const viewer = new TestViewer({ lists: [list] }).press('return');
  expect(viewer.rows()[0]).toBe('Build');
  expect(viewer.rows().slice(2, 8)).toEqual([
    'Status        in progress',
    'Active form   Building',
    'Check         make␊touch x',
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

test('people read short names of agents in histories, reports and questions', () => {
  const owner = 'main@11111111-aaaa-4bbb-8ccc-123456789abc';
  const [after] = tasksOf({ subject: 'Parse', owner });
  const [before] = tasksOf({ subject: 'Parse' });
  const tasks = [{ ...after, version: 2 }, before] as Known['tasks'];
  const viewer = new TestViewer({ tasks }, { page: 'board', columns: 90 });
  const shown = [
    ...viewer.press('o').rows(),
    ...viewer.press('escape', 'h').rows(),
    ...new TestViewer({ tasks }, { page: 'board', message: `${owner} changed it` }).rows(),
  ].join('\n');
  expect(shown).toContain('Owner of #1, now Claude 1111; empty: nobody');
  expect(shown).toContain('ann: assigned #1 Parse (Claude 1111)');
  expect(shown).toContain('Claude 1111 changed it');
  expect(shown).not.toContain('main@');
});

test('a page gets the details and histories that it shows unfolded, and no others', () => {
  const tasks = tasksOf({ subject: 'Parse' }, { subject: 'Print' });
  const { known } = new TestViewer({ lists: [STEPS, listOf('bob', [4, '- a'])], tasks }).state;
  const sent = JSON.parse(stateJson(known, new Set(['task:1', 'history:bob'])));
  const counts = (some: Record<string, unknown[]>[], of: string) =>
    some.map((one) => one[of]?.length);
  expect(counts(sent.tasks, 'details')).toEqual([3, 0]);
  expect(counts(sent.lists, 'history').toSorted()).toEqual([0, 1]);
});

test('a page names the team whose tasks it shows, unless it is the session', () => {
  const teamOf = (known: Partial<Known>) =>
    JSON.parse(stateJson(new TestViewer(known).state.known, new Set())).team;
  expect(teamOf({ session: 's', team: 's' })).toBe('');
  expect(teamOf({ session: 's', team: 'release' })).toBe('release');
});

test('of a task that is gone, and of a proof, the details say so; no more than twenty changes are listed', () => {
  const at = '2026-05-05T09:00:00.000Z';
  const proof = { exitCode: 0, by: 'ann', at };
  const [task] = tasksOf({ check: 'make', proof: proof as never, status: 'completed' });
  const rowsOf = (known: Partial<Known>) =>
    new TestViewer(known, { page: 'board', columns: 80, rows: 40 }).press('return');
  const viewer = rowsOf({ tasks: [task as never] });
  const text = () =>
    viewer
      .rows()
      .join('\n')
      .replace(/\d\d:\d\d/g, 'TIME');
  expect(text()).toContain('Check         make\nProof         TIME exit 0, for ann\n');
  viewer.learn({ tasks: tasksOf() });
  expect(text()).toContain('Status        deleted');
  const writes = Array.from({ length: 30 }, (_, count): [number, ...string[]] => [
    60 - count,
    count % 2 === 0 ? '> a' : '- a',
  ]);
  const long = new TestViewer({ lists: [listOf('main', ...writes)] }, { rows: 40 }).press('return');
  expect(long.rows().filter((row) => /main: (pending|in progress)$/.test(row))).toHaveLength(20);
});

test('a text that is too long for the first row is whole in the details', () => {
  const long = `${'Rewrite the importer '.repeat(6)}now`;
  const list = listOf('main', [4, `> ${long}`]);
  const rows = new TestViewer({ lists: [list] }).press('return').rows();
  expect(rows[0]).toMatch(/^Rewrite the importer .*…$/);
  expect(rows.slice(2, 7).join(' ').replace(/\s+/g, ' ')).toContain(`Text ${long} Status`);
  const tasks = tasksOf({ subject: long });
  const board = new TestViewer({ tasks }, { page: 'board' }).press('return').rows();
  expect(board.join(' ').replace(/\s+/g, ' ')).toContain(` Text #1 ${long} Status`);
});

test('an item says what it has: its id, its priority and the text for while it runs, if that is another', () => {
  const item = {
    content: 'Build',
    activeForm: 'Build',
    status: 'pending',
    id: '7',
    priority: 'high',
  };
  const list = historyOf('main', [[4, [item as never]]]);
  const rows = new TestViewer({ lists: [list] }).press('return').rows().slice(2, 6);
  expect(rows).toEqual([
    'Status        pending',
    'Id            7',
    'Priority      high',
    'History       11:59 main: pending',
  ]);
});

test('a history that does not go back to the beginning says nothing of the oldest version', () => {
  const { versions } = listOf('main', [600, '- a'], [300, '> a'], [60, 'x a']);
  const kept = { agent: 'main', versions: versions.slice(0, 2) as never };
  const rows = new TestViewer({ lists: [kept] }).press('return').rows().join('\n');
  expect(rows).toMatch(/main: completed/);
  expect(rows).not.toMatch(/main: in progress/);
});
