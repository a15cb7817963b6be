import { expect, test } from 'vitest';
import { isSameTask } from '../../src/tasks/task-history.ts';
import { graphOf } from './tasks.ts';

test('a task as it was computed is the task as it was read, which has no fields that are undefined', () => {
  const task = graphOf('Test it').tasks.get(1);
  if (task === undefined) throw new Error('the graph has its task');
  expect(isSameTask({ ...task, owner: undefined, check: undefined }, task)).toBe(true);
  expect(isSameTask({ ...task, owner: 'ann' }, task)).toBe(false);
});
