import { chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sessionOf, stateFolder } from '../../src/lists/list-paths.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { isRoot } from '../helpers/machine.ts';

const here = { directory: '/work/app', home: () => '/home/ann' };

test.each([
  ['/lists', { XDG_STATE_HOME: '/xdg' }, '/lists'],
  ['lists', {}, '/work/app/lists'],
  [undefined, { XDG_STATE_HOME: '/xdg', HOME: '/home/bob' }, '/xdg/todowrite'],
  [undefined, { XDG_STATE_HOME: 'xdg', HOME: '/home/bob' }, '/home/bob/.local/state/todowrite'],
  ['', { XDG_STATE_HOME: '', HOME: '/home/bob' }, '/home/bob/.local/state/todowrite'],
  [undefined, {}, '/home/ann/.local/state/todowrite'],
  [undefined, { HOME: '' }, '/home/ann/.local/state/todowrite'],
  [undefined, { HOME: 'bob' }, '/home/ann/.local/state/todowrite'],
])('TODO_STATE_DIR %j in %j: %s', (setting, environment, folder) => {
  expect(stateFolder(setting, environment, here)).toBe(folder);
});

test('the session is the enclosing git work tree, else the folder itself', () => {
  const root = temporaryDirectory();
  const tree = join(root, 'tree');
  const linked = join(root, 'tree', 'vendor', 'linked');
  mkdirSync(join(tree, '.git'), { recursive: true });
  mkdirSync(join(tree, 'src', 'deep'), { recursive: true });
  mkdirSync(join(linked, 'src'), { recursive: true });
  writeFileSync(join(linked, '.git'), 'gitdir: elsewhere\n');
  expect(sessionOf(tree)).toBe(tree);
  expect(sessionOf(join(tree, 'src', 'deep'))).toBe(tree);
  expect(sessionOf(join(linked, 'src'))).toBe(linked);
  expect(sessionOf(root)).toBe(root);
  expect(sessionOf('/')).toBe('/');
});

test('a relative TODO_STATE_DIR is the same folder from everywhere in a work tree', () => {
  const tree = temporaryDirectory();
  mkdirSync(join(tree, '.git'));
  mkdirSync(join(tree, 'src', 'deep'), { recursive: true });
  for (const directory of [tree, join(tree, 'src'), join(tree, 'src', 'deep')]) {
    expect(stateFolder('.lists', {}, { ...here, directory })).toBe(join(tree, '.lists'));
  }
});

test.runIf(isRoot())('a .git of another user, or in a folder of another, names no session', () => {
  const NOBODY = 65534;
  const shared = temporaryDirectory();
  const project = join(shared, 'project');
  mkdirSync(project);
  mkdirSync(join(shared, '.git'));
  expect(sessionOf(project)).toBe(shared);
  chownSync(join(shared, '.git'), NOBODY, NOBODY);
  expect(sessionOf(project)).toBe(project);
  chownSync(shared, NOBODY, NOBODY);
  chownSync(join(shared, '.git'), 0, 0);
  expect(sessionOf(project)).toBe(project);
  mkdirSync(join(project, 'elsewhere'));
  symlinkSync(join(project, 'elsewhere'), join(project, '.git'));
  expect(sessionOf(join(project, 'elsewhere'))).toBe(project);
  lchownSync(join(project, '.git'), NOBODY, NOBODY);
  expect(sessionOf(join(project, 'elsewhere'))).toBe(join(project, 'elsewhere'));
});
