import { expect, test } from 'vitest';
import { afterChange } from '../../src/viewer/writes.ts';
import { board, LIST, linesOf, listOf, TASKS, TestViewer } from './viewer-state.ts';

/** The items that a person's keys request, as lines. */
function asked(...keys: string[]): string[] | undefined {
  const { request } = new TestViewer({ lists: [LIST] }).press(...keys).state;
  return request?.what === 'write' ? linesOf(request.items) : undefined;
}

test.each([
  ['n adds one below the chosen item', ['n', 'N', 'return'], ['x a', '> b', '- N', '- c']],
  [
    'n without a chosen item adds one at the end',
    ['/', 'z', 'return', 'n', 'N', 'return'],
    ['x a', '> b', '- c', '- N'],
  ],
  ['e changes a text', ['e', 'backspace', 'B', '2', 'return'], ['x a', '> B2', '- c']],
  ['p begins another item, after asking', ['down', 'p', 'y'], ['x a', '- b', '> c']],
  ['p puts back what is in progress', ['p'], ['x a', '- b', '- c']],
  ['x completes', ['x'], ['x a', 'x b', '- c']],
  ['x puts back what is completed', ['up', 'x'], ['- a', '> b', '- c']],
  ['d drops', ['d'], ['x a', '- c']],
  ['K moves an item up', ['K'], ['> b', 'x a', '- c']],
  ['J moves it down', ['J'], ['x a', '- c', '> b']],
  ['but not above the first', ['up', 'K'], undefined],
  ['nor below the last', ['down', 'J'], undefined],
  ['e with the same text changes nothing', ['e', 'return'], undefined],
])('%s', (_what, keys, items) => {
  expect(asked(...keys)).toEqual(items);
});

test('p on another item asks before the one in progress goes back to pending', () => {
  const viewer = new TestViewer({ lists: [LIST] }, { columns: 80 }).press('down', 'p');
  expect(viewer.rows().at(-1)).toBe('"b" is in progress. Put it back and begin "c"?  y / n');
  expect(viewer.state.request).toBeUndefined();
  expect(viewer.press('n').state.request).toBeUndefined();
  expect(viewer.rows().at(-1)).toMatch(/^p start /);
});

test('a question is whole on a narrow screen', () => {
  const [one, other] = ['a long text of some 36 characters, one', 'and another one as long as it'];
  const list = listOf('main', [60, `> ${one}`, `- ${other}`]);
  const viewer = new TestViewer({ lists: [list] }, { columns: 40, rows: 15 }).press('down', 'p');
  const screen = viewer.rows();
  expect(screen.slice(screen.findIndex((row) => row.startsWith('"'))).join(' ')).toBe(
    `"${one}" is in progress. Put it back and begin "${other}"?  y / n`,
  );
});

test('an agent that only reads and signs a list leaves it as the person saw it, for what is typed and for u', () => {
  const seen = ['x a', '> b', '- c'];
  const viewer = new TestViewer({ lists: [LIST] }).press('n', 'N');
  viewer.learn({ lists: [listOf('main', [60, ...seen], [1, ...seen])] });
  const { request } = viewer.press('return').state;
  if (request?.what !== 'write') throw new Error('nothing is asked for');
  const written: [number, ...string[]] = [1, ...linesOf(request.items)];
  viewer.learn({ lists: [listOf('main', [60, ...seen], [1, ...seen], written, written)] });
  viewer.state = afterChange(viewer.state, request, { version: 3 });
  const undo = viewer.press('u').state.request;
  expect([request, undo]).toMatchObject([{ version: 2 }, { version: 4, items: request.before }]);
});

test('a key on a list that has changed meanwhile says that nothing was written', () => {
  const viewer = new TestViewer({ lists: [LIST] }).press('down', 'x');
  const { request } = viewer.state;
  if (request?.what !== 'write') throw new Error('nothing is asked for');
  const refused = 'main changed the list meanwhile';
  const said = (isOlder: boolean) => afterChange(viewer.state, request, { refused, isOlder });
  expect(said(true).message).toBe(`${refused}; nothing was written`);
  expect(said(false).message).toBe(refused);
});

test('a refused change leaves the selection where it is', () => {
  const viewer = new TestViewer({ lists: [LIST] }, { columns: 100 }).press(
    'down',
    'e',
    '2',
    'return',
  );
  const { request } = viewer.state;
  if (request?.what !== 'write') throw new Error('nothing is asked for');
  viewer.state = afterChange(viewer.state, request, { refused: 'Not saved', isOlder: false });
  expect(viewer.rows()).toContain('▸○ c');
});

test('a moved item is selected also after that is undone', () => {
  const viewer = new TestViewer({ lists: [LIST] }).press('down', 'K');
  const { request } = viewer.state;
  if (request?.what !== 'write') throw new Error('nothing is asked for');
  const seen = ['x a', '> b', '- c'];
  viewer.learn({ lists: [listOf('main', [60, ...seen], [0, ...linesOf(request.items)])] });
  viewer.state = afterChange(viewer.state, request, { version: 2 });
  viewer.press('u').learn({ lists: [LIST] });
  expect(viewer.body().at(-1)).toBe('▸○ c');
});

test('the restored item is selected', () => {
  const viewer = new TestViewer({ lists: [LIST] }, { columns: 100 }).press('down', 'd');
  const { request } = viewer.state;
  if (request?.what !== 'write') throw new Error('nothing is asked for');
  viewer.learn({ lists: [listOf('main', [60, 'x a', '> b', '- c'], [0, 'x a', '> b'])] });
  viewer.state = afterChange(viewer.state, request, { version: 2 });
  const { request: undo } = viewer.press('u').state;
  if (undo?.what !== 'write') throw new Error('nothing is undone');
  expect(undo).toMatchObject({ undo: 'pop', items: request.before });
  viewer.learn({ lists: [LIST] });
  viewer.state = afterChange(viewer.state, undo, { version: 3 });
  expect(viewer.rows()).toContain('▸○ c');
});

test('keys of another page do nothing, nor those that need an item or a task where there is none', () => {
  for (const page of ['h', 'a', 'b', 's', '?']) expect(asked(page, 'x')).toBeUndefined();
  expect(asked('h', 'return', 'd')).toBeUndefined();
  for (const key of ['J', 'K']) expect(askedOfTasks(key)).toBeUndefined();
  const history = new TestViewer({ tasks: TASKS }).press('h', 'o', '?', 'o');
  expect(history.state.input).toBeUndefined();
  for (const page of ['list', 'board'] as const) {
    const { request, input } = new TestViewer({}, { page }).press(...'eopxdKJu').state;
    expect([request, input]).toEqual([undefined, undefined]);
  }
});

test('keys of the page are text while you type; Esc, or no text, changes nothing', () => {
  const viewer = new TestViewer({ lists: [LIST] }).press('n', 'q', 'x', 'left', 'u', 'end', '?');
  expect(viewer.rows().at(-1)).toBe('New item: qux?');
  expect(asked('n', 'N', 'escape')).toBeUndefined();
  expect(asked('n', ' ', 'return')).toBeUndefined();
});

test.each([
  ['list', 'x', 'Completed "b"'],
  ['list', 'up x', 'Reopened "a"'],
  ['list', 'p', 'Put back "b"'],
  ['list', 'down x', 'Completed "c"'],
  ['list', 'd', 'Dropped "b"'],
  ['list', 'K', 'Moved "b"'],
  ['list', 'e 2 return', 'Changed to "b2"'],
  ['list', 'n N return', 'Added "N"'],
  ['board', 'x', 'Completed #2 Print'],
  ['board', 'right x', 'Reopened #1 Parse'],
  ['board', 'p', 'Released #2 Print'],
  ['board', 'left p', 'Began #3 Ship'],
  ['board', 'd', 'Deleted #2 Print'],
  ['board', 'e s return', 'Changed to "Prints"'],
  ['board', 'o c a t return', 'Assigned #2 Print to cat'],
  ['board', 'n N return', 'Added "N"'],
] as const)('on the %s, "%s" tells: %s', (page, keys, told) => {
  const viewer = new TestViewer({ lists: [LIST], tasks: TASKS }, { columns: 100, page });
  expect(viewer.press(...keys.split(' ')).state.request).toMatchObject({ told });
});

test('a change is asked for on the version that was seen', () => {
  const viewer = new TestViewer({ lists: [LIST] }).press('n', 'N');
  viewer.learn({ lists: [listOf('main', [60, 'x a', '> b', '- c'], [1, 'x a', 'x b', '> c'])] });
  expect(viewer.press('return').state.request).toMatchObject({ what: 'write', version: 1 });
});

test('a moved item passes hidden ones', () => {
  const list = listOf('main', [4, '- a', 'x b', '- c']);
  const viewer = new TestViewer({ lists: [list] }).press('c', 'J');
  const { request } = viewer.state;
  expect(request?.what === 'write' && request.items.map(({ content }) => content)).toEqual([
    'b',
    'c',
    'a',
  ]);
});

test("a change before an agent's write cannot be undone, also after later changes of your own are undone", () => {
  const viewer = new TestViewer({ lists: [LIST] }, { columns: 100 });
  const writes: [number, ...string[]][] = [[60, 'x a', '> b', '- c']];
  const written = (...keys: string[]) => {
    const { request } = viewer.press(...keys).state;
    if (request?.what !== 'write') throw new Error('nothing is asked for');
    writes.push([0, ...linesOf(request.items)]);
    viewer.learn({ lists: [listOf('main', ...writes)] });
    viewer.state = afterChange(viewer.state, request, { version: writes.length });
  };
  written('down', 'd');
  writes.push([0, 'x a', 'x b']);
  viewer.learn({ lists: [listOf('main', ...writes)] });
  written('d');
  written('K');
  written('u');
  written('u');
  expect(writes.at(-1)).toEqual([0, 'x a', 'x b']);
  expect(viewer.press('u').rows().at(-1)).toBe(
    'main has changed the list since, so your change cannot be undone.',
  );
});

test('r on an older version asks for it as a new one; on the newest, and on tasks, it says why not', () => {
  const list = listOf('main', [60, '- a'], [30, 'x a', '> b'], [4, 'x a', 'x b']);
  const history = new TestViewer({ lists: [list] }, { columns: 100, page: 'history' });
  expect(history.rows().at(-1)).toMatch(/^Enter open {2}r restore /);
  expect(history.press('r').rows().at(-1)).toBe('It is as in version 3.');
  for (const keys of [['down'], ['down', 'return']]) {
    const viewer = new TestViewer({ lists: [list] }, { page: 'history' }).press(...keys, 'r');
    const { request, pages } = viewer.state;
    expect(pages).toMatchObject([{ name: 'list' }]);
    expect(request).toMatchObject({ version: 3, items: list.versions[1]?.items, isRestored: true });
  }
  const tasks = new TestViewer({ tasks: TASKS }, { columns: 100, page: 'taskHistory' }).press('r');
  expect(tasks.rows().at(-1)).toMatch(/TaskUndo --at 1 undoes what this version changed\.$/);
  expect(tasks.state.request).toBeUndefined();
  expect(tasks.press('/', 'q', 'q', 'return', 'r').rows().join('\n')).not.toContain('TaskUndo');
});

test('what cannot be undone names the agent that changed the list since, also if a person did after it', () => {
  const { versions } = listOf('main', [60, '- a'], [30, '- b'], [20, '- c'], [10, '- d']);
  const authors = ['user', 'ann', 'user', 'main'];
  const list = {
    agent: 'main',
    versions: versions.map((one, at) => ({ ...one, by: authors[at] ?? '' })),
  };
  const made = { what: 'write', agent: 'main', made: 2, told: '', undo: 'push' } as never;
  const viewer = new TestViewer({ lists: [list as never] }, { undo: [made] }).press('u');
  expect(viewer.state.message).toMatch(/^ann has changed the list since/);
  expect(viewer.state.request).toBeUndefined();
});

test('without a change of your own there is nothing to undo', () => {
  const viewer = new TestViewer({ lists: [LIST] }).press('u');
  expect(viewer.state.request).toBeUndefined();
  expect(viewer.rows().at(-1)).toBe('You have made no change to undo here.');
});

test('a text that is longer than the row shows its end while it is typed', () => {
  const text = [...'a text that is much longer than what one row of this has room for'];
  const viewer = new TestViewer({ lists: [LIST] }, { columns: 30, rows: 6 }).press('n', ...text);
  const last = viewer.rows().at(-1) ?? '';
  expect(last).toMatch(/^> .*this has room for$/);
  expect(last.length).toBeLessThan(30);
});

test.each([
  [80, 'n a b', 'New item: ab', 12],
  [80, 'n a b left', 'New item: ab', 11],
  [80, 'n 字 b', 'New item: 字b', 13],
  [80, '/ a', '/a', 2],
  [30, 'n a b', '> ab', 4],
  [30, `n${' a'.repeat(40)}`, `> ${'a'.repeat(26)}`, 28],
])(
  'on %i columns, after %s, the last row is what was typed, with the cursor in it',
  (columns, keys, row, x) => {
    const viewer = new TestViewer({ lists: [LIST] }, { columns, rows: 9 }).press(
      ...keys.split(' '),
    );
    expect(viewer.rows().at(-1)).toBe(row);
    expect(viewer.cursor).toEqual({ x, y: 8 });
    viewer.press('escape');
    expect(viewer.cursor).toBeUndefined();
  },
);

/** The request of a person's keys on the board, as text. The selection begins at #2, which is in progress. */
function askedOfTasks(keys: string): string | undefined {
  const { request } = board().press(...keys.split(' ')).state;
  if (request?.what !== 'task') return undefined;
  const fields = Object.entries(request.json).map((field) => field.join('='));
  return [request.command, ...fields, ...(request.force ? ['--force'] : [])].join(' ');
}

test.each([
  ['n adds a task', 'n N e w return', 'TaskCreate subject=New'],
  ['e changes both texts', 'e s return', 'TaskUpdate taskId=2 subject=Prints activeForm=Prints'],
  ['x completes', 'x', 'TaskUpdate taskId=2 status=completed'],
  ['x reopens', 'right x', 'TaskUpdate taskId=1 status=pending'],
  ['p gives back what is in progress', 'p', 'TaskRelease taskIds=2'],
  ['p begins for the owner', 'left down p', 'TaskUpdate taskId=4 status=in_progress owner=ann'],
  ['p begins for the person', 'left p', 'TaskUpdate taskId=3 status=in_progress owner=user'],
  ['d deletes', 'd', 'TaskUpdate taskId=2 status=deleted'],
  ['o assigns, as a leader may', 'o c a t return', 'TaskUpdate taskId=2 owner=cat --force'],
  ['o with no name makes it nobody’s', 'o return', 'TaskRelease taskIds=2'],
  ['o with the same name changes nothing', 'o b o b return', undefined],
  ['Esc changes nothing', 'e x escape', undefined],
  ['u has nothing to undo before you changed anything', 'u', undefined],
])('%s', (_what, keys, expected) => {
  expect(askedOfTasks(keys)).toBe(expected);
});
