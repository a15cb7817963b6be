import { expect, test } from 'vitest';
import { plainReport } from '../../src/panel/plain-report.ts';
import type { TodoItem } from '../../src/todo/todo-fields.ts';
import { stateOf, todos } from './todos.ts';

const report = (before: TodoItem[], after: TodoItem[]) =>
  plainReport(stateOf(before), stateOf(after));

test('a new list is reported by its active item and its number of tasks', () => {
  expect(report([], todos('> Build', '- Test', '- Ship'))).toBe(
    'Tasks 0/3: in progress: Doing Build; 3 added',
  );
});

test('a step is reported by the completed and the next item', () => {
  expect(report(todos('> Build', '- Test'), todos('x Build', '> Test'))).toBe(
    'Tasks 1/2: in progress: Doing Test; completed: Build',
  );
});

test('a task that is put back, an added one and a dropped one are reported', () => {
  expect(report(todos('> Build', '- Test'), todos('- Build', '- Ship'))).toBe(
    'Tasks 0/2: pending again: Build; 1 removed, 1 added',
  );
});

test('a list that is the same is not worth a line', () => {
  expect(report(todos('> Build'), todos('> Build'))).toBe('');
  expect(report([], [])).toBe('');
});

test('a cleared list is reported once', () => {
  expect(report(todos('> Build'), [])).toBe('Tasks: none');
});

test('a task with an id is the same task under another name', () => {
  const named = (content: string): TodoItem[] => [
    { ...todos(`- ${content}`)[0], id: '1' } as TodoItem,
  ];
  expect(report(named('a'), named('b'))).toBe('');
});

test('a report is one line of safe text', () => {
  expect(report([], todos('x a\nb\x1b[2J'))).toBe('Tasks 1/1: completed: a b␛[2J; 1 added');
});
