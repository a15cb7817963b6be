import { expect, test } from 'vitest';
import { type ItemPair, pairInPlace, pairItems, pairRenamed } from '../../src/todo/pair-items.ts';
import type { Items } from '../../src/todo/todo-fields.ts';
import { todosIn } from '../screen/panel/todos.ts';

const NONE = '(none)';
const shown = (pairs: readonly ItemPair[]) =>
  pairs.map(({ before, after }) => `${before?.content ?? NONE} -> ${after?.content ?? NONE}`);
const withIds = (items: Items, ...ids: string[]) =>
  items.map((item, at) => ({ ...item, id: ids[at] ?? '' }));

test.each([
  ['the same list', '> a | - b', '> a | - b', ['a -> a', 'b -> b']],
  ['another order', '- a | - b', '- b | - a', ['a -> a', 'b -> b']],
  [
    'a removed and an added one',
    '- a | - b',
    '- b | - c',
    ['a -> (none)', 'b -> b', '(none) -> c'],
  ],
  ['other case, spaces and full stops', '- Fix it', '- fix  IT.', ['Fix it -> fix  IT.']],
  ['equal texts, one fewer', '- a | - a', '- a', ['a -> a', 'a -> (none)']],
])('items of two lists are matched by content: %s', (_, before, after, pairs) => {
  expect(shown(pairItems(todosIn(before), todosIn(after)))).toEqual(pairs);
});

test('content comes before ids, and ids match what has another text', () => {
  const before = withIds(todosIn('- a | - b | - c'), '1', '2', '3');
  const after = withIds(todosIn('- b | - d'), '1', '3');
  expect(shown(pairItems(before, after))).toEqual(['a -> (none)', 'b -> b', 'c -> d']);
});

test.each([
  ['in progress', '> Fix login | - Test', '> Fix the login | - Test', 'Fix login -> Fix the login'],
  ['completed', '> Fix login | - Test', 'x Fix the login | - Test', 'Fix login -> Fix the login'],
])('a dropped item in progress is renamed to a new one that is %s', (_, before, after, pair) => {
  const pairs = shown(pairRenamed(todosIn(before), todosIn(after)));
  expect(pairs).toEqual([pair, 'Test -> Test']);
});

test.each([
  ['a new one is pending', '> a b c | - Test', '- d e f | - Test'],
  ['the dropped one was pending', '- a b c | - Test', '> d e f | - Test'],
  ['the lists are about other work', '> Fix login | - Test', '> Bake bread | - Eat it'],
  ['a single item shares no word', '> Fix login', '> Bake bread'],
])('no item is renamed where %s', (_, before, after) => {
  const [was, is] = [todosIn(before), todosIn(after)];
  expect(pairRenamed(was, is)).toEqual(pairItems(was, is));
});

test('no item is renamed to one with another id', () => {
  const before = withIds(todosIn('> a | - Test'), '1', '2');
  const after = withIds(todosIn('> b | - Test'), '3', '2');
  expect(shown(pairRenamed(before, after))).toEqual(['a -> (none)', 'Test -> Test', '(none) -> b']);
});

test('in place, another text is the same item in lists of the same length about the same work', () => {
  const inPlace = (before: string, after: string) =>
    shown(pairInPlace(todosIn(before), todosIn(after)));
  expect(inPlace('- a | - b', '- c | - b')).toEqual(['a -> c', 'b -> b']);
  expect(inPlace('- a | - b', '- b | - c')).toEqual(['a -> (none)', 'b -> b', '(none) -> c']);
  expect(inPlace('- a | - b', '- b')).toEqual(['a -> (none)', 'b -> b']);
  expect(inPlace('- a | - b', '- c | - d')).toHaveLength(4);
});
