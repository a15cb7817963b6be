import { describe, expect, onTestFinished, test } from 'vitest';
import { openTodoStore } from '../../src/todo/todo-store.ts';
import { press } from '../../src/watch/keys.ts';
import { afterChange } from '../../src/watch/writes.ts';
import { executable } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { hasTmux, TmuxTerminal } from '../helpers/tmux.ts';
import { todos } from '../panel/todos.ts';
import { listOf, TestViewer } from './viewer-state.ts';

const LIST = listOf('main', [60, 'x a', '> b', '- c']);

/** The items that a person's keys request, as lines. */
function asked(...keys: string[]): string[] | undefined {
  const { request } = new TestViewer({ lists: [LIST] }).press(...keys).state;
  if (request?.what !== 'write') return undefined;
  const mark = { completed: 'x', in_progress: '>', pending: '-' };
  return request.items.map(({ status, content }) => `${mark[status]} ${content}`);
}

test.each([
  [
    'n adds an item below the one that is chosen',
    ['n', 'N', 'e', 'w', 'return'],
    ['x a', '> b', '- New', '- c'],
  ],
  ['e changes a text', ['e', 'backspace', 'B', '2', 'return'], ['x a', '> B2', '- c']],
  [
    'p begins an item in place of the one in progress, after asking',
    ['down', 'p', 'y'],
    ['x a', '- b', '> c'],
  ],
  ['p puts back what is in progress', ['p'], ['x a', '- b', '- c']],
  ['x completes', ['x'], ['x a', 'x b', '- c']],
  ['x puts back what is completed', ['up', 'x'], ['- a', '> b', '- c']],
  ['d drops', ['d'], ['x a', '- c']],
  ['K moves an item up', ['K'], ['> b', 'x a', '- c']],
  ['J moves it down', ['J'], ['x a', '- c', '> b']],
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

test.each([
  [40, 15],
  [80, 24],
])('a question is whole on %i columns', (columns, rows) => {
  const [one, other] = [
    'a long text of some 36 characters, one',
    'and another one as long as that was',
  ];
  const list = listOf('main', [60, `> ${one}`, `- ${other}`]);
  const viewer = new TestViewer({ lists: [list] }, { columns, rows }).press('down', 'p');
  const screen = viewer.rows();
  expect(screen.slice(screen.findIndex((row) => row.startsWith('"'))).join(' ')).toBe(
    `"${one}" is in progress. Put it back and begin "${other}"?  y / n`,
  );
});

test('the restored item is selected', () => {
  const viewer = new TestViewer({ lists: [LIST] }).press('down', 'd');
  const { request } = viewer.state;
  if (request?.what !== 'write') throw new Error('nothing is asked for');
  viewer.learn({ lists: [listOf('main', [60, 'x a', '> b', '- c'], [0, 'x a', '> b'])] });
  viewer.state = afterChange(viewer.state, request, { version: 2 });
  expect(viewer.press('u').state.request).toMatchObject({ undo: 'pop', items: request.before });
  viewer.learn({ lists: [LIST] });
  expect(viewer.body().at(-1)).toBe('▸○ c');
});

test('a filter keeps the selection where it passes', () => {
  const viewer = new TestViewer({ lists: [LIST] }).press('down', '/', 'c', 'escape');
  expect(viewer.body().at(-1)).toBe('▸○ c');
});

test('keys of the page are text while you type; Esc, or no text, changes nothing', () => {
  const viewer = new TestViewer({ lists: [LIST] }).press('n', 'q', 'x', 'left', 'u', 'end', '?');
  expect(viewer.rows().at(-1)).toBe('New item: qux?');
  expect(asked('n', 'N', 'escape')).toBeUndefined();
  expect(asked('n', ' ', 'return')).toBeUndefined();
});

test.each([
  { name: 'x', sequence: '\x18', ctrl: true },
  { name: 'x', sequence: '\x1bx', meta: true },
])('a key that is held with another does nothing: %j', (key) => {
  const { state } = new TestViewer({ lists: [LIST] });
  expect(press(state, key)).toEqual(state);
});

test('only the page of the list changes anything', () => {
  for (const page of ['h', 'a', 'b', 's', '?']) expect(asked(page, 'x')).toBeUndefined();
  expect(asked('h', 'return', 'd')).toBeUndefined();
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

test('the first item can be added before there is a list', () => {
  const viewer = new TestViewer({}).press('n', 'A', 'return');
  expect(viewer.state.request).toMatchObject({
    agent: 'main',
    version: 0,
    items: [{ content: 'A' }],
  });
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

describe.skipIf(!hasTmux)('in the viewer', () => {
  /** A viewer of a list, and the list as its agent has it. */
  async function start(...lines: string[]) {
    const state = temporaryDirectory();
    const store = openTodoStore({ folder: `${state}/s/main`, author: 'main' });
    store.update(todos(...lines));
    const program = `${process.execPath} ${executable('agent-shell')}`;
    const terminal = new TmuxTerminal(`TODO_STATE_DIR=${state} ${program} watch --session s`);
    onTestFinished(() => terminal.close());
    await terminal.until('the list', (screen) => screen.startsWith('main · s'));
    return { store, terminal };
  }

  test('a change is written by the author user, shows at once, and can be taken back', async () => {
    const { store, terminal } = await start('x a', '> b', '- c');
    terminal.type('nWrite it down');
    await terminal.until('the text', (screen) => screen.endsWith('New item: Write it down'));
    terminal.press('Enter');
    const screen = await terminal.until('the item', (text) => text.includes('○ Write it down'));
    expect(screen).toMatch(/● Doing b\.\.\..*\n▸○ Write it down\n.*○ c/);
    await terminal.until('what was done', (text) => text.endsWith('Added "Write it down"'));
    expect(store.get()).toMatchObject({ version: 2, by: 'user' });
    terminal.type('x');
    await terminal.until('the next change', (text) => text.includes('✓ Write it down'));
    terminal.type('u');
    await terminal.until('one less', (text) =>
      /○ Write it down[\s\S]*Undone: completed "Write it down"$/.test(text),
    );
    terminal.type('d');
    await terminal.until('it is gone', (text) => text.endsWith('u undoes that'));
    terminal.type('u');
    await terminal.until('it is back', (text) => text.endsWith('Restored "Write it down"'));
    terminal.type('u');
    await terminal.until('none', (text) => text.endsWith('Undone: added "Write it down"'));
    expect(store.get().items).toEqual(todos('x a', '> b', '- c'));
  });

  test('a change of a list that has moved on is refused with a message; the typed text stays', async () => {
    const { store, terminal } = await start('> a');
    terminal.type('nMine');
    await terminal.until('the text', (screen) => screen.endsWith('New item: Mine'));
    store.update(todos('x a', '> b'));
    await terminal.until('the new list', (screen) => screen.includes('Doing b'));
    terminal.press('Enter');
    await terminal.until('the refusal', (screen) =>
      screen.endsWith(
        'main changed the list meanwhile; your text is kept; Enter writes it\nNew item: Mine',
      ),
    );
    expect(store.get().version).toBe(2);
    terminal.press('Enter');
    await terminal.until('the item', (screen) => screen.includes('○ Mine'));
    expect(store.get().items.map(({ content }) => content)).toContain('Mine');
  });

  test('keys that come faster than a change is written are for the list as it is then', async () => {
    const letters = [...'abcdefghij'];
    const { store, terminal } = await start(...letters.map((letter) => `- ${letter}`));
    terminal.type('JJJJJJJJJxkx');
    const screen = await terminal.until('both changes', (text) => /✓ j.*\n.*✓ a/.test(text));
    expect(screen).not.toContain('nothing was changed');
    expect(store.get()).toMatchObject({ version: 12, by: 'user' });
    terminal.type('h');
    await terminal.until('the history', (text) => /▸ +12 .*\n +11 .*\n +10 /.test(text));
    terminal.press('End');
    await terminal.until('its beginning', (text) =>
      /user: order changed\n▸ +1 .*main: 10 added/.test(text),
    );
  });

  test('pasted text is one text, and ignored if no text is being typed; edits obey the schema', async () => {
    const { store, terminal } = await start('- Build', '- Ship');
    terminal.paste('d\nd\nq\n');
    terminal.type('n');
    await terminal.until('the question', (screen) => screen.includes('New item:'));
    terminal.paste('first line\nsecond\tline');
    await terminal.until('the text', (screen) => screen.includes('first line second line'));
    terminal.press('Enter');
    await terminal.until('the item', (screen) => screen.includes('○ first line second line'));
    expect(store.get().items.map(({ content }) => content)).toEqual([
      'Build',
      'first line second line',
      'Ship',
    ]);
    terminal.type(`n${'x'.repeat(201)}`);
    terminal.press('Enter');
    await terminal.until('the refusal', (screen) =>
      screen.includes('Not saved: Must be at most 200 characters, received 201; your text is kept'),
    );
    expect(store.get().version).toBe(2);
  });
});
