import { expect, test } from 'vitest';
import { TASK_STEPS } from '../../src/tasks/stored-tasks.ts';
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
