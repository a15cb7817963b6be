import { expect, test } from 'vitest';
import { isStored, type Stored, storedFields, wrongThing } from '../../../src/base/json/stored.ts';

const STATUS = { is: 'word', words: ['open', 'done'] } as unknown as Stored;

test.each<[Stored, unknown[], unknown[]]>([
  ['text', ['', 'a'], [1, null, undefined, ['a']]],
  ['flag', [true, false], [0, 'true', null]],
  ['id', [1, 999], [0, -1, 1.5, '1', Number.NaN, 2 ** 60]],
  ['count', [0, 0.5, 7], [-1, '0', Number.NaN]],
  ['time', ['2026-05-05T09:00:00.000Z'], ['2026-05-05', '2026-05-05T09:00:00Z', 1]],
  [['id'], [[], [1, 2]], [[0], [1, '2'], 1, { length: 0 }]],
  [{ maybe: 'text' }, [undefined, 'a'], [null, 1]],
  [{ has: { id: 'id', name: { maybe: 'text' } } }, [{ id: 1 }, { id: 1, more: 2 }], [{}, [], null]],
  [(value) => value === 7, [7], [8]],
  [STATUS, ['open'], ['shut', '']],
])('of the type %j are %j and not %j', (type, right, wrong) => {
  expect(right.filter((value) => !isStored(type, value))).toEqual([]);
  expect(wrong.filter((value) => isStored(type, value))).toEqual([]);
});

test('the first wrong field of the first wrong thing is named, with its place', () => {
  const shape = { has: { id: 'id', text: 'text' } } as const;
  const problemOf = (...things: unknown[]) => wrongThing('item', shape, things);
  const right = { id: 1, text: 'a' };
  expect(problemOf()).toBeUndefined();
  expect(problemOf(right, right)).toBeUndefined();
  expect(problemOf(right, { id: 0 })).toBe('item 1 has an invalid id');
  expect(problemOf({ id: 1 }, 5)).toBe('item 0 has no text');
  expect(problemOf(right, right, 'b')).toBe('item 2 is not an object');
});

test('a field of a table may be missing in what is stored, unless it is required', () => {
  const kind = { is: 'text' };
  const table = { a: { kind, isRequired: true }, b: { kind } } as never;
  expect(storedFields(table)).toEqual({ a: kind, b: { maybe: kind } });
});
