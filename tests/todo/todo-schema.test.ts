import fc from 'fast-check';
import { expect, test } from 'vitest';
import { certainObject } from '../../src/base/json/schema.ts';
import { TODO_FIELDS } from '../../src/todo/todo-fields.ts';
import { todoListSchema, validateTodoList } from '../../src/todo/todo-schema.ts';
import { runs } from '../helpers/random.ts';
import { todoList } from './arbitraries.ts';

const item = { content: 'Build', activeForm: 'Building', status: 'pending' };
const SETTINGS = { maxItems: 50, maxContentLength: 200 };

/** Lines about the list as a whole come last. */
function problemsOf(value: unknown, settings = SETTINGS): string[] {
  const validation = validateTodoList(value, settings);
  if (!('problems' in validation)) return [];
  return [...validation.problems.lines, ...(validation.problems.closing ?? [])];
}

const active = { ...item, status: 'in_progress' };

test('a list with every field is accepted as it is', () => {
  const full = { ...item, id: '1', priority: 'high' };
  expect(validateTodoList({ todos: [full, item] }, SETTINGS)).toEqual({ items: [full, item] });
});

const MISSING = ['content', 'activeForm', 'status'].map((key) => `todos[0].${key}: Required`);
const STATES = "'pending' | 'in_progress' | 'completed'";
const PRIORITIES = "'high' | 'medium' | 'low'";

test.each<[string, unknown, string[]]>([
  ...Object.entries({ string: 'x', number: 5, boolean: true, array: [], null: null }).map(
    ([name, value]): [string, unknown, string[]] => [
      'a root that is no object',
      value,
      [`Expected {"todos":[...]}, received ${name}`],
    ],
  ),
  ['an object without todos', {}, ['todos: Required']],
  ['todos that are no array', { todos: 'x' }, ['todos: Expected array, received string']],
  ['a key beside todos', { todos: [], items: [] }, ["Unrecognized key 'items'"]],
  ['an item without fields', { todos: [{}] }, MISSING],
  [
    'items that are no objects',
    { todos: [null, []] },
    ['null', 'array'].map((name, at) => `todos[${at}]: Expected object, received ${name}`),
  ],
  [
    'texts in place of items, with all that they lack',
    { todos: ['Build', 'Test'] },
    [
      "todos[0..1]: Expected an object with 'content', received string",
      'todos[0..1].activeForm: Required',
      'todos[0..1].status: Required',
    ],
  ],
  [
    'fields of the wrong type',
    { todos: [{ content: 5, activeForm: null, status: 1, id: 2, priority: {} }] },
    [
      'todos[0].content: Expected string, received number',
      'todos[0].activeForm: Expected string, received null',
      `todos[0].status: Expected ${STATES}, received number`,
      'todos[0].id: Expected string, received number',
      `todos[0].priority: Expected ${PRIORITIES}, received object`,
    ],
  ],
  [
    'an unknown status and an unknown priority',
    { todos: [{ ...item, status: 'done', priority: 'HIGH' }] },
    [
      `todos[0].status: Expected ${STATES}, received 'done'`,
      `todos[0].priority: Expected ${PRIORITIES}, received 'HIGH'`,
    ],
  ],
  [
    'keys that objects inherit, as any other',
    JSON.parse(
      '{"todos":[{"__proto__":{"content":"x"},"constructor":1,"toString":2}],"__proto__":[]}',
    ),
    [
      ...MISSING,
      ...['__proto__', 'constructor', 'toString'].map(
        (key) => `todos[0]: Unrecognized key '${key}'`,
      ),
      "Unrecognized key '__proto__'",
    ],
  ],
])('refused: %s', (_, value, lines) => {
  expect(problemsOf(value)).toEqual(lines);
});

const many = (character: string, count: number) => character.repeat(count);
const hostile = `\x1b]0;x\x07\n\u202e${many('😀', 100)}`;
const shown = `'␛]0;x␇ ${many('😀', 30)}...'`;
const { activeForm: _, ...without } = item;
const withId = (id: string) => ({ ...item, id });

test.each<[string, unknown[], string[]]>([
  ['as many as the limit, one in progress', [...Array(49).fill(item), active], []],
  ...['', ' \n\t', '\u200b', '\x1b', '\u2800', '\u3164'].map(
    (blank): [string, unknown[], string[]] => [
      `text in which nothing can be seen, ${JSON.stringify(blank)}`,
      [{ ...item, content: blank, activeForm: blank, id: blank }],
      ['content', 'activeForm', 'id'].map((key) => `todos[0].${key}: Cannot be blank`),
    ],
  ),
  [
    'a check that no shell can get',
    [{ ...item, check: 'a\0b' }],
    ['todos[0].check: Cannot contain U+0000'],
  ],
  [
    'texts as long as the limit, in code points',
    [{ ...item, content: many('😀', 200), activeForm: many('x', 200) }],
    [],
  ],
  [
    'longer texts',
    [{ ...item, content: many('😀', 201), activeForm: many('x', 214), id: many('x', 300) }],
    [
      'todos[0].content: Must be at most 200 characters, received 201',
      'todos[0].activeForm: Must be at most 200 characters, received 214',
      'todos[0].id: Must be at most 200 characters, received 300',
    ],
  ],
  [
    'hostile input, which is truncated and made safe',
    [{ ...item, status: hostile, [hostile]: 1 }],
    [
      `todos[0].status: Expected ${STATES}, received ${shown}`,
      `todos[0]: Unrecognized key ${shown}`,
    ],
  ],
  [
    'many problems, all at once: those of the items in order, then those of the list',
    [
      { activeForm: ' ', status: 'in_progress' },
      { ...item, status: 'done' },
      { ...item, foo: 1 },
      ...Array(58).fill(active),
    ],
    [
      'todos[0].content: Required',
      'todos[0].activeForm: Cannot be blank',
      `todos[1].status: Expected ${STATES}, received 'done'`,
      "todos[2]: Unrecognized key 'foo'",
      'todos: Must have at most 50 items, received 61',
      'todos: Only one item can be in_progress, received 59 (todos[0], todos[3], todos[4], todos[5], todos[6], and 54 more); set all but one to pending',
    ],
  ],
  ['the same in many', Array(40).fill(without), ['todos[0..39].activeForm: Required']],
  [
    'the same in several',
    [without, item, without, without],
    ['todos[0, 2..3].activeForm: Required'],
  ],
  [
    'the same in every second',
    Array.from({ length: 20 }, (_, index) => (index % 2 ? item : without)),
    ['todos[0, 2, 4, 6, 8, ...].activeForm: Required'],
  ],
  [
    'two problems that read the same',
    [item, { ...item, [many('k', 61)]: 1, [many('k', 62)]: 2 }],
    [`todos[1]: Unrecognized key '${many('k', 37)}...'`],
  ],
  [
    'an id twice',
    [withId('1'), withId('2'), withId('1')],
    ["todos: Only one item can have the id '1', received 2 (todos[0], todos[2])"],
  ],
  ['ids that are similar', [withId('1'), withId('01'), item, item], []],
])('items: %s', (_, items, lines) => {
  expect(problemsOf({ todos: items })).toEqual(lines);
});

/** Does what the lines say, and nothing else. */
function follow(value: unknown, lines: readonly string[]): unknown {
  const root = structuredClone(value) as Record<string, unknown>;
  for (const line of lines) {
    const [, inItems, key = '', meant] =
      /^(todos\[.*\]: )?Unrecognized key '(.+)'(?:; did you mean '(.+)'\?|$)/.exec(line) ?? [];
    const [, missing] = /^todos\[.*\]\.(\w+): Required$/.exec(line) ?? [];
    const places = inItems || missing ? (root.todos as Record<string, unknown>[]) : [root];
    for (const place of places) {
      if (meant && key in place) place[meant] = place[key];
      if (missing) place[missing] ??= missing === 'status' ? 'pending' : 'x';
      delete place[key];
    }
  }
  return root;
}

const step = { step: 'Build', status: 'pending' };
test.each<[string, object]>([
  ['a plan of Codex', { explanation: 'Why', plan: [step, { ...step, status: 'in_progress' }] }],
  ['task_list', { task_list: [{ title: 'Build', description: 'All of it' }] }],
  ['list', { list: [{ name: 'Build', active_form: 'Building', state: 'pending' }] }],
  ['todoList', { todoList: [{ text: 'Build', activeForm: 'Building', command: 'make' }] }],
  ['a title beside todos', { title: 'Plan', command: 'npm test', todos: [item] }],
  ['two names of one key', { todos: [{ ...step, title: 'Build', task: 'b' }] }],
])('whoever follows the error is accepted: %s', (_, value) => {
  const lines = problemsOf(value);
  expect(problemsOf(follow(value, lines))).toEqual([]);
});

test('items that only have an id and a status lead to steps', () => {
  const [a, b] = [
    { id: 'a', status: 'completed' },
    { id: 7, status: 'pending' },
  ];
  const hint = 'to change single items: TodoWrite --done a --pending 7';
  expect(problemsOf({ todos: [a, b] }).at(-1)).toBe(hint);
  expect(problemsOf({ merge: true, todos: [{ ...a, content: 'A' }] })).toEqual([
    expect.stringMatching(/^Unrecognized key 'merge'; each call replaces the whole list/),
    'todos[0].activeForm: Required',
  ]);
});

test('problems beyond the lines that are kept are counted', () => {
  const todos = Array.from({ length: 25 }, (_, index) => ({ ...item, status: `s${index}` }));
  const keys = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, 1]));
  expect(validateTodoList({ todos }, SETTINGS)).toMatchObject({ problems: { unlisted: 5 } });
  expect(problemsOf({ todos })).toHaveLength(20);
  expect(validateTodoList({ todos: [{ ...item, ...keys }] }, SETTINGS)).toMatchObject({
    problems: { unlisted: 480 },
  });
});

test.each([50, 200])(
  'a valid list over the limit of %d is refused with its number of items',
  (maxItems) => {
    const todos = Array.from({ length: 201 }, () => item);
    expect(problemsOf({ todos }, { ...SETTINGS, maxItems })).toEqual([
      `todos: Must have at most ${maxItems} items, received 201`,
    ]);
  },
);

test('other limits count at once', () => {
  const long = { ...item, content: 'abcdef' };
  expect(problemsOf({ todos: [long, item] }, { maxItems: 1, maxContentLength: 5 })).toEqual([
    'todos[0].content: Must be at most 5 characters, received 6',
    'todos[0..1].activeForm: Must be at most 5 characters, received 8',
    'todos: Must have at most 1 items, received 2',
  ]);
});

test('an accepted list is the output of the schema', () => {
  const text = fc.constantFrom(...['a', '\u00e9', '', ' ', '\u200b', 'x'.repeat(9), 7, null]);
  const status = fc.constantFrom('pending', 'completed', 'in_progress', 'done', undefined);
  const priority = fc.constantFrom('low', 'urgent', 1, undefined);
  const requiredKeys = ['content', 'activeForm', 'status'] as const;
  const fields = { content: text, activeForm: text, status, id: text, priority, check: text };
  const object = fc.record(
    { ...fields, foo: text, __proto__: text, toString: text },
    { requiredKeys: [...requiredKeys] },
  );
  const items = fc.array(
    fc.oneof({ weight: 9, arbitrary: todoList().map(([one]) => one) }, object, fc.anything()),
    { maxLength: 4 },
  );
  const limits = { maxItems: 50, maxContentLength: 40 };
  fc.assert(
    fc.property(items, fc.boolean(), (todos, hasMore) => {
      const value = hasMore ? { todos, more: 1 } : { todos };
      const { success, data } = todoListSchema(limits).safeParse(value);
      const validation = validateTodoList(value, limits);
      // The schema does not cover rules for the whole list.
      if ('items' in validation) expect(data).toEqual({ todos: validation.items });
      else if (success)
        expect(validation.problems.lines.join()).toMatch(/^todos: Only one item|^$/);
    }),
    { numRuns: runs(500) },
  );
});

test('a list is certainly valid exactly if zod accepts it, and then both read the same', () => {
  const value = fc.oneof(
    fc.constantFrom('pending', 'completed', 'low', ' Build ', '  ', '', 'x'.repeat(201)),
    fc.constantFrom<unknown>(undefined, null, 1, [], {}, '\u200b', '\u{1f600}'.repeat(200)),
    fc.string(),
  );
  const full = { ...item, id: '1', priority: 'high', check: 'true' };
  const names = [...Object.keys(full), 'constructor', '__proto__', 'extra'];
  const changes = fc.array(
    fc.tuple(fc.constantFrom('set', 'drop'), fc.constantFrom(...names), value),
    { maxLength: 3 },
  );
  const isInherited = fc.integer({ min: 0, max: 9 }).map((one) => one === 0);
  fc.assert(
    fc.property(changes, isInherited, (all, inherits) => {
      const entries = new Map<string, unknown>(Object.entries(full));
      for (const [what, name, to] of all) {
        if (what === 'set') entries.set(name, to);
        else entries.delete(name);
      }
      const own = Object.fromEntries(entries);
      const given = inherits ? Object.create(own) : own;
      const certain = certainObject(TODO_FIELDS, given, SETTINGS);
      const { data } = todoListSchema(SETTINGS).safeParse({ todos: [given] });
      if (!inherits) expect(certain !== undefined).toBe(data !== undefined);
      if (certain) expect(Object.entries(certain)).toEqual(Object.entries(data?.todos[0] ?? {}));
    }),
    { numRuns: runs(500) },
  );
});
