import { expect, test } from 'vitest';
import { TASK_STEPS } from '../../src/tasks/stored-tasks.ts';
import { NO_TASKS } from '../../src/tasks/task.ts';
import { createTasks } from '../../src/tasks/task-create.ts';
import { ok } from '../helpers/replies.ts';
import { AT, done, graphOf, update } from './tasks.ts';
import { invalid, refused, Team } from './team.ts';

test('ids are never given twice, not even when all tasks are deleted', () => {
  let graph = graphOf('One', 'Two');
  for (const taskId of [1, 2]) graph = done(update(graph, { taskId, status: 'deleted' })).graph;
  expect(graph.tasks.size).toBe(0);
  expect(done(createTasks(graph, [{ subject: 'Three' }], AT)).created[0]?.id).toBe(3);
  // Also after reading the list back from its steps.
  const stored = TASK_STEPS.between(NO_TASKS, graph);
  expect(TASK_STEPS.apply(NO_TASKS, [stored]).nextId).toBe(3);
});

test('the tasks of one call refer to each other by refs, in any order', async () => {
  const team = new Team();
  await team.run('TaskCreate --subject Old');
  const batch = [
    { subject: 'Ship', blockedBy: ['docs', 'fix', 1] },
    { subject: 'Fix', ref: 'fix' },
    { subject: 'Docs', ref: 'docs', blockedBy: ['fix'] },
  ];
  expect(await team.call('TaskCreate', [JSON.stringify(batch)])).toEqual(
    ok('Task #2 created: Ship\nTask #3 created: Fix\nTask #4 created: Docs\n'),
  );
  expect(JSON.parse(await team.out('TaskList --json')).tasks).toMatchObject([
    { blocks: [2], blockedBy: [] },
    { blocks: [], blockedBy: [1, 4, 3] },
    { blocks: [2, 4], blockedBy: [] },
    { blocks: [2], blockedBy: [3] },
  ]);
  expect(await team.out('TaskGet 3 --json')).not.toContain('"ref"');
});

test('refs that lead nowhere, in a circle or to two tasks: nothing is created', async () => {
  const team = new Team();
  const create = (...tasks: object[]) => team.call('TaskCreate', [JSON.stringify(tasks)]);
  expect(await create({ subject: 'A', ref: 'a' }, { subject: 'B', blockedBy: ['b'] })).toEqual(
    invalid(
      `[1].blockedBy[0]: Expected a task id such as 3, received 'b', or the "ref" of a task in this call`,
    ),
  );
  expect(await create({ subject: 'A', ref: 'a' }, { subject: 'B', ref: 'a' })).toEqual(
    invalid('[0..1].ref: Must be unique, is used by [0] and [1]'),
  );
  expect(await create({ subject: 'A', ref: '#1' })).toEqual(
    invalid("[0].ref: Cannot look like a task id, received '#1'"),
  );
  expect(
    await create(
      { subject: 'A', ref: 'a' },
      { subject: 'B', ref: 'b', blockedBy: ['a', 'c'] },
      { subject: 'C', ref: 'c', blockedBy: ['a', 'b'] },
    ),
  ).toEqual(
    refused('Cannot create the task', "cycle: these would block each other: 'b' → 'c' → 'b'"),
  );
  expect(await create({ subject: 'A', ref: 'a', blockedBy: ['a'] })).toEqual(
    refused('Cannot create the task', "blocks_itself: 'a' cannot block itself"),
  );
  expect(await create({ subject: 'A' }, { subject: 'B', blockedBy: [1] })).toEqual(
    refused(
      'Cannot create the task',
      'task_not_found: there is no task #1 ([1].blockedBy)',
      'to wait for a task of this call, give it a ref: [{"subject":"A","ref":"a"},{"subject":"B","blockedBy":["a"]}]',
    ),
  );
  expect(await team.run('TaskList')).toEqual(ok('No tasks.\n'));
});
