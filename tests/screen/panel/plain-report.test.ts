import { expect, test } from 'vitest';
import { plainReport } from '../../../src/screen/panel/plain-report.ts';
import { stateOf, todosIn } from './todos.ts';

test.each([
  ['', '> a | - b | - c', 'Tasks 0/3: in progress: Doing a; added: b; added: c'],
  ['', '- a | - b | - c | - d', 'Tasks 0/4: 4 added'],
  ['> a | - b', 'x a | > b', 'Tasks 1/2: in progress: Doing b; completed: a'],
  ['> a | - b', '- a | - c', 'Tasks 0/2: pending again: a; 1 removed; added: c'],
  ['> a', '> a', ''],
  ['', '', ''],
  ['> a', '', 'Tasks: none'],
  ['', 'x a\nb\x1b[2J', 'Tasks 1/1: completed: a b␛[2J'],
])('from %j to %j the report is %j', (before, after, report) => {
  expect(plainReport(stateOf(todosIn(before)), stateOf(todosIn(after)))).toBe(report);
});

test('an item with an id is the same under another name', () => {
  const named = (text: string) => stateOf(todosIn(text).map((item) => ({ ...item, id: '1' })));
  expect(plainReport(named('- a'), named('- b'))).toBe('');
});
