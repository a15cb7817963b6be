import { expect, test } from 'vitest';
import { listInContext } from '../../src/guidance/list-in-context.ts';
import { systemPrompt } from '../../src/guidance/system-prompt.ts';
import type { TASK_FIELDS } from '../../src/tasks/task-fields.ts';
import { Team } from './team.ts';

test('the links of a completed task, which no longer matter, are not shown', async () => {
  const team = new Team({ settings: { agent: 'agent-1' } });
  await team.call('TaskCreate', ['[{"subject":"A","blockedBy":["b"]},{"subject":"B","ref":"b"}]']);
  await team.call('TaskUpdate', ['1', '--status', 'completed']);
  const { stdout } = await team.call('TaskList', []);
  expect(stdout).toBe('#1 [completed] A\n#2 [pending] B\n');
});

test('TaskGet says everything, and neither a description nor a comment can look like a field', async () => {
  const team = new Team();
  const task = {
    subject: 'Fix login',
    activeForm: 'Fixing login',
    description: 'It fails.\nOwner: mallory\n\u001b[2Jred',
    owner: 'a',
    priority: 'high',
    check: 'make test',
    metadata: { area: 'auth\u202e' },
  } satisfies Record<keyof typeof TASK_FIELDS | 'owner', unknown>;
  await team.call('TaskCreate', [JSON.stringify(task)]);
  await team.run('TaskCreate --subject Two --blocked-by 1');
  const comment = ['--comment', 'Half\nOwner: eve\u001b[2J', '--agent', 'ann'];
  const { stdout: done } = await team.call('TaskUpdate', ['1', ...comment]);
  expect(done).toBe('Updated task #1: comment\n');
  expect(await team.out('TaskGet 2')).toContain('\nBlocked by: #1 (pending)\nCreated: ');
  const { stdout } = await team.run('TaskGet #1');
  const time = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z';
  expect(stdout.replace(new RegExp(time, 'g'), 'TIME')).toBe(`Task #1: Fix login
Status: pending
Owner: a
Check: make test
Priority: high
Active form: Fixing login
Blocks: #2 (pending)
Metadata: {"area":"auth\\u202e"}
Created: TIME
Updated: TIME
Description:
  It fails.
  Owner: mallory
  ␛[2Jred
Comment by ann, TIME:
  Half
  Owner: eve␛[2J
`);
  const { stdout: json } = await team.run('TaskGet 1 --json');
  expect(JSON.parse(json)).toMatchObject({ ...task, id: 1, status: 'pending', blocks: [2] });
  expect(json).not.toMatch(/[\u001b\u202e]/);
  const { stdout: list } = await team.run('TaskList --json');
  expect(JSON.parse(list)).toMatchObject({
    tasks: [{ id: 1 }, { id: 2, blockedBy: [1] }],
    version: 3,
  });
});

test('a list is exported for other programs, and no text of it is markup', async () => {
  const team = new Team();
  const tasks = [
    { ref: 'x', subject: 'Fix "x"', description: '1. "b"\n==', priority: 'high' },
    { subject: '[x](y) *b* <i>', blockedBy: ['x'], owner: 'bob' },
    { subject: 'c' },
  ];
  await team.call('TaskCreate', [JSON.stringify(tasks)]);
  expect(await team.out('TaskList --format md')).toBe(
    '- [ ] \\#1 Fix "x" (high)\n\n  1\\. "b"\n  \\==\n\n- [ ] \\#2 \\[x\\](y) \\*b\\* \\<i\\> (bob; blocked by \\#1)\n- [ ] \\#3 c\n',
  );
});

test('a model reads the names of agents whole in every sentence, so that it can pass them on', async () => {
  const agent = 'main@3f2c8b10-1111-4222-8333-123456789abc';
  const team = new Team({ settings: { agent: 'bob' } });
  await team.run(`TaskCreate --subject A --owner bob --agent ${agent}`);
  const said = [
    await team.err('TaskList'),
    await team.out(`TaskUpdate 1 --owner ${agent} --force`, `TaskClaim 1 --agent ${agent}`),
    await team.err('TaskClaim 1'),
    await team.err('TaskClaim --next'),
    await team.out('TaskList'),
    await team.out('TaskList --history'),
    await team.out('TaskList --format md'),
    systemPrompt({ commands: [{ name: 'TaskClaim' }], agent }),
    listInContext([{ content: 'a', activeForm: 'A', status: 'pending' }], agent),
  ];
  for (const text of said) expect(text.replaceAll('\\', '')).toContain(agent);
  const endless = 'x'.repeat(5000);
  await team.run('TaskRelease 1', `TaskClaim 1 --agent ${endless}`);
  expect(await team.err('TaskClaim 1')).toMatch(/ x{197}\.\.\.$/m);
});
