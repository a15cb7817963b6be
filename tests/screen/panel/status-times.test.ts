import { expect, test } from 'vitest';
import { MemoryPlace } from '../../../src/lists/place.ts';
import { statusTimes, teamRows } from '../../../src/screen/panel/status-times.ts';
import type { TodoItem } from '../../../src/todo/todo-fields.ts';
import { TodoStore } from '../../../src/todo/todo-store.ts';
import { AT, claimed, done, graphOf, update } from '../../tasks/tasks.ts';
import { todos, todosIn } from './todos.ts';

/** The versions of a list that changes each second from 1 s on. */
function written(...lists: string[]): TodoStore {
  let seconds = 0;
  const place = new MemoryPlace<TodoItem[]>({ history: 5 });
  const store = new TodoStore(() => new Date(seconds * 1000), place);
  for (const list of lists) {
    seconds += 1;
    store.update(todosIn(list));
  }
  return store;
}

function times(store: TodoStore): string[] {
  const { of } = statusTimes(store.history());
  return store.get().items.map((item) => {
    const { since = 0, isLonger } = of.get(item) ?? {};
    return `${item.content} ${since / 1000}${isLonger ? ' or before' : ''}`;
  });
}

test.each([
  [['> a | - b', 'x a | > b', 'x a | > b | - c'], 'a 2, b 2, c 3'],
  // Put back and begun again, by an undo or not: the pause does not count.
  [['> a', '- a', '> a'], 'a 2'],
  // The undo of an undo: b in progress from 1 to 3, and again since 4.
  [['x a | > b', 'x a | > b | - c', '> a | - b', 'x a | > b | - c'], 'a 4, b 2, c 2'],
  // Another takes the place of the one in progress.
  [['- a', '> a', '> b | - c'], 'b 3, c 3'],
  // Another text for the one in progress is a renaming.
  [['> a | - b', '> A better a | - b'], 'A better a 1, b 1'],
  [['> Fix it', '> Fix that'], 'Fix that 1'],
  [['> Fix it', '> Write docs'], 'Write docs 2'],
  [['> a | - b', 'x a | > c'], 'a 2, c 2'],
  [['> a | - b', 'x a | > b', '> a | - b'], 'a 2, b 3'],
  [['> a | - b', '- a | > b', '> a | - b'], 'a 2, b 3'],
  // Dropped items that are back as they were, by an undo or not, keep their times.
  [['> a', '', '> a'], 'a 1'],
  [['> a | - b', 'x c', '> a | - b'], 'a 1, b 1'],
  [['> a | - b', '> a', 'x a | - b'], 'a 3, b 1'],
  [['> a | - b', '> a', 'x a | > b'], 'a 3, b 3'],
  // The stored versions do not reach back.
  [['> a', '> a', '> a', '> a | - b', '> a | > b', '> a | x b'], 'a 2 or before, b 6'],
])('each item of %j has its status since the version that gave it', (versions, since) => {
  expect(times(written(...versions)).join(', ')).toBe(since);
});

test.each([
  [
    ['> a', '> a', '> a', '> a | - b', 'x a | - b', 'x a | > b'],
    [undefined, undefined],
  ],
  [
    ['> a | - b', 'x a | > b', 'x a | x b'],
    [1000, 1000],
  ],
  [['> a', '- a', 'x a'], [1000]],
  [['> a', '- a', '> a', 'x a'], [2000]],
])('after %j completed items have taken %j, without their pauses', (versions, took) => {
  const store = written(...versions);
  const { of } = statusTimes(store.history());
  expect(store.get().items.map((item) => of.get(item)?.took)).toEqual(took);
});

test('items that are renumbered when one is removed keep their times', () => {
  const numbered = (...lines: string[]) =>
    todos(...lines).map((item, at) => ({ ...item, id: String(at + 1) }));
  let seconds = 1;
  const store = new TodoStore(() => new Date(1000 * seconds));
  store.update(numbered('x a', '> b', '- c'));
  seconds = 2;
  store.update(numbered('> b', '- c'));
  expect(times(store)).toEqual(['b 1', 'c 1']);
});

test('a list that was never written has no times', () => {
  expect(statusTimes([]).of.size).toBe(0);
});

test('of a list that was looked at before, only the versions since are looked at', () => {
  const place = new MemoryPlace<TodoItem[]>({ history: 1000 });
  let seconds = 0;
  const store = new TodoStore(() => new Date(1000 * ++seconds), place);
  const versions = [];
  let read = 0;
  for (let round = 1; round <= 100; round++) {
    store.update(todos('x long done', round % 7 === 0 ? '> step' : '- step', `> round ${round}`));
    const version = store.get();
    const { items } = version;
    versions.unshift({
      ...version,
      get items() {
        read++;
        return items;
      },
    });
    // Several versions between two calls.
    if (round % 3 !== 0) continue;
    read = 0;
    const times = statusTimes(versions);
    expect(read).toBeLessThanOrEqual(10);
    expect(times).toEqual(statusTimes(store.history()));
  }
});

test('an undo across plans goes back to the beginning of the plan, and a plan with new items begins', () => {
  const begun = (...lists: string[]) => statusTimes(written(...lists).history()).begun;
  expect(begun('> a | - b', '> c', 'x c')).toBe(2000);
  expect(begun('> a | - b', '> c', 'x c', '> a | - b')).toBe(1000);
  expect(begun('> a | - b', '> c', '> a | - b', '> c')).toBe(2000);
  expect(begun('x a', '> c', '> a | - b')).toBe(3000);
});

test('a task that changes in another way keeps the time of its status', () => {
  const begun = claimed(graphOf('A'), 1, 'ann');
  const renamed = done(update(begun, { taskId: 1, subject: 'B' }, 'ann')).graph;
  const at = new Date('2026-02-01');
  const versions = [renamed, begun].map((graph, index) => ({ version: 2 - index, graph, at }));
  expect(teamRows(versions)).toMatchObject([{ since: Date.parse(AT) }]);
});
