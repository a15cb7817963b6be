import { expect, test } from 'vitest';
import { Team } from './team.ts';

test('500 tasks are 30 lines and a count, the unfinished first, in fewer than 1,200 tokens', async () => {
  const team = new Team({ settings: { guidance: 'off' } });
  const tasks = Array.from({ length: 500 }, (_, index) => ({
    subject: `Fix the login page, part ${index}`,
  }));
  await team.call('TaskCreate', [JSON.stringify(tasks)]);
  for (let id = 1; id <= 20; id++) await team.run(`TaskUpdate ${id} --status completed`);
  await team.run('TaskClaim 400 --agent bob');
  const { stdout } = await team.run('TaskList');
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(31);
  expect(lines[0]).toContain('#400 [in_progress]');
  expect(lines[1]).toContain('#21 [pending]');
  expect(lines[30]).toBe('... and 470 more tasks; --limit 500 shows all');
  // Such text has about four characters a token.
  expect(stdout.length / 3.5).toBeLessThan(1200);
  expect((await team.out('TaskList --limit 2')).split('\n')).toHaveLength(4);
  expect(JSON.parse(await team.out('TaskList --json')).tasks).toHaveLength(500);
  const found = await team.out('TaskList --search PART --status completed --limit 500');
  expect(found.trim().split('\n')).toHaveLength(20);
  expect((await team.call('TaskList', ['--search', ' '])).stderr).toContain(
    'search: Cannot be blank',
  );
});

test.each(['--format md', '--json', '--format json'])(
  'TaskList %s with a limit keeps the unfinished and counts the rest on stderr',
  async (form) => {
    const team = await Team.of('ABC', { settings: { guidance: 'off' } });
    await team.run('TaskUpdate 1 --status completed');
    const { stdout, stderr } = await team.run(`TaskList ${form} --limit 2`);
    expect(stdout.match(/\b[ABC]\b/g)).toEqual(['B', 'C']);
    expect(stderr).toBe('Note: 1 more task; --limit 3 shows all\n');
    for (const whole of [form, `${form} --limit 3`])
      expect((await team.run(`TaskList ${whole}`)).stderr).toBe('');
  },
);

test("one's own tasks are those that wait first, then those that one works on", async () => {
  const team = await Team.of('ABC', { settings: { guidance: 'off' } });
  await team.run('TaskClaim 1', 'TaskUpdate 2 --owner main', 'TaskUpdate 3 --owner main');
  const ids = [...(await team.out('TaskList --mine')).matchAll(/^#\d+ \[\w+\]/gm)].map(String);
  expect(ids).toEqual(['#2 [pending]', '#3 [pending]', '#1 [in_progress]']);
});
