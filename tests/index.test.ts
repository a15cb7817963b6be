import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as todowrite from '../src/index.ts';

const ROOT = join(import.meta.dirname, '..');
const index = readFileSync(join(ROOT, 'src/index.ts'), 'utf8');

test('the exported names', () => {
  const names =
    'BashRouter BashSession CommandType DEFAULT_SETTINGS TaskPanel TodoProveHandler TodoReadHandler TodoStore TodoWriteHandler createTheme ' +
    'readSettings renderTodos themeFor todoListSchema todoStore validateTodoList';
  expect(Object.keys(todowrite)).toEqual(expect.arrayContaining(names.split(' ')));
  expect(exported.map(({ name }) => name)).toEqual(expect.arrayContaining(names.split(' ')));
});

const listOf =
  (list: typeof todowrite.allowList) =>
  ({ prefixes, next }: Record<string, never> = {}) =>
    list(prefixes as never, next as never);

test.each<[string, (options: never) => unknown]>([
  ['BashSession needs { env, cwd }', (options) => new todowrite.BashSession(options)],
  ['FilePlace needs { folder }', (options) => new todowrite.FilePlace(options)],
  ['FilePlace needs { folder }', todowrite.openTodoStore],
  ['TaskPanel needs { store, stream, env }', (options) => new todowrite.TaskPanel(options)],
  ['openTaskStore needs { environment, directory }', todowrite.openTaskStore],
  ['taskContext needs { environment, directory }', todowrite.taskContext],
  ['taskCommands needs { open }', todowrite.taskCommands],
  ['allowList needs { prefixes, next }', listOf(todowrite.allowList)],
  ['denyList needs { prefixes, next }', listOf(todowrite.denyList)],
])('without its options, as JavaScript may call it, %s', (message, call) => {
  const missing = / \{ (.*) \}/.exec(message)?.[1];
  for (const options of [undefined, {}])
    expect(() => call(options as never)).toThrow(new TypeError(`${message}; missing: ${missing}`));
  expect(() => todowrite.openTaskStore({ environment: {} } as never)).toThrow(
    /missing: directory$/,
  );
});

test('a guide needs no options', () => {
  expect(new todowrite.Guide().commandEnded(0)).toEqual([]);
});

test('the index holds no logic, only named exports', () => {
  expect(index.replace(/export (?:type )?\{[^}]*\} from '[^']+';\s*/g, '')).toBe('');
});

const exported = [...index.matchAll(/\{([^}]*)\} from '([^']+)'/g)].flatMap(
  ([, names = '', file = '']) =>
    names
      .split(',')
      .map((name) => ({ name: name.replace(/\btype\b/, '').trim(), file }))
      .filter(({ name }) => name !== ''),
);

test.each(exported)('$name says what it means', ({ name, file }) => {
  const source = readFileSync(join(ROOT, 'src', file), 'utf8');
  const declaration = new RegExp(
    `\\*/\\nexport (?:abstract )?(?:class|interface|type|enum|const|function) ${name}\\b`,
  );
  expect(source).toMatch(declaration);
});
