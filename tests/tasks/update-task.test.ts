import { expect, test } from 'vitest';
import type { TaskChanges } from '../../src/tasks/task-fields.ts';
import { updateTask } from '../../src/tasks/update-task.ts';
import { claimed, codes, completed, done, graphOf, LATER, LEADER, task, update } from './tasks.ts';

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

test('only the null of an update takes a key away, not one that the task was created with', () => {
  const graph = graphOf({ subject: 'S', metadata: { reviewer: null, round: 1 } });
  const { graph: after } = done(update(graph, { taskId: 1, metadata: { round: 2 } }));
  expect(task(after, 1)?.metadata).toEqual({ reviewer: null, round: 2 });
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

test('an empty text removes the check, the active form or the description', () => {
  const given = { subject: 'S', description: 'D', activeForm: 'Doing S', check: 'false' };
  const graph = claimed(graphOf(given), 1, 'a');
  const changes = { taskId: 1, description: '', activeForm: '', check: '' };
  expect(codes(update(graph, changes, 'b'))).toBe('already_claimed');
  const { graph: after, changed } = done(update(graph, changes, 'a'));
  expect(changed).toEqual(['description', 'activeForm', 'check']);
  expect(task(after, 1)).toMatchObject({
    description: '',
    activeForm: undefined,
    check: undefined,
  });
  const { task: finished } = done(
    update(graph, { taskId: 1, status: 'completed', check: '' }, 'a', { requireProof: true }),
  );
  expect(finished).toMatchObject({ status: 'completed', check: undefined });
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

test('a task in progress keeps its lease and the session that began it when something else changes', () => {
  const clock = { id: 'c', now: () => 0, wall: () => 0, seenFor: () => 0 };
  const rules = { checkBusy: false, clock, leaseMs: 9000, session: 's' };
  const begun = done(update(graphOf('One'), { taskId: 1, status: 'in_progress' }, 'ann', rules));
  const { lease, begunIn } = begun.task ?? {};
  expect([lease?.ms, begunIn]).toEqual([9000, 's']);
  const after = done(update(begun.graph, { taskId: 1, subject: 'Two' }, 'ann', rules)).task;
  expect([after?.lease, after?.begunIn]).toEqual([lease, 's']);
  const put = done(update(begun.graph, { taskId: 1, status: 'completed' }, 'ann', rules)).task;
  expect([put?.lease, put?.begunIn]).toEqual([undefined, undefined]);
});
