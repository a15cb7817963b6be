import { expect, test } from 'vitest';
import { TASK_STEPS } from '../../src/tasks/stored-tasks.ts';
import { NO_TASKS, type Task, type TaskGraph } from '../../src/tasks/task.ts';
import { codes, done, graphOf, task, update } from './tasks.ts';

/** Each `BLOCKER>BLOCKED`; both ends say the same. */
function links(graph: TaskGraph): string {
  const tasks = [...graph.tasks.values()];
  const blocks = tasks.flatMap((one) => one.blocks.map((blocked) => `${one.id}>${blocked}`));
  const blockedBy = tasks.flatMap((one) => one.blockedBy.map((blocker) => `${blocker}>${one.id}`));
  expect(blockedBy.sort()).toEqual(blocks.sort());
  return blocks.join(' ');
}

test('a dependency has two ends, and both change with it', () => {
  let graph = graphOf('One', { subject: 'Two', blockedBy: [1, 1] }, 'Three');
  expect(links(graph)).toBe('1>2');
  graph = done(update(graph, { taskId: 3, addBlocks: [2], addBlockedBy: [1] })).graph;
  expect(links(graph)).toBe('1>2 1>3 3>2');
  graph = done(update(graph, { taskId: 1, removeBlocks: [3] })).graph;
  expect(links(graph)).toBe('1>2 3>2');
  expect(links(done(update(graph, { taskId: 2, status: 'deleted' })).graph)).toBe('');
});

test('a task that would block itself, even through others, is refused with the cycle', () => {
  const graph = graphOf(
    'One',
    { subject: 'Two', blockedBy: [1] },
    { subject: 'Three', blockedBy: [2] },
  );
  expect(codes(update(graph, { taskId: 1, addBlockedBy: [1] }))).toBe('blocks_itself');
  expect(codes(update(graph, { taskId: 1, addBlocks: [1] }))).toBe('blocks_itself');
  expect(update(graph, { taskId: 1, addBlockedBy: [3] })).toEqual({
    refused: [{ code: 'cycle', text: 'these would block each other: #1 → #2 → #3 → #1' }],
  });
  expect(codes(update(graph, { taskId: 1, addBlockedBy: [2] }))).toBe('cycle');
  expect(codes(update(graph, { taskId: 1, addBlocks: [3], addBlockedBy: [9] }))).toBe(
    'task_not_found',
  );
});

test('a long cycle is cut short, and a chain of 10,000 works', () => {
  const one = task(graphOf('S'), 1) as Task;
  const chain = Array.from({ length: 10_000 }, (_, index) => ({
    ...one,
    id: index + 1,
    blocks: index < 9999 ? [index + 2] : [],
    blockedBy: index > 0 ? [index] : [],
  }));
  const graph = TASK_STEPS.apply(NO_TASKS, [{ nextId: 10_001, changed: chain, deleted: [] }]);
  const outcome = update(graph, { taskId: 1, addBlockedBy: [10_000] });
  expect('refused' in outcome && outcome.refused[0]?.text).toBe(
    'these would block each other: #1 → #2 → #3 → #4 → #5 → #6 → #7 → #8 → ... → #1',
  );
});
