import { expect, test } from 'vitest';
import { limitAnew } from '../../src/base/command/time-limit.ts';
import { TaskStore, taskPlace } from '../../src/tasks/task-store.ts';
import { TodoList } from '../../src/todo/todo-store.ts';
import {
  AS_ANN,
  etcdThatSays,
  http,
  listsAt,
  NOON,
  NOTHING,
  portThat,
  problemOf,
} from './false-server.ts';

test('a server that answers at once and never commits is asked no longer than the time limit, by a command and by a host', async () => {
  const url = await etcdThatSays(http(NOTHING));
  const start = performance.now();
  const refused =
    /: the time limit of this command is used up; TODO_STATE_TIMEOUT sets it(; nothing was changed)?$/;
  const changes = [
    new TodoList(() => NOON, listsAt(url, 1000).place('todos/s/a', AS_ANN)).update([]),
    new TaskStore(taskPlace(listsAt(url, 1000), 'tasks/a')).change((graph) => ({
      graph: { ...graph, nextId: 2 },
    })),
    limitAnew(1000, () =>
      new TodoList(() => NOON, listsAt(url).place('todos/s/a', AS_ANN)).update([]),
    ),
  ];
  expect(await Promise.all(changes.map(problemOf))).toEqual(
    Array(3).fill(expect.stringMatching(refused)),
  );
  // Each of a thousand tries would wait as long.
  expect(performance.now() - start).toBeLessThan(20_000);
});

test.each(['etcd://', 'postgres://ann@'])('a check of a silent %s is a read', async (scheme) => {
  const port = await portThat(() => () => undefined);
  const storage = listsAt(`${scheme}127.0.0.1:${port}/x`, 500);
  expect(await problemOf(storage.probeWriting('tasks/a'))).toMatch(/^cannot read from .*in time$/);
});
