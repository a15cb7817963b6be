import { expect, test } from 'vitest';
import { ok } from '../helpers/replies.ts';
import { refused, Team } from './team.ts';

test('the words of every command', async () => {
  const team = new Team({ settings: { agent: 'agent-1' } });
  const two = '[{"subject":"Write docs","blockedBy":[1]},{"subject":"Ship","blockedBy":["#1"]}]';
  for (const [words, stdout, stderr = ''] of [
    ['TaskCreate|--subject|Fix login', 'Task #1 created: Fix login\n'],
    [`TaskCreate|${two}`, 'Task #2 created: Write docs\nTask #3 created: Ship\n'],
    ['TaskUpdate|3|--add-blocked-by|2', 'Updated task #3: blockedBy\n'],
    ['TaskClaim|--next', 'Task #1 claimed by agent-1: Fix login\n'],
    ['TaskClaim|1', 'Task #1 claimed by agent-1: Fix login\n', 'Note: #1 is already yours\n'],
    [
      'TaskList',
      '#1 [in_progress] Fix login (agent-1)\n#2 [pending] Write docs [blocked by #1]\n#3 [pending] Ship [blocked by #1, #2]\n',
    ],
    [
      'TaskUpdate|1|--status|completed|--owner|agent-1',
      'Updated task #1: status\nUnblocked: #2\n',
      'Note: ready to claim: #2 Write docs\n',
    ],
    ['TaskList|--ready', '#2 [pending] Write docs\n'],
    ['TaskList|--status|completed|--owner|agent-1', '#1 [completed] Fix login (agent-1)\n'],
    ['TaskList|--owner|nobody', 'No tasks.\n'],
    ['TaskUpdate|2|--status|in_progress', 'Updated task #2: status, owner\n'],
    ['TaskUpdate|2|--status|in_progress', 'Updated task #2: nothing to change\n'],
    ['TaskRelease|--agent|agent-1', 'Released: #2\n'],
    ['TaskUpdate|2|--status|deleted', 'Updated task #2: deleted\nUnblocked: #3\n'],
  ] as [string, string, string?][]) {
    const [name = '', ...argv] = words.split('|');
    expect(await team.call(name, argv), words).toEqual(ok(stdout, stderr));
  }
  expect(await team.run('TaskGet 2')).toEqual(
    refused('Cannot show task #2', 'task_not_found: there is no task #2'),
  );
});

test('the usage of every command is one line of at most 80 columns', async () => {
  for (const handler of new Team().handlers.values()) {
    const { stdout } = await handler.execute({ argv: ['-h'], stdin: async () => '' });
    expect(stdout).toMatch(/^Usage: .{1,73}\n/);
  }
});

test.each([
  ['TaskUpdate 1 --status in_progress', 'Note: repeat --list other --agent bob in these calls\n'],
  // To which an agent's name is the owner's.
  ['TaskUpdate 2 --status in_progress', 'Note: repeat --list other in these calls\n'],
  ['TaskUpdate 9 --status in_progress', ''],
])(
  'advice after %s says which options its calls need: those of the caller and its list',
  async (line, note) => {
    const team = new Team();
    await team.run('TaskCreate --list other --subject A');
    await team.run('TaskUpdate 1 --list other --status completed');
    await team.run('TaskCreate --list other --subject B --owner ann');
    const stderr = await team.err(`${line} --list other --agent bob`);
    expect(/Note: .*\n/.exec(stderr)?.[0] ?? '').toBe(note);
  },
);

test('invalid settings are reported on stderr', async () => {
  const team = new Team({ warnings: ['Warning: no'], settings: { maxContentLength: 3 } });
  expect(await team.run('TaskList')).toEqual(ok('No tasks.\n', 'Warning: no\n'));
  expect(await team.err('TaskCreate --subject long')).toContain('at most 3 characters');
});
