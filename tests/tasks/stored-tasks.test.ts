import { expect, test } from 'vitest';
import { storedEntryProblem, TASK_STEPS } from '../../src/tasks/stored-tasks.ts';
import { NO_TASKS } from '../../src/tasks/task.ts';
import { claimed, done, graphOf, update } from './tasks.ts';

test('steps make the list that they were made from', () => {
  const before = graphOf('One', { subject: 'Two', blockedBy: [1] }, 'Three');
  const after = done(update(claimed(before, 3, 'a'), { taskId: 2, status: 'deleted' })).graph;
  const step = JSON.parse(JSON.stringify(TASK_STEPS.between(before, after)));
  expect(step.changed.map(({ id }: { id: number }) => id)).toEqual([1, 3]);
  expect(TASK_STEPS.apply(before, [step])).toEqual(after);
  const whole = JSON.parse(JSON.stringify(TASK_STEPS.between(NO_TASKS, before)));
  expect(TASK_STEPS.apply(NO_TASKS, [whole, step])).toEqual(after);
});

test('a stored task may have all that tasks can have, and nothing wrong in it', () => {
  const { changed, ...step } = TASK_STEPS.between(NO_TASKS, graphOf('One'));
  const problem = (more: object) =>
    storedEntryProblem({ isWhole: true, step: { ...step, changed: [{ ...changed[0], ...more }] } });
  const at = '2026-01-31T12:00:00.000Z';
  const whole = {
    owner: 'ann',
    createdBy: 'bob',
    begunIn: 's',
    lostBy: ['cat'],
    isArchived: true,
    comments: [{ by: 'ann', at, text: 'Hi' }],
    proof: { command: 'true', exitCode: 0, at, by: 'ann' },
    lease: { ms: 1000, beat: 1, clock: 'here', tick: 0, wall: 0 },
  };
  expect(problem(whole)).toBeUndefined();
  for (const field of Object.keys(whole)) {
    for (const wrong of [0, false, [{}], {}]) expect(problem({ [field]: wrong })).toContain('task');
  }
});
