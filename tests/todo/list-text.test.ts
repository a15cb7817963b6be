import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeOfVersion, describeChange, listText } from '../../src/todo/list-text.ts';
import type { Items, TodoItem } from '../../src/todo/todo-fields.ts';
import type { TodoVersion } from '../../src/todo/todo-version.ts';
import { items } from '../guidance/agent-session.ts';
import { todoList } from './arbitraries.ts';

const itemsIn = (text: string) => items(...text.split(' | ').filter(Boolean));

test('a list of more than 8 items begins with what is in progress and next, and ends with it: agents show only the ends', () => {
  const lines = (many: number) =>
    Array.from(
      { length: many },
      (_, at) => `[${at === 4 ? '>' : at < 4 ? 'x' : ' '}] Step ${at + 1}`,
    );
  const short = listText(items(...lines(8))).split('\n');
  expect(short[0]).toBe('[x] Step 1');
  const long = listText(items(...lines(12)))
    .trimEnd()
    .split('\n');
  expect(long.slice(0, 4)).toEqual(['Now 5: Step 5', 'Next 6: Step 6', '', '[x] Step 1']);
  expect(long.slice(-4)).toEqual(['[ ] Step 12', '', 'Now 5: Step 5', '(4/12 completed)']);
});

test.each([
  ['', '', 'nothing changed'],
  ['', '[ ] a | [ ] b', '2 added'],
  ['[ ] a | [ ] b', '[ ] a', '1 removed'],
  ['[ ] a', '[ ] a', 'nothing changed'],
  ['[ ] a | [ ] b', '[ ] b | [ ] a', 'order changed'],
  ['[ ] a', '[>] a', 'began "a"'],
  ['[>] a', '[x] a', 'completed "a"'],
  ['[x] a', '[ ] a', 'put back "a"'],
  ['[ ] a | [ ] b', '[x] a | [x] b', 'completed "a" and 1 more'],
  ['', '[>] a | [ ] b', 'began "a"; 2 added'],
  ['[ ] #1 old', '[x] #1 new', 'completed "new"'],
  ['[ ] #1 old', '[ ] #1 new', 'changed "old" to "new"'],
  // Models renumber their items when they remove one.
  ['[x] #1 a | [>] #2 b | [ ] #3 c', '[>] #1 b | [ ] #2 c', '1 removed'],
  ['[>] a | [ ] b', '[x] a | [>] b | [ ] c', 'completed "a"; began "b"; 1 added'],
  ['[x] a | [x] b', '', 'finished 2 items'],
  ['[x] a | [ ] b', '', 'cleared'],
  // Another item in its place is another item, whatever its status.
  ['[>] a | [ ] c', '[>] b | [ ] c', 'began "b"; dropped "a"; 1 removed, 1 added'],
  ['[>] a', '[x] b', 'completed "b"; dropped "a"; 1 removed, 1 added'],
  ['[>] a', '[ ] b', 'dropped "a"; 1 removed, 1 added'],
])('%j, then %j: %s', (before, after, change) => {
  expect(describeChange(itemsIn(before), itemsIn(after))).toBe(change);
});

test('an item that was completed before is said to be proved', () => {
  const [done] = itemsIn('[x] a');
  const proof = { command: 'true', exitCode: 0, at: '', by: 'main' } as const;
  const proven = { ...(done as TodoItem), proof };
  expect(describeChange([done as TodoItem], [proven])).toBe('proved "a"');
  expect(describeChange(itemsIn('[>] a'), [proven])).toBe('completed "a"');
});

test("a person's edit of an item's text is a change of that item, as the agent is told", () => {
  const [old, edited] = ['[x] a | [>] Fix login | [ ] c', '[x] a | [>] Ship it | [ ] c'];
  const version = (items: Items, more: object) =>
    ({ version: 1, items, updatedAt: new Date(), by: 'main', ...more }) as TodoVersion;
  const before = version(itemsIn(old), {});
  const after = version(itemsIn(edited), { version: 2, by: 'user' });
  expect(changeOfVersion(after, before)).toBe('changed "Fix login" to "Ship it"');
});

test.each([
  ['[>] a', '[>] a | [ ] b', 'added "b"'],
  ['[>] a | [ ] b | [ ] c', '[>] a | [ ] c', 'dropped "b"'],
  ['[>] a | [ ] b', '[ ] b', 'dropped "a"'],
  ['[ ] b', '[>] a | [ ] b', 'began "a"'],
])(
  'what a person adds or drops has its name in the history: %j, then %j: %s',
  (before, after, change) => {
    expect(describeChange(itemsIn(before), itemsIn(after), true)).toBe(change);
  },
);

test('for any lists, it is one short line of plain text', () => {
  fc.assert(
    fc.property(todoList(), todoList(), (before, after) => {
      const change = describeChange(before, after);
      expect(change).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u);
      expect([...change].length).toBeLessThan(350);
    }),
  );
});
