import { expect, test } from 'vitest';
import { claimTask, releaseAll, releaseTasks } from '../../src/tasks/claims.ts';
import { TASK_STEPS } from '../../src/tasks/stored-tasks.ts';
import { NO_TASKS, type Task, type TaskGraph } from '../../src/tasks/task.ts';
import { createTasks } from '../../src/tasks/task-create.ts';
import type { TaskChanges } from '../../src/tasks/task-fields.ts';
import { isSameTask } from '../../src/tasks/task-history.ts';
import { updateTask } from '../../src/tasks/update-task.ts';
import { AT, claimed, codes, completed, done, graphOf, LATER, LEADER } from './tasks.ts';

const update = (graph: TaskGraph, changes: TaskChanges, agent?: string, more: object = {}) =>
  updateTask(graph, changes, { agent, checkBusy: false, force: false, ...more }, LATER);
const claim = (graph: TaskGraph, id: number | 'next', agent = 'a', checkBusy = false) =>
  claimTask(graph, id, { agent, checkBusy }, LATER);
const task = (graph: TaskGraph, id: number) => graph.tasks.get(id);

test('ids are never given twice, not even when all tasks are deleted', () => {
  let graph = graphOf('One', 'Two');
  for (const taskId of [1, 2]) graph = done(update(graph, { taskId, status: 'deleted' })).graph;
  expect(graph.tasks.size).toBe(0);
  expect(done(createTasks(graph, [{ subject: 'Three' }], AT)).created[0]?.id).toBe(3);
  // Also after reading the list back from its steps.
  const stored = TASK_STEPS.between(NO_TASKS, graph);
  expect(TASK_STEPS.apply(NO_TASKS, [stored]).nextId).toBe(3);
});

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

test('completing or deleting a task names the tasks it unblocks', () => {
  const graph = graphOf(
    'One',
    'Two',
    { subject: 'Three', blockedBy: [1] },
    { subject: 'Four', blockedBy: [1, 2] },
    { subject: 'Five', blockedBy: [1] },
  );
  const open = completed(graph, 5);
  expect(done(update(open, { taskId: 1, status: 'completed' })).unblocked).toEqual([3]);
  expect(done(update(open, { taskId: 1, status: 'deleted' })).unblocked).toEqual([3]);
  const second = done(update(completed(open, 1), { taskId: 2, status: 'completed' }));
  expect(second.unblocked).toEqual([4]);
  // A task that was completed before unblocks nothing again.
  const again = done(update(second.graph, { taskId: 2, subject: 'New', status: 'completed' }));
  expect([again.changed, again.unblocked]).toEqual([['subject'], []]);
});

test('metadata is merged, and null takes a key away', () => {
  const graph = graphOf({ subject: 'S', metadata: { keep: 1, change: 1, drop: 1 } });
  const changes = {
    taskId: 1,
    metadata: JSON.parse('{"change":2,"drop":null,"__proto__":{"x":1}}'),
  };
  const { graph: after } = done(update(graph, changes));
  expect(JSON.stringify(task(after, 1)?.metadata)).toBe(
    '{"keep":1,"change":2,"__proto__":{"x":1}}',
  );
});

test('fields that are not given stay, and an empty change is not a change', () => {
  const graph = graphOf({ subject: 'S', description: 'D', metadata: { k: [1] } });
  const outcome = done(update(graph, { taskId: 1, subject: 'S', metadata: { k: [1] } }));
  expect(outcome.graph).toBe(graph);
  expect(outcome.changed).toEqual([]);
  const { graph: after, changed } = done(update(graph, { taskId: 1, description: '' }));
  expect(changed).toEqual(['description']);
  expect(task(after, 1)).toEqual({ ...task(graph, 1), description: '', updatedAt: LATER });
});

test('every reason against a claim', () => {
  const graph = claimed(graphOf('One', { subject: 'Two', blockedBy: [1] }, 'Three'), 1, 'a');
  expect(codes(claim(graph, 9))).toBe('task_not_found');
  expect(claim(graph, 1, 'b')).toEqual({
    refused: [{ code: 'already_claimed', text: '#1 is claimed by a' }],
  });
  expect(codes(claim(completed(graph, 1), 1))).toBe('already_resolved');
  expect(claim(graph, 2)).toEqual({ refused: [{ code: 'blocked', text: '#2 is blocked by #1' }] });
  expect(claim(graph, 3, 'a', true)).toEqual({
    refused: [{ code: 'agent_busy', text: 'a is working on #1' }],
  });
  expect(codes(claim(graph, 2, 'a', true))).toBe('blocked, agent_busy');
  expect(codes(claim(graph, 1, 'a', true))).toBe('none');
  expect(codes(claim(graph, 3, 'a'))).toBe('none');
  expect(codes(claim(claimed(graph, 3, 'b'), 'next'))).toBe('nothing_ready');
  expect(codes(claim(NO_TASKS, 'next'))).toBe('nothing_ready');
  const held = claim(claimed(claimed(graph, 1, 'a'), 3, 'b'), 'next', 'c');
  expect(held).toMatchObject({
    refused: [
      {
        text: expect.stringMatching(
          /unowned; held: #1 by a since \S+, #3 by b since \S+\. If its owner has gone: TaskRelease 1$/,
        ),
      },
    ],
  });
});

test('an update that begins a task, or gives it away, obeys the rules of a claim', () => {
  const graph = claimed(graphOf('One', { subject: 'Two', blockedBy: [1] }, 'Three'), 1, 'a');
  const begin = (taskId: number, agent?: string, more = {}) =>
    update(graph, { taskId, status: 'in_progress' }, agent, more);
  expect(codes(begin(1, 'b'))).toBe('already_claimed');
  expect(codes(begin(2, 'b'))).toBe('blocked');
  expect(codes(begin(3, 'a', { checkBusy: true }))).toBe('agent_busy');
  expect(codes(begin(3))).toBe('no_agent');
  expect(done(begin(1)).changed).toEqual([]);
  expect(done(begin(3, 'b')).task).toMatchObject({ owner: 'b', status: 'in_progress' });
  expect(codes(update(completed(graph, 1), { taskId: 1, status: 'in_progress' }, 'a'))).toBe(
    'already_resolved',
  );
  expect(codes(update(graph, { taskId: 1, owner: 'b' }, 'a'))).toBe('already_claimed');
  expect(codes(update(graph, { taskId: 2, owner: 'b' }))).toBe('blocked');
  expect(done(update(graph, { taskId: 3, owner: 'b' })).task).toMatchObject({
    owner: 'b',
    status: 'pending',
  });
  // Blockers added by the same update count.
  const blocking = { taskId: 3, status: 'in_progress' as const, addBlockedBy: [1] };
  expect(codes(update(graph, blocking, 'b'))).toBe('blocked');
});

test('with --force a leader takes claimed, blocked and completed tasks', () => {
  const graph = claimed(graphOf('One', { subject: 'Two', blockedBy: [1] }), 1, 'a');
  const force = (changes: TaskChanges) => done(updateTask(graph, changes, LEADER, LATER)).task;
  expect(force({ taskId: 1, owner: 'b' })).toMatchObject({ owner: 'b', status: 'in_progress' });
  expect(force({ taskId: 2, status: 'in_progress', owner: 'b' })?.owner).toBe('b');
  expect(codes(updateTask(graph, { taskId: 9 }, LEADER, LATER))).toBe('task_not_found');
  const nameless = { ...LEADER, agent: undefined };
  expect(codes(updateTask(graph, { taskId: 2, status: 'in_progress' }, nameless, LATER))).toBe(
    'no_agent',
  );
});

test('released tasks are pending and unowned, all or none', () => {
  const begun = claimed(completed(graphOf('One', 'Two', 'Three', 'Four'), 1), 2, 'a');
  const graph = claimed(begun, 3, 'b');
  const { graph: after, released } = done(releaseTasks(graph, [4, 3, 2, 2], undefined, LATER));
  expect(released.map(({ id }) => id)).toEqual([2, 3]);
  const [, ...others] = [...after.tasks.values()].map(({ status, owner }) => `${status} ${owner}`);
  expect(new Set(others)).toEqual(new Set(['pending undefined']));
  expect(codes(releaseTasks(graph, [1, 2, 9], undefined, LATER))).toBe(
    'already_resolved, task_not_found',
  );
  expect(codes(releaseTasks(graph, [2, 3], 'a', LATER))).toBe('already_claimed');
  const gone = releaseAll(graph, 'b', LATER);
  expect(gone.released.map(({ id }) => id)).toEqual([3]);
  expect(releaseAll(graph, 'nobody', LATER).graph).toBe(graph);
});

test('a list is not changed by a change to it', () => {
  const graph = graphOf('One', { subject: 'Two', blockedBy: [1] });
  const before = JSON.stringify([...graph.tasks]);
  claimed(graph, 1, 'a');
  done(update(graph, { taskId: 1, status: 'deleted' }));
  expect(JSON.stringify([...graph.tasks])).toBe(before);
  expect(Object.isFrozen(task(graph, 1)?.blocks)).toBe(true);
});

test('steps make the list that they were made from', () => {
  const before = graphOf('One', { subject: 'Two', blockedBy: [1] }, 'Three');
  const after = done(update(claimed(before, 3, 'a'), { taskId: 2, status: 'deleted' })).graph;
  const step = JSON.parse(JSON.stringify(TASK_STEPS.between(before, after)));
  expect(step.changed.map(({ id }: { id: number }) => id)).toEqual([1, 3]);
  expect(TASK_STEPS.apply(before, [step])).toEqual(after);
  const whole = JSON.parse(JSON.stringify(TASK_STEPS.between(NO_TASKS, before)));
  expect(TASK_STEPS.apply(NO_TASKS, [whole, step])).toEqual(after);
});

test('a task as it was computed is the task as it was read, which has no fields that are undefined', () => {
  const read = task(graphOf('One'), 1) as Task;
  expect(isSameTask({ ...read, owner: undefined, check: undefined }, read)).toBe(true);
  expect(isSameTask({ ...read, owner: 'ann' }, read)).toBe(false);
});
