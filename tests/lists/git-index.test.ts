import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isTracked } from '../../src/lists/git-index.ts';
import { temporaryDirectory } from '../helpers/files.ts';

test.each([
  ['of each version', ['--index-version', '2'], []],
  ['with shortened paths', ['--index-version', '4'], []],
  ['that is split', ['--split-index'], []],
  ['with SHA-256', [], ['--object-format=sha256']],
])('an index %s is read as git reads it', async (_, update, init) => {
  const root = temporaryDirectory();
  const git = (...argv: string[]) => execFileSync('git', argv, { cwd: root });
  git('init', '-q', ...init);
  const names = ['.todo', '.todowrite', '.todp', 'a', `z${'é'.repeat(100)}`, 'x'.repeat(250)];
  for (const name of names) {
    mkdirSync(join(root, name, 's', 'main'), { recursive: true });
    writeFileSync(join(root, name, 's', 'main', 'head-0'), '');
    writeFileSync(join(root, name, 'file'), '');
  }
  git('add', '.todowrite/s', '.todo/file', 'x'.repeat(250), `z${'é'.repeat(100)}`);
  git('update-index', ...update);
  git('add', '-N', 'a/s');
  expect(names.filter((name) => isTracked(join(root, name)))).toEqual([
    '.todowrite',
    'a',
    ...names.slice(4),
  ]);
  // Where case is ignored, this is the same folder.
  mkdirSync(join(root, '.TODOWRITE'));
  expect(isTracked(join(root, '.TODOWRITE'))).toBe(true);
  const added = join(root, 'added');
  git('-c', 'user.name=a', '-c', 'user.email=a', 'commit', '-qm', 'a');
  git('worktree', 'add', '-q', '--detach', added);
  expect(isTracked(join(added, '.todowrite'))).toBe(true);
  execFileSync('git', ['rm', '-rq', '--cached', '.todowrite'], { cwd: added });
  expect(isTracked(join(added, '.todowrite'))).toBe(false);
});

test('git tracks a session that is a submodule, whose files are not in this index', () => {
  const root = temporaryDirectory();
  const git = (...argv: string[]) => execFileSync('git', argv, { cwd: root });
  git('init', '-q');
  mkdirSync(join(root, '.todo', 's', 'main'), { recursive: true });
  git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},.todo/s`);
  expect(isTracked(join(root, '.todo'))).toBe(true);
});

test('git tracks files of a folder that was deleted: a list there would be lost at the next call', () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, '.todo', 's', 'main'), { recursive: true });
  writeFileSync(join(root, '.todo', 's', 'main', 'head-0'), '');
  for (const argv of [
    ['init', '-q'],
    ['add', '.todo'],
  ])
    execFileSync('git', argv, { cwd: root });
  rmSync(join(root, '.todo'), { recursive: true });
  expect(['.todo', '.todp'].map((name) => isTracked(join(root, name)))).toEqual([true, false]);
});

test('a broken .git is an error before the folder exists, too', () => {
  const root = temporaryDirectory();
  writeFileSync(join(root, '.git'), 'broken');
  expect(() => isTracked(join(root, '.todo'))).toThrow(/\.git names no folder; set TODO_STATE_DIR/);
});
