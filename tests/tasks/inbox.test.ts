import { expect, test } from 'vitest';
import { takeNotices } from '../../src/tasks/inbox.ts';
import { Team } from './team.ts';

/** The notes of an agent's next command. */
async function heard(team: Team, agent: string): Promise<string> {
  return await team.err(`TaskList --status completed --agent ${agent}`);
}

test('each agent gets each of its notices once', async () => {
  const team = new Team();
  await team.run('TaskCreate --subject A --agent lead', 'TaskCreate --subject B --agent lead');
  await team.run('TaskUpdate 1 --owner bob --agent lead');
  expect(await heard(team, 'bob')).toBe('Note: #1 "A": assigned to you by lead\n');
  expect(await heard(team, 'bob')).toBe('');
  await team.run('TaskClaim 1 --agent bob', 'TaskUpdate 1 --status completed --agent bob');
  expect(await heard(team, 'lead')).toBe(
    'Note: #1 "A": claimed by bob\nNote: #1 "A": completed by bob\n',
  );
  await team.run('TaskUpdate 1 --status pending --agent ann');
  expect(await heard(team, 'bob')).toBe('Note: #1 "A": yours: reopened by ann\n');
  await team.run('TaskUpdate 1 --add-blocked-by 2 --agent lead', 'TaskClaim 2 --agent ann');
  await team.run('TaskUpdate 2 --status completed --agent ann');
  expect(await heard(team, 'bob')).toBe('Note: #1 "A": yours: unblocked by ann\n');
  await team.run('TaskUpdate 1 --owner ann --force --agent lead');
  expect(await heard(team, 'bob')).toBe('Note: #1 "A": given to another agent by lead\n');
  expect(await heard(team, 'ann')).toBe('Note: #1 "A": assigned to you by lead\n');
  await team.run('TaskUpdate 1 --status deleted --agent lead');
  expect(await heard(team, 'ann')).toBe('Note: #1 "A": deleted by lead\n');
  await team.run('TaskCreate --subject C --agent lead', 'TaskClaim 3 --agent bob');
  await heard(team, 'lead');
  await team.run('TaskRelease 3');
  expect(await heard(team, 'lead')).toBe('Note: #3 "C": released by main\n');
});

test.each([
  ['is deleted', 'TaskUpdate 1 --status deleted'],
  ['is no longer waited for', 'TaskUpdate 2 --remove-blocked-by 1'],
  ['is no longer in its way', 'TaskUpdate 1 --remove-blocks 2'],
])('the owner of a task is told that its last blocker %s', async (_how, change) => {
  const team = new Team();
  await team.run('TaskCreate --subject A', 'TaskCreate --subject C', 'TaskClaim 2 --agent lead');
  await team.run('TaskCreate --subject B --owner bob --blocked-by 1 --blocked-by 2');
  await heard(team, 'bob');
  const blocker = (line: string) => line.replace(/\b2\b/, '3');
  await team.run(`${blocker(change)} --agent lead`);
  expect(await heard(team, 'bob')).toBe('');
  await team.run('TaskUpdate 2 --status completed --agent lead');
  expect(await heard(team, 'bob')).toBe('Note: #3 "B": yours: unblocked by lead\n');
  await team.run('TaskUpdate 3 --add-blocked-by 2 --agent lead');
  expect(await heard(team, 'bob')).toBe('');
});

test('the reply names a task in progress that is unlinked from its blocker, and its owner is told', async () => {
  const team = new Team();
  await team.run('TaskCreate --subject A --agent lead', 'TaskCreate --subject B --agent lead');
  await team.run('TaskClaim 2 --agent bob', 'TaskUpdate 2 --add-blocked-by 1 --agent lead');
  const { stdout } = await team.run('TaskUpdate 2 --remove-blocked-by 1 --agent lead');
  expect(stdout).toBe('Updated task #2: blockedBy\nUnblocked: #2\n');
  expect(await heard(team, 'bob')).toBe('Note: #2 "B": yours: unblocked by lead\n');
});

test('the owner of a task is told once that another commented on it, and not of what a later undo brings back', async () => {
  const team = new Team();
  await team.run('TaskCreate --subject A --owner bob --agent lead');
  await heard(team, 'bob');
  await team.run('TaskUpdate 1 --comment Why? --agent ann');
  expect(await heard(team, 'bob')).toBe('Note: #1 "A": yours: commented by ann\n');
  expect(await team.err('TaskUpdate 1 --comment So --agent bob')).toBe('');
  await team.run('TaskUpdate 1 --priority high --agent ann', 'TaskUndo --agent ann');
  expect(await heard(team, 'bob')).toBe('');
  await team.run('TaskUpdate 1 --comment Ok --status completed --agent ann');
  expect(await heard(team, 'bob')).toBe('Note: #1 "A": completed by ann\n');
});

test.each(['TaskUndo', 'TaskUpdate 1 --status pending'])(
  'an agent at work is told that another put its task back, by %s',
  async (line) => {
    const team = new Team();
    await team.run('TaskCreate --subject A --owner bob --agent lead');
    await team.run('TaskUpdate 1 --status in_progress --agent bob', `${line} --agent ann`);
    expect(await heard(team, 'bob')).toBe('Note: #1 "A": yours: put back by ann\n');
  },
);

test('at most five notices per command; TaskInbox prints and marks the rest', async () => {
  const team = new Team();
  for (const name of 'ABCDEFGH') {
    await team.run(`TaskCreate --subject ${name} --owner bob --agent lead`);
  }
  const lines = (await heard(team, 'bob')).trim().split('\n');
  expect(lines.slice(5)).toEqual([
    'Note: and 3 more: TaskInbox',
    'Note: repeat --agent bob in these calls',
  ]);
  expect(await team.out('TaskInbox --agent bob')).toMatch(
    /^\S+Z {2}#6 "F": assigned to you by lead\n\S+Z {2}#7 "G": .*\n\S+Z {2}#8 "H": .*\n$/,
  );
  expect(await team.out('TaskInbox --agent bob')).toBe('Nothing new.\n');
  // With TODO_GUIDANCE=off all wait for TaskInbox.
  const quiet = new Team({ settings: { guidance: 'off' } });
  await quiet.run('TaskCreate --subject A --owner bob --agent lead');
  expect(await heard(quiet, 'bob')).toBe('');
  expect(await quiet.out('TaskInbox --agent bob --json')).toMatch(
    /^\{"notices":\[\{"kind":"assigned","taskId":1,"subject":"A","by":"lead","at":"\S+"\}\]\}\n$/,
  );
});

test('to take no notice changes nothing', () => {
  const notice = { kind: 'assigned', taskId: 1, subject: 'A', by: 'lead', at: '' } as const;
  const graph = { nextId: 2, tasks: new Map(), inboxes: new Map([['bob', [notice]]]) };
  expect(takeNotices(graph, 'bob', 0)).toEqual({ graph, taken: [], left: 1 });
  expect(takeNotices(graph, 'bob', 0).graph).toBe(graph);
  expect(takeNotices(graph, 'ann', 5).graph).toBe(graph);
});

test('an agent that has taken all its notices leaves nothing behind', () => {
  const notice = { kind: 'assigned', taskId: 1, subject: 'A', by: 'lead', at: '' } as const;
  const graph = { nextId: 2, tasks: new Map(), inboxes: new Map([['bob', [notice]]]) };
  expect(takeNotices(graph, 'bob', 1).graph.inboxes).toEqual(new Map());
});
