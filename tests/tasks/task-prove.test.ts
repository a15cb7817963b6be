import { expect, test } from 'vitest';
import { ok } from '../helpers/replies.ts';
import { Team } from './team.ts';

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
