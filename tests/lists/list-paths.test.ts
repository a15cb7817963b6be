import { chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stateFolder, workTreeOf } from '../../src/lists/list-paths.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { isRoot } from '../helpers/machine.ts';

const { homedir } = userInfo();

test.each([
  ['/lists', { XDG_STATE_HOME: '/xdg' }, '/lists'],
  ['lists', {}, '/work/app/lists'],
  [undefined, { XDG_STATE_HOME: '/xdg', HOME: '/home/bob' }, '/xdg/todowrite'],
  [undefined, { XDG_STATE_HOME: 'xdg', HOME: '/home/bob' }, '/home/bob/.local/state/todowrite'],
  ['', { XDG_STATE_HOME: '', HOME: '/home/bob' }, '/home/bob/.local/state/todowrite'],
  [undefined, {}, `${homedir}/.local/state/todowrite`],
  [undefined, { HOME: '' }, `${homedir}/.local/state/todowrite`],
  [undefined, { HOME: 'bob' }, `${homedir}/.local/state/todowrite`],
])('TODO_STATE_DIR %j in %j: %s', (setting, environment, folder) => {
  expect(stateFolder(setting, environment, '/work/app')).toBe(folder);
});

test('a work tree is found from its folders', () => {
  const root = temporaryDirectory();
  const tree = join(root, 'tree');
  const linked = join(root, 'tree', 'vendor', 'linked');
  mkdirSync(join(tree, '.git'), { recursive: true });
  mkdirSync(join(tree, 'src', 'deep'), { recursive: true });
  mkdirSync(join(linked, 'src'), { recursive: true });
  writeFileSync(join(linked, '.git'), 'gitdir: elsewhere\n');
  expect(workTreeOf(tree)).toBe(tree);
  expect(workTreeOf(join(tree, 'src', 'deep'))).toBe(tree);
  expect(workTreeOf(join(linked, 'src'))).toBe(linked);
  expect(workTreeOf(root)).toBe(undefined);
  expect(workTreeOf('/')).toBe(undefined);
});

test.runIf(isRoot())('a .git of another user, or in a folder of another, names no session', () => {
  const NOBODY = 65534;
  const shared = temporaryDirectory();
  const project = join(shared, 'project');
  mkdirSync(project);
  mkdirSync(join(shared, '.git'));
  expect(workTreeOf(project)).toBe(shared);
  chownSync(join(shared, '.git'), NOBODY, NOBODY);
  expect(workTreeOf(project)).toBe(undefined);
  chownSync(shared, NOBODY, NOBODY);
  chownSync(join(shared, '.git'), 0, 0);
  expect(workTreeOf(project)).toBe(undefined);
  mkdirSync(join(project, 'elsewhere'));
  symlinkSync(join(project, 'elsewhere'), join(project, '.git'));
  expect(workTreeOf(join(project, 'elsewhere'))).toBe(project);
  lchownSync(join(project, '.git'), NOBODY, NOBODY);
  expect(workTreeOf(join(project, 'elsewhere'))).toBe(undefined);
});
