import { expect, test } from 'vitest';
import { readSettings } from '../../src/base/settings/settings.ts';
import { ok } from '../helpers/replies.ts';
import { refused, Team } from './team.ts';

const firstLine = ({ stdout, stderr }: { stdout: string; stderr: string }) =>
  (stdout || stderr).split('\n')[0];

test("one's own tasks come before free ones, and these by priority, then by id", async () => {
  const team = new Team({ settings: { guidance: 'off' } });
  await team.run(
    'TaskCreate --subject Free',
    'TaskCreate --subject Low --priority low',
    'TaskCreate --subject Mine --owner bob',
    'TaskCreate --subject Anns --owner ann',
    'TaskCreate --subject High --priority high',
    'TaskCreate --subject Blocked --owner bob --blocked-by 1',
  );
  const { stdout } = await team.run('TaskList --ready --agent bob');
  expect(stdout.match(/#\d/g)).toEqual(['#3', '#5', '#1', '#2']);
  const claims = [];
  for (let count = 0; count < 5; count++) {
    claims.push(firstLine(await team.run('TaskClaim --next --agent bob')));
  }
  expect(claims).toEqual([
    'Task #3 claimed by bob: Mine',
    'Task #5 claimed by bob: High',
    'Task #1 claimed by bob: Free',
    'Task #2 claimed by bob: Low',
    'Error: Cannot claim a task',
  ]);
  expect(await team.out('TaskList --mine --agent ann')).toBe('#4 [pending] Anns (ann)\n');
});

test('blanks around the name of an agent are no part of it, however it is given', async () => {
  const team = await Team.of('ABC', { settings: { agent: 'lead' } });
  await team.call('TaskUpdate', ['1', '--owner', ' ann ']);
  await team.call('TaskUpdate', ['{"taskId":2,"owner":"\\tann"}']);
  await team.call('TaskClaim', ['3', '--agent', 'ann ']);
  const { tasks } = JSON.parse(await team.out('TaskList --json'));
  expect(tasks.map(({ owner }: { owner: string }) => owner)).toEqual(['ann', 'ann', 'ann']);
  expect((await team.call('TaskRelease', ['--agent', ' ann'])).stdout).toBe(
    'Released: #1, #2, #3\n',
  );
  expect(readSettings({ TODO_AGENT: ' ann\n' }, undefined).settings.agent).toBe('ann');
});

test('with one task at a time, every unfinished task of an agent counts', async () => {
  const team = new Team({ settings: { guidance: 'off', oneTaskPerAgent: true } });
  await team.run('TaskCreate --subject A --owner bob', 'TaskCreate --subject B');
  expect(await team.err('TaskClaim 2 --agent bob')).toBe(
    'Error: Cannot claim task #2\n- agent_busy: bob has yet to begin #1\n',
  );
  await team.run('TaskClaim 1 --agent bob');
  expect(await team.err('TaskClaim 2 --agent bob')).toContain('bob is working on #1');
  await team.run('TaskUpdate 1 --status completed --agent bob');
  expect((await team.run('TaskClaim 2 --agent bob')).exitCode).toBe(0);
});

test('TaskRelease without ids says that it has released all: perhaps bash took #1 for a comment', async () => {
  const team = new Team({ settings: { agent: 'ann' } });
  await team.run('TaskCreate --subject A', 'TaskCreate --subject B', 'TaskClaim 1', 'TaskClaim 2');
  const note = 'without ids all are released; an id is written 3: bash takes #3 for a comment';
  expect(await team.run('TaskRelease')).toEqual(ok('Released: #1, #2\n', `Note: ${note}\n`));
  await team.run('TaskClaim 2');
  expect(await team.run('TaskRelease')).toEqual(ok('Released: #2\n'));
});

test('a claim without a name says how to give one', async () => {
  const team = await Team.of('S', { settings: { taskList: 'team' } });
  const how = 'no_agent: say who you are: set TODO_AGENT, or give --agent NAME';
  expect(await team.run('TaskClaim 1')).toEqual(refused('Cannot claim task #1', how));
  expect(await team.run('TaskClaim --next')).toEqual(refused('Cannot claim a task', how));
  expect(await team.run('TaskUpdate 1 --status in_progress')).toEqual(
    refused('Cannot update task #1', how),
  );
  expect(await team.run('TaskRelease')).toEqual(refused('Cannot release the tasks', how));
  expect(await team.run('TaskClaim 1 --agent a')).toMatchObject({ exitCode: 0 });
  await team.run('TaskCreate --subject T');
  expect(await team.run('TaskClaim 2 --agent a --check-busy')).toEqual(
    refused('Cannot claim task #2', 'agent_busy: a is working on #1'),
  );
});

test('a caller without a name that has no tasks or news is told how to give one, where others work too', async () => {
  const team = await Team.of('AB', { settings: { guidance: 'off' } });
  expect(await team.run('TaskList --mine')).toEqual(ok('No tasks.\n'));
  await team.run('TaskClaim 2 --agent bob');
  const note = 'say who you are: set TODO_AGENT, or give --agent NAME';
  expect(await team.run('TaskList --mine')).toEqual(ok('No tasks.\n', `Note: ${note}\n`));
  expect(await team.run('TaskInbox')).toEqual(ok(expect.stringContaining('"B": claimed by bob')));
  for (const option of ['', ' --json']) {
    const { stderr, exitCode } = await team.run(`TaskInbox${option}`);
    expect([stderr, exitCode]).toEqual([`Note: ${note}\n`, 0]);
  }
  expect(await team.run('TaskInbox --agent ann')).toEqual(ok('Nothing new.\n'));
  expect(await team.out('TaskList --mine --agent bob')).toContain('#2');
  await team.run('TaskUpdate 1 --owner main --force --agent main');
  expect(await team.run('TaskList --mine')).toEqual(ok('#1 [pending] A (main)\n'));
});

test('on its own list an agent needs no name; where others work too it does', async () => {
  const team = await Team.of('AB');
  expect(await team.run('TaskClaim --next')).toEqual(ok('Task #1 claimed by main: A\n'));
  expect(await team.run('TaskList --list other')).toEqual(ok('No tasks.\n'));
  expect(await team.err('TaskClaim --next --list other')).toContain('no');
  await team.run('TaskClaim 2 --agent bob');
  expect(await team.err('TaskClaim 1')).toContain('no_agent');
  expect(await team.err('TaskRelease')).toContain('no_agent');
});

test('--agent with ids releases only tasks of that agent; --force is for leaders', async () => {
  const team = new Team({ settings: { agent: 'lead', guidance: 'off' } });
  await team.run('TaskCreate --subject A', 'TaskClaim 1 --agent a');
  expect(await team.run('TaskRelease 1 --agent b')).toEqual(
    refused('Cannot release the tasks', 'already_claimed: #1 is claimed by a'),
  );
  expect(await team.run('TaskUpdate 1 --owner b')).toEqual(
    refused(
      'Cannot update task #1',
      'already_claimed: #1 is claimed by a',
      'a leader may use --force; to clear the owner: TaskRelease 1',
    ),
  );
  expect(await team.run('TaskUpdate 1 --owner b --force')).toEqual(ok('Updated task #1: owner\n'));
  expect(await team.run('TaskRelease 1')).toEqual(ok('Released: #1\n'));
});
