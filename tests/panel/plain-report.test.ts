import { expect, test } from 'vitest';
import { plainReport } from '../../src/panel/plain-report.ts';
import type { TodoItem } from '../../src/todo/todo-fields.ts';
import { stateOf, todos } from './todos.ts';

const NAMED = (content: string) => todos(`- ${content}`).map((item) => ({ ...item, id: '1' }));

test.each<[string, TodoItem[], TodoItem[], string]>([
  [
    'a new list by its active item and its number of tasks',
    [],
    todos('> Build', '- Test', '- Ship'),
    'Tasks 0/3: in progress: Doing Build; 3 added',
  ],
  [
    'a step by the completed and the next item',
    todos('> Build', '- Test'),
    todos('x Build', '> Test'),
    'Tasks 1/2: in progress: Doing Test; completed: Build',
  ],
  [
    'a task that is put back, an added one and a dropped one',
    todos('> Build', '- Test'),
    todos('- Build', '- Ship'),
    'Tasks 0/2: pending again: Build; 1 removed, 1 added',
  ],
  ['a list that is the same by no line', todos('> Build'), todos('> Build'), ''],
  ['an empty one, too', [], [], ''],
  ['a cleared list once', todos('> Build'), [], 'Tasks: none'],
  ['a task with an id as the same under another name', NAMED('a'), NAMED('b'), ''],
  [
    'any text as one safe line',
    [],
    todos('x a\nb\x1b[2J'),
    'Tasks 1/1: completed: a b␛[2J; 1 added',
  ],
])('%s is reported', (_, before, after, report) => {
  expect(plainReport(stateOf(before), stateOf(after))).toBe(report);
});
