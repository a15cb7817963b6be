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
