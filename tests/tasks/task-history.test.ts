import { expect, onTestFinished, test, vi } from 'vitest';
import type { Task } from '../../src/tasks/task.ts';
import { changeText, isSameTask } from '../../src/tasks/task-history.ts';
import { graphOf, task } from './tasks.ts';
import { refused, Team } from './team.ts';

// The history of a list, and undo.

const QUIET = { settings: { guidance: 'off' as const } };

const quiet = () => new Team(QUIET);

test('the history names agents and changes, newest first', async () => {
  const team = quiet();
  await team.run(
    'TaskCreate --subject A --agent lead',
    'TaskCreate --subject B --owner bob --agent lead',
    'TaskClaim 1 --agent ann --lease 30m',
    'TaskUpdate 1 --status completed --agent ann',
    'TaskUpdate 2 --subject Bee --add-blocked-by 1 --agent lead',
    'TaskRelease --agent bob',
    'TaskUpdate 2 --owner cat --agent lead',
    'TaskUpdate 2 --status deleted --agent cat',
  );
  const { stdout } = await team.run('TaskList --history');
  expect(
    stdout.replace(/\d{4}-\S+Z/g, 'TIME'),
  ).toBe(`8  TIME  cat  changed blocks of #1 A; deleted #2 Bee
7  TIME  lead  assigned #2 Bee (cat)
6  TIME  main  released #2 Bee
5  TIME  lead  changed blocks of #1 A; changed subject, blockedBy of #2 Bee
4  TIME  ann  completed #1 A
3  TIME  ann  claimed #1 A
2  TIME  lead  created #2 B
1  TIME  lead  created #1 A
`);
  expect((await team.out('TaskGet 2 --history')).match(/^\d/gm)).toEqual(['8', '7', '6', '5', '2']);
  expect(await team.out('TaskList --at 3')).toBe(
    '#1 [in_progress] A (ann)\n#2 [pending] B (bob)\n',
  );
  expect(await team.out('TaskGet 1 --at 2')).toContain('Status: pending');
  expect(await team.err('TaskList --at 99')).toContain(
    'no_such_version: there is no version 99: versions 1 to 8 are kept',
  );
});

test('the history names the owner of a claim only where another made it, and says who commented', async () => {
  const team = await Team.of('AB', QUIET);
  await team.run('TaskClaim 1 --agent ann', 'TaskUpdate 2 --owner bob --status in_progress');
  await team.run('TaskUpdate 1 --comment Half --agent lead');
  const told = (await team.out('TaskList --history')).match(/\w+ {2}(claimed|commented).*/g);
  expect(told).toEqual([
    'lead  commented on #1 A',
    'main  claimed #2 B (bob)',
    'ann  claimed #1 A',
  ]);
});

test('each change of a status or an owner has its verb', () => {
  const states = {
    free: { status: 'pending' },
    anns: { status: 'pending', owner: 'ann' },
    begun: { status: 'in_progress', owner: 'ann' },
    done: { status: 'completed', owner: 'ann' },
    archived: { status: 'pending', isArchived: true },
  } as const;
  const said = (...change: readonly (keyof typeof states)[]) => {
    const { tasks, nextId } = graphOf('A');
    const [before, after] = change.map((name) => ({
      nextId,
      tasks: new Map([[1, { ...(tasks.get(1) as Task), ...states[name] }]]),
    }));
    return changeText({ version: 2, at: new Date(0), before, after, ids: [1] } as never);
  };
  const changes = [
    ['free', 'anns', 'assigned #1 A (ann)'],
    ['anns', 'free', 'released #1 A'],
    ['free', 'begun', 'claimed #1 A (ann)'],
    ['begun', 'anns', 'put back #1 A (ann)'],
    ['begun', 'free', 'released #1 A'],
    ['begun', 'done', 'completed #1 A'],
    ['done', 'anns', 'reopened #1 A'],
    ['free', 'archived', 'archived #1 A'],
    ['archived', 'free', 'unarchived #1 A'],
  ] as const;
  for (const [from, to, text] of changes) expect(said(from, to)).toBe(text);
});

test('a deleted task comes back by undo, with its links', async () => {
  const team = await Team.of('ABC', QUIET);
  await team.run('TaskUpdate 2 --add-blocked-by 1');
  const before = await team.out('TaskList');
  await team.run('TaskUpdate 1 --status deleted');
  expect(await team.out('TaskList')).toBe('#2 [pending] B\n#3 [pending] C\n');
  expect(await team.out('TaskUndo')).toBe('Undone: deleted #1 A; changed blockedBy of #2 B\n');
  expect(await team.out('TaskList')).toBe(before);
  await team.run('TaskUndo');
  expect(await team.out('TaskList')).toBe('#2 [pending] B\n#3 [pending] C\n');
});

test('the history calls a task that came back by undo restored, not created, even within a millisecond', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const team = await Team.of('A', { settings: { agent: 'lead' } });
  await team.run('TaskUpdate 1 --status deleted', 'TaskUndo');
  const history = (await team.out('TaskList --history')).replace(/^.*lead {2}/gm, '');
  expect(history).toBe('restored #1 A\ndeleted #1 A\ncreated #1 A\n');
});

test('a change that something was built on is not undone, another one is', async () => {
  const team = quiet();
  await team.run('TaskCreate --subject A', 'TaskCreate --subject B', 'TaskUpdate 1 --subject X');
  await team.run('TaskUpdate 1 --description long', 'TaskUpdate 2 --subject Y');
  expect(await team.err('TaskUndo --at 3')).toBe(
    'Error: Cannot undo\n- built_upon: #1 changed since; nothing was undone\n',
  );
  expect(await team.out('TaskUndo --at 4')).toBe('Undone: changed description of #1 X\n');
  expect(await team.out('TaskList')).toBe('#1 [pending] X\n#2 [pending] Y\n');
  expect(await team.err('TaskUndo --at 77')).toContain('no_such_version');
  await team.run('TaskUpdate 1 --owner bob', 'TaskInbox --agent bob', 'TaskUndo --at 7');
  expect(await team.err('TaskUndo --at 8')).toContain('version 8 changed no task');
  expect((await quiet().run('TaskUndo')).stderr).toContain('nothing_to_undo');
});

test('a link comes back by undo only if that closes no circle with links made since', async () => {
  const team = await Team.of('ABCD', { settings: { agent: 'a' } });
  await team.run('TaskUpdate 1 --add-blocks 2', 'TaskUpdate 2 --add-blocks 3');
  await team.run('TaskUpdate 4 --add-blocks 1', 'TaskUpdate 1 --remove-blocks 2');
  await team.run('TaskUpdate 3 --add-blocks 4');
  expect(await team.run('TaskUndo --at 5')).toEqual(
    refused('Cannot undo', 'cycle: these would block each other: #1 → #2 → #3 → #4 → #1'),
  );
  await team.run('TaskUpdate 3 --remove-blocks 4');
  expect(await team.out('TaskUndo --at 5')).toContain('Undone: changed blocks of #1 A');
});

test('a task as it was computed is the task as it was read, which has no fields that are undefined', () => {
  const read = task(graphOf('One'), 1) as Task;
  expect(isSameTask({ ...read, owner: undefined, check: undefined }, read)).toBe(true);
  expect(isSameTask({ ...read, owner: 'ann' }, read)).toBe(false);
});
