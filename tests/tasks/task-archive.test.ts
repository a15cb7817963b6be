import { afterEach, expect, test, vi } from 'vitest';
import { Team } from './team.ts';

const QUIET = { settings: { guidance: 'off' as const } };

afterEach(() => void vi.useRealTimers());

test('without an id, tasks that were completed a week ago are archived; by its id also one of a faster clock', async () => {
  const team = await Team.of('AB', QUIET);
  const setClock = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
  await team.run('TaskUpdate 1 --status completed', 'TaskUpdate 2 --status completed');
  expect(await team.out('TaskArchive')).toBe('Nothing to archive.\n');
  setClock(-60_000);
  expect(await team.out('TaskArchive 1')).toBe('Archived: #1\n');
  setClock(7 * 86_400_000 + 60_000);
  expect(await team.out('TaskArchive --older-than 400d')).toBe('Nothing to archive.\n');
  expect(await team.out('TaskArchive')).toBe('Archived: #2\n');
});

test('completed tasks are archived, readable, and come back', async () => {
  const team = await Team.of('AB', QUIET);
  await team.run('TaskUpdate 1 --status completed');
  expect(await team.err('TaskArchive 1 2')).toContain('not_completed: #2 is pending');
  expect(await team.out('TaskArchive 1')).toBe('Archived: #1\n');
  expect(await team.out('TaskList')).toBe('#2 [pending] B\n');
  expect(await team.out('TaskList --archived')).toBe('#1 [completed] A\n');
  expect(await team.out('TaskGet 1')).toContain('Task #1: A');
  expect(await team.out('TaskList --history')).toContain('  main  archived #1 A\n');
  await team.run('TaskUpdate 1 --status pending');
  expect(await team.out('TaskList')).toBe('#1 [pending] A\n#2 [pending] B\n');
  await team.run('TaskUpdate 1 --status completed', 'TaskArchive 1', 'TaskUndo');
  expect(await team.out('TaskList --history --limit 1')).toContain('  main  unarchived #1 A\n');
});
