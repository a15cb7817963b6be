import { expect, test } from 'vitest';
import { claimed, done, graphOf, task, update } from './tasks.ts';

test('a list is not changed by a change to it', () => {
  const graph = graphOf('One', { subject: 'Two', blockedBy: [1] });
  const before = JSON.stringify([...graph.tasks]);
  claimed(graph, 1, 'a');
  done(update(graph, { taskId: 1, status: 'deleted' }));
  expect(JSON.stringify([...graph.tasks])).toBe(before);
  expect(Object.isFrozen(task(graph, 1)?.blocks)).toBe(true);
});
