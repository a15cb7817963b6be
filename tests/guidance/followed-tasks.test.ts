import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS, type GuidanceSettings } from '../../src/base/settings/settings.ts';
import { FollowedTasks } from '../../src/guidance/followed-tasks.ts';
import { Guide } from '../../src/guidance/guide.ts';
import type { TaskStore } from '../../src/tasks/task-store.ts';
import { Team } from '../tasks/team.ts';

function guided(settings: Partial<GuidanceSettings> = {}, agent: string | undefined = 'a') {
  const team = new Team({ settings: { agent, ...settings } });
  const all = { ...DEFAULT_SETTINGS, agent, reminderTurns: 3, ...settings };
  const guide = new Guide({
    tasks: new FollowedTasks({
      open: () => team.stores.get('') as TaskStore,
      settings: () => ({ settings: all, warnings: [] }),
    }),
    settings: () => all,
  });
  const run = async (line: string) => {
    const [name = '', ...argv] = line.split(' ');
    const handler = guide.guided(team.handlers.get(name) as never);
    return (await handler.execute({ argv, stdin: async () => '' })).stderr;
  };
  return { guide, run };
}

test('after a completion one line names the ready tasks', async () => {
  const { run } = guided();
  const lines = ['TaskCreate --subject A', 'TaskCreate --subject B --blocked-by 1'];
  for (const line of lines) expect(await run(line)).toBe('');
  expect(await run('TaskUpdate 1 --status completed')).toBe('Note: ready to claim: #2 B\n');
  expect(await run('TaskUpdate 1 --status completed')).toBe('');
  expect(await run('TaskUpdate 2 --status completed')).toBe('');
  for (const name of 'CDEFG') await run(`TaskCreate --subject ${name}`);
  expect(await run('TaskUpdate 3 --status completed')).toBe(
    'Note: ready to claim: #4 D, #5 E, #6 F and 1 more\n',
  );
  const { run: quiet } = guided({ guidance: 'off' });
  for (const name of 'AB') await quiet(`TaskCreate --subject ${name}`);
  expect(await quiet('TaskUpdate 1 --status completed')).toBe('');
});

test('a reminder of tasks that nothing happens to, once for each state', async () => {
  const { run, guide } = guided();
  const lines = (count: number) =>
    Array.from({ length: count }, () => guide.commandEnded(0)).flat();
  await run('TaskCreate --subject A');
  expect(lines(9)).toEqual([]);
  await run('TaskClaim 1');
  expect(lines(3)).toEqual([]);
  expect(lines(9)).toEqual([
    'Note: nothing has changed in your tasks for 3 commands. Complete what is done, release what you gave up:\nNote: #1 A',
  ]);
  await run('TaskUpdate 1 --subject B');
  expect(lines(9)).toHaveLength(1);
  await run('TaskUpdate 1 --status completed');
  expect(lines(9)).toEqual([]);
});

test('a reminder has at most 6 lines; notes alone, and an agent without a name, get none', async () => {
  const claim = async (settings: Partial<GuidanceSettings>, agent: string) => {
    const { run, guide } = guided(settings, agent);
    for (let id = 1; id <= 7; id++) {
      await run('TaskCreate --subject A');
      await run(`TaskClaim ${id}`);
    }
    return Array.from({ length: 9 }, () => guide.commandEnded(0)).flat();
  };
  const [reminder = ''] = await claim({}, 'a');
  expect(reminder.split('\n')).toHaveLength(6);
  expect(reminder).toContain('#5 A ... and 2 more');
  expect(await claim({ guidance: 'notes' }, 'a')).toEqual([]);
  expect(await claim({ guidance: 'off' }, 'a')).toEqual([]);
  const { guide } = guided({}, undefined);
  expect(guide.commandEnded(0)).toEqual([]);
});

test('an agent with a name hears what others did with its tasks, once; one without a name hears nothing', async () => {
  const { run, guide } = guided();
  await run('TaskCreate --subject A');
  await run('TaskUpdate 1 --owner a --agent bob');
  expect(await guide.news()).toEqual(['Note: #1 "A": assigned to you by bob']);
  expect(await guide.news()).toEqual([]);
  const { run: unnamed, guide: other } = guided({}, undefined);
  await unnamed('TaskCreate --subject A');
  await unnamed('TaskUpdate 1 --owner main --agent bob');
  expect(await other.news()).toEqual([]);
});
