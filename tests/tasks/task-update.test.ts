import { expect, test } from 'vitest';
import { failed } from '../helpers/replies.ts';
import { Team } from './team.ts';

test('the check of a task that another has is changed by its owner, its creator, a person, or with --force', async () => {
  const team = new Team({ settings: { agent: 'lead' } });
  await team.run('TaskCreate --subject A --check exact', 'TaskClaim 1 --agent ann');
  const change = (agent: string, check: string, ...more: string[]) =>
    team.call('TaskUpdate', ['1', '--check', check, '--agent', agent, ...more]);
  const refusal = failed(
    'Error: Cannot update task #1\n' +
      '- already_claimed: #1 is claimed by ann; its check may be changed by its owner and its creator\n' +
      '- a leader may use --force; to clear the owner: TaskRelease 1\n',
  );
  expect(await change('bob', 'true')).toEqual(refusal);
  const proving = await change('bob', 'true', '--status', 'completed');
  expect(proving.stderr).toContain('already_claimed');
  expect((await change('bob', 'exact')).stdout).toBe('Updated task #1: nothing to change\n');
  const changers = [['ann'], ['lead'], ['user'], ['bob', '--force']] as const;
  for (const [agent, ...more] of changers) {
    expect((await change(agent, `of ${agent}`, ...more)).stdout).toBe('Updated task #1: check\n');
  }
  // Only the agent that changed it may undo that.
  expect(await team.err('TaskUndo --agent eve')).toContain('already_claimed: #1 is claimed');
  expect(await team.out('TaskUndo --agent bob')).toBe('Undone: changed check of #1 A\n');
  expect((await team.out('TaskInbox --agent ann')).replace(/^\S+ +/gm, '')).toBe(
    ['lead', 'user', 'bob', 'bob'].map((by) => `#1 "A": yours: check changed by ${by}\n`).join(''),
  );
  await team.run('TaskRelease 1');
  expect((await change('bob', 'true')).exitCode).toBe(0);
});
