import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeProblem, readJson } from '../../src/base/json/json-reader.ts';
import type { TodoItem } from '../../src/todo/todo-fields.ts';
import { validateTodoInput } from '../../src/todo/todo-input.ts';
import { growth } from '../helpers/best-time.ts';
import { runs } from '../helpers/random.ts';
import { plainText, todoList } from './arbitraries.ts';
import { BUILD, json } from './call.ts';

const ITEM = JSON.stringify(BUILD);
/** A list of the item in which one text stands for another. */
const changed = (from: string, to: string) => `[${ITEM.replace(from, to)}]`;
const LIMITS = { maxItems: 50, maxContentLength: 200 };

function read(text: string) {
  const reading = readJson(text);
  if ('problem' in reading) return { malformed: describeProblem(text, reading.problem) };
  const checked = validateTodoInput(reading.value, LIMITS);
  return 'notes' in checked ? { ...checked, notes: [...reading.notes, ...checked.notes] } : checked;
}

/** Undefined if the reader or the schema refuses the text. */
function itemsIn(text: string): readonly TodoItem[] | undefined {
  const reading = readJson(text);
  const checked = 'value' in reading && validateTodoInput(reading.value, LIMITS);
  return checked && 'value' in checked ? checked.value.items : undefined;
}

function notesOn(text: string): readonly string[] {
  const input = read(text);
  return 'notes' in input ? input.notes : [];
}

test('a list that is right is read as it is, without a note', () => {
  expect(read(json(BUILD))).toEqual({ value: { items: [BUILD] }, notes: [] });
});

test.each([
  ['bare array', `[${ITEM}]`, 'read the bare array as the list; it belongs in {"todos":[...]}'],
  ['tasks', `{"tasks":[${ITEM}]}`, 'read "tasks" as "todos"'],
  ['one item alone', ITEM, 'read the single item as the list'],
  ['one item as todos', `{"todos":${ITEM}}`, 'read the single item as the list'],
  ['inProgress', changed('pending', 'inProgress'), "read 'inProgress' as 'in_progress'"],
  ['High', changed('}', ',"priority":"High"}'), "read 'High' as 'high'"],
  ['active-form', changed('activeForm', 'active-form'), "read 'active-form' as 'activeForm'"],
  ['a version', `{"todos":[${ITEM}],"version":"1"}`, 'read the text in "version" as a number'],
  [
    'merge: false',
    `{"merge":false,"todos":[${ITEM}]}`,
    'ignored "merge": each call replaces the whole list',
  ],
  ['null for what is optional', changed('}', ',"id":null}'), 'ignored "id":null'],
  ['a numeric id', changed('}', ',"id":7}'), 'read the number in "id" as text'],
  [
    'array in a string',
    JSON.stringify({ todos: `[${ITEM}]` }),
    'read the string in "todos" as the array that it holds',
  ],
])('a slip is forgiven and noted: %s', (_, text, note) => {
  expect(notesOn(text).at(-1)).toBe(note);
  expect(itemsIn(text)).toHaveLength(1);
});

test.each<[object, object]>([
  [
    { id: 'a', status: 'completed' },
    {
      lines: ['todos[0].content: Required', 'todos[0].activeForm: Required'],
      closing: ['to change single items: TodoWrite --done a'],
    },
  ],
  [
    { title: 'Build', activeForm: 'Building', status: 'done' },
    {
      lines: [
        "todos[0]: Unrecognized key 'title'; did you mean 'content'?",
        "todos[0].status: Expected 'pending' | 'in_progress' | 'completed', received 'done'",
      ],
    },
  ],
  [
    { plan: [], status: 'pending' },
    { lines: ["Unrecognized key 'plan'; did you mean 'todos'?", "Unrecognized key 'status'"] },
  ],
])('all problems of one item alone are named at once, if it is one: %j', (value, problems) => {
  expect(read(JSON.stringify(value))).toMatchObject({ problems });
});

test('an array in a string may have slips of its own', () => {
  const text = JSON.stringify({ items: `\ufeff[${ITEM},]` });
  expect(itemsIn(text)).toEqual([BUILD]);
  expect(notesOn(text)).toEqual([
    'read "items" as "todos"',
    'read the string in "todos" as the array that it holds',
    'ignored a byte-order mark before the JSON',
    'ignored a trailing comma',
  ]);
});

test.each([
  ['both todos and items', `{"todos":[${ITEM}],"items":[]}`],
  ['todos in a string beside items', `{"todos":"[]","items":[${ITEM}]}`],
  ['items that are no list', '{"items":5}'],
  ['an object in the string', JSON.stringify({ todos: ITEM })],
  ['a string that is no JSON', '{"todos":"Build"}'],
  ['the whole list in a string', JSON.stringify(`{"todos":[${ITEM}]}`)],
  ['an item with two spellings of one key', changed('{', '{"active_form":"Doing",')],
  ['two misspellings of one key', changed('"activeForm"', '"ACTIVEFORM":"a","active_form"')],
  ['two lists under two names', `{"tasks":[${ITEM}],"items":[]}`],
  ['another word for a status', changed('pending', 'done')],
  ['another word for a priority', changed('}', ',"priority":"urgent"}')],
  ['an id that is no whole number', changed('}', ',"id":1.5}')],
  ['a list within a list', `[[${ITEM}]]`],
  ['a property twice', `{"todos":[${ITEM}],"todos":[]}`],
  [
    'a property of an item twice, within a string',
    JSON.stringify({ todos: changed('{', '{"content":"Test",') }),
  ],
  ['an array that is cut short within a string', JSON.stringify({ todos: `[${ITEM}` })],
])('an ambiguous input is refused: %s', (_, text) => {
  expect(itemsIn(text)).toBeUndefined();
});

test('the error for a broken array in a string names the place in the string', () => {
  expect(read(JSON.stringify({ todos: '[1' }))).toEqual({
    malformed:
      'in the string "todos": line 1, column 3: the text ends before the JSON is complete, near [1',
    kind: 'cut',
  });
});

test('places count in the text as given, fence and byte-order mark included', () => {
  expect(read('\ufeff```json\n{"a":\\!}\n```')).toMatchObject({
    malformed: expect.stringMatching(/^line 2, column 6: expected a value/),
  });
});

test('text in a string that looks like a property is not a duplicate', () => {
  const content = '"content": "x", "content": "y"';
  expect(itemsIn(json({ ...BUILD, content }))).toEqual([{ ...BUILD, content }]);
});

const mapStrings = (json: string, change: (string: string) => string) =>
  json.replace(/"(?:[^"\\]|\\.)*"/g, change);
const members = (object: object) =>
  Object.entries(object).map(([key, value]) => `${JSON.stringify(key)} : ${JSON.stringify(value)}`);
const withCommas = (items: readonly TodoItem[]) =>
  `[${items.map((each) => `{ ${members(each).join(' , ')} ,\n}`).join(', ')}${items.length > 0 ? ' ,' : ''}]`;

const strings: Record<string, (json: string) => string> = {
  none: (json) => json,
  'shell escapes': (json) => mapStrings(json, (string) => string.replace(/[!'`$]/g, '\\$&')),
  'raw line breaks and tabs': (json) =>
    mapStrings(json, (string) =>
      string.replace(
        /\\(.)/g,
        (written, name) => ({ n: '\n', r: '\r', t: '\t' })[name as string] ?? written,
      ),
    ),
};
const shapes: Record<string, (array: string) => string> = {
  none: (array) => `{"todos":${array}}`,
  'a bare array': (array) => array,
  items: (array) => `{"items":${array}}`,
  'an array in a string': (array) => JSON.stringify({ todos: array }),
  'items in a string': (array) => JSON.stringify({ items: array }),
};
const frames: ((json: string) => string)[] = [
  (json) => json,
  (json) => `\ufeff${json}`,
  (json) => `\`\`\`json\n${json}\n\`\`\`\n`,
  (json) => `\ufeff\`\`\`\n${json}\n\`\`\``,
];
const one = <T>(table: Record<string, T>) => fc.constantFrom(...Object.entries(table));

test('slips applied mechanically to random lists are read back to the same list', () => {
  fc.assert(
    fc.property(
      todoList(),
      fc.constantFrom(JSON.stringify, withCommas),
      one(strings),
      one(strings),
      one(shapes),
      fc.constantFrom(...frames),
      (items, array, [innerSlip, inner], [outerSlip, outer], [shapeSlip, shape], frame) => {
        // Twice in one string, a shell escape is an escaped backslash.
        fc.pre(innerSlip !== outerSlip || shapeSlip.includes('string'));
        expect(itemsIn(frame(outer(shape(inner(array(items))))))).toEqual(items);
      },
    ),
    { numRuns: runs(1000) },
  );
});

describe('damaged text is refused, or read as the original', () => {
  const writings: ((items: TodoItem[]) => string)[] = [
    (items) => JSON.stringify({ todos: items }),
    (items) => JSON.stringify({ todos: items }, null, 2),
    (items) => JSON.stringify(items),
    (items) => JSON.stringify({ items: JSON.stringify(items) }),
    (items) => `\`\`\`json\n${JSON.stringify({ todos: items })}\n\`\`\``,
    (items) => `\ufeff${JSON.stringify({ todos: items })}`,
  ];
  const written = fc
    .tuple(todoList(), fc.constantFrom(...writings))
    .map(([items, write]) => write(items));

  test('no truncation of a list is ever read', () => {
    fc.assert(
      fc.property(written, (text) => {
        const whole = itemsIn(text);
        const read: unknown[] = [];
        for (let end = 0; end < text.length; end++) read.push(itemsIn(text.slice(0, end)));
        expect(read.filter((items) => items !== undefined)).toEqual([]);
        for (let start = 2; start < text.length; start++) {
          const items = itemsIn(text.slice(start));
          if (items !== undefined) expect(items).toEqual(whole);
        }
      }),
      { numRuns: runs(10) },
    );
  });

  test('the head of one list and the tail of another are never read as a third, unless JSON itself reads them so', () => {
    const damaged = fc
      .tuple(
        todoList(plainText),
        todoList(plainText),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(),
      )
      .map(([first, second, cut, drop]) => {
        const head = JSON.stringify({ todos: first });
        const tail = JSON.stringify({ todos: second });
        return head.slice(0, Math.floor(cut * head.length)) + tail.slice(drop % tail.length);
      });
    fc.assert(
      fc.property(damaged, (text) => {
        // A comma before a bracket is accepted by design, wherever it comes from.
        fc.pre(!/,[\]}]/.test(text));
        const items = itemsIn(text);
        // The cut may have turned `todos` into `todo`, which is accepted too.
        if (items !== undefined) expect(Object.values(JSON.parse(text))).toEqual([items]);
      }),
      { numRuns: runs(5000) },
    );
  });
});

test('any text is read in linear time, even with hundreds of thousands of signs of a slip', async () => {
  for (const mark of [
    ...['"', '\\"', '[', '{"a":', '[1,', ',]', '\\!', '```', ', ', ' ', '\n', '"\\', '"a":'],
  ]) {
    const readBoth = (size: number) => {
      read(`{"todos":["${mark.repeat(size / mark.length)}`);
      read(mark.repeat(size / mark.length));
    };
    expect(await growth(readBoth, 10_000), mark).toBeLessThan(300);
  }
});
