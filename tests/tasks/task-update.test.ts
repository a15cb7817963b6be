import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { failed, ok } from '../helpers/replies.ts';
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
  // A completed task cannot be released.
  await team.run('TaskClaim 1 --agent ann', 'TaskUpdate 1 --status completed --agent ann');
  expect(await change('bob', 'false')).toEqual(
    failed(
      'Error: Cannot update task #1\n' +
        '- not_yours: #1 is completed and belongs to ann; its check may be changed by its owner and its creator\n' +
        '- a leader may use --force\n',
    ),
  );
});

test('a refused claim says what would be accepted: --force, TaskRelease for an owner, pending for a completed task', async () => {
  const team = new Team({ settings: { agent: 'lead' } });
  await team.call('TaskCreate', ['--subject', 'A']);
  await team.call('TaskCreate', ['--subject', 'B', '--blocked-by', '1']);
  const lastLine = async (line: string) => (await team.err(line)).trimEnd().split('\n').at(-1);
  expect(await lastLine('TaskUpdate 2 --status in_progress')).toBe('- a leader may use --force');
  await team.run('TaskClaim 1');
  expect(await lastLine('TaskUpdate 1 --owner bob')).toBe(
    '- a leader may use --force; to clear the owner: TaskRelease 1',
  );
  await team.run('TaskUpdate 1 --status completed');
  expect(await lastLine('TaskUpdate 1 --status in_progress')).toBe(
    '- to reopen it: TaskUpdate 1 --status pending',
  );
});

test('a task with a check is completed with its proof, or marked unproven; no input can set a proof', async () => {
  const team = new Team({ settings: { agent: 'ann' } });
  await team.call('TaskCreate', ['{"subject":"A","check":"exit 0"}']);
  await team.call('TaskCreate', ['{"subject":"B","check":"echo too bad; exit 3"}']);
  const prove = (id: number) => team.run(`TaskProve ${id}`);
  expect((await team.run('TaskUpdate 2 --status completed --prove')).exitCode).toBe(2);
  expect((await prove(2)).stderr).toBe(
    'Note: running the check: echo too bad; exit 3\nError: Cannot prove the tasks\n- unproven: #2: echo too bad; exit 3 failed: exit code 3\n  too bad\n',
  );
  expect(await team.err('TaskUpdate 2 --status completed')).toBe(
    'Note: unproven: #2; to run its check (echo too bad; exit 3): TaskProve 2\nNote: ready to claim: #1 A\n',
  );
  expect(await prove(1)).toEqual(
    ok('Updated task #1: status\n', 'Note: running the check: exit 0\n'),
  );
  const { stdout } = await team.run('TaskGet 1');
  expect(stdout).toMatch(/\nCheck: exit 0 \(proven: exit 0 exited with 0, \S+Z, for ann\)\n/);
  expect(await team.out('TaskGet 2')).toContain('\nCheck: echo too bad; exit 3 (unproven)\n');
  for (const name of ['TaskCreate', 'TaskUpdate']) {
    const forged = await team.call(name, ['{"taskId":2,"subject":"A","proof":{"command":"x"}}']);
    expect(forged.stderr).toContain("Unrecognized key 'proof'");
  }
  // A proof belongs to one completion.
  await team.run('TaskUpdate 1 --status pending');
  expect(await team.out('TaskGet 1')).toContain('\nCheck: exit 0\n');
});

test('a task that may not be completed has no check run for it', async () => {
  const file = join(temporaryDirectory(), 'ran');
  let time = 0;
  const now = () => time;
  const team = new Team({ clock: { id: 'c', now, wall: now, seenFor: () => 0 } });
  await team.call('TaskCreate', ['--subject', 'A', '--check', `touch ${file}`]);
  await team.run('TaskClaim 1 --agent ann --lease 1m');
  time += 61_000;
  await team.run('TaskClaim 1 --agent bob');
  expect(await team.err('TaskProve 1 --agent ann')).toContain(
    'Error: Cannot prove the tasks\n- lease_lost: your lease of #1 expired, and bob has it\n',
  );
  expect(existsSync(file)).toBe(false);
  expect((await team.run('TaskProve 1 --agent bob')).exitCode).toBe(0);
  expect(existsSync(file)).toBe(true);
});

test.each(['--status completed', '--owner bob --force', '--check true'])(
  'a task that another agent changes by %s while its check runs is not completed for it',
  async (change) => {
    const [began, go] = ['began', 'go'].map((name) => join(temporaryDirectory(), name));
    const team = new Team({ settings: { agent: 'ann' } });
    const check = `touch ${began}; until [ -e ${go} ]; do sleep 0.01; done`;
    await team.call('TaskCreate', ['--subject', 'A', '--check', check]);
    await team.run('TaskClaim 1');
    const proving = team.err('TaskProve 1');
    await eventually('the check to run', () => existsSync(began as string));
    expect((await team.run(`TaskUpdate 1 --agent user ${change}`)).exitCode).toBe(0);
    writeFileSync(go as string, '');
    expect(await proving).toContain(
      'built_upon: #1 changed while its check ran; to run it again: TaskProve 1\n',
    );
    expect(JSON.parse(await team.out('TaskGet 1 --json'))).not.toHaveProperty('proof');
    // What does not matter to the proof may change.
    const again = team.run('TaskProve 1');
    await team.run('TaskUpdate 1 --comment hm');
    expect((await again).exitCode).toBe(0);
  },
);
