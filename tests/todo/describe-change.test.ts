import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeChange } from '../../src/todo/list-text.ts';
import type { TodoItem, TodoStatus } from '../../src/todo/todo-fields.ts';
import { todoList } from './arbitraries.ts';

const item = (content: string, status: TodoStatus = 'pending', id?: string): TodoItem => ({
  content,
  activeForm: `${content}ing`,
  status,
  ...(id !== undefined && { id }),
});

test.each([
  [[], [], 'nothing changed'],
  [[item('a')], [], 'cleared'],
  [[], [item('a'), item('b')], '2 added'],
  [[item('a'), item('b')], [item('a')], '1 removed'],
  [[item('a')], [item('a')], 'nothing changed'],
  [[item('a'), item('b')], [item('b'), item('a')], 'order changed'],
  [[item('a')], [item('a', 'in_progress')], 'began "a"'],
  [[item('a', 'in_progress')], [item('a', 'completed')], 'completed "a"'],
  [[item('a', 'completed')], [item('a')], 'put back "a"'],
  [
    [item('a'), item('b')],
    [item('a', 'completed'), item('b', 'completed')],
    'completed "a" and 1 more',
  ],
  [[], [item('a', 'in_progress'), item('b')], 'began "a"; 2 added'],
  [[item('old', 'pending', '1')], [item('new', 'completed', '1')], 'completed "new"'],
  [[item('old', 'pending', '1')], [item('new', 'pending', '1')], 'details changed'],
  // Models renumber their items when they remove one.
  [
    [item('a', 'completed', '1'), item('b', 'in_progress', '2'), item('c', 'pending', '3')],
    [item('b', 'in_progress', '1'), item('c', 'pending', '2')],
    '1 removed',
  ],
  [
    [item('a', 'in_progress'), item('b')],
    [item('a', 'completed'), item('b', 'in_progress'), item('c')],
    'completed "a"; began "b"; 1 added',
  ],
  [[item('a', 'completed')], [], 'finished 1 item'],
  [[item('a', 'completed'), item('b', 'completed')], [], 'finished 2 items'],
  [[item('a', 'completed'), item('b')], [], 'cleared'],
  // Another item in its place is another item, whatever its status.
  [
    [item('a', 'in_progress'), item('c')],
    [item('b', 'in_progress'), item('c')],
    'began "b"; dropped "a"; 1 removed, 1 added',
  ],
  [
    [item('a', 'in_progress')],
    [item('b', 'completed')],
    'completed "b"; dropped "a"; 1 removed, 1 added',
  ],
  [[item('a', 'in_progress')], [item('b')], 'dropped "a"; 1 removed, 1 added'],
])('%j, then %j: %s', (before, after, change) => {
  expect(describeChange(before, after)).toBe(change);
});

test('for any lists, it is one short line of plain text', () => {
  fc.assert(
    fc.property(todoList(), todoList(), (before, after) => {
      const change = describeChange(before, after);
      expect(change).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u);
      expect([...change].length).toBeLessThan(250);
    }),
  );
});
