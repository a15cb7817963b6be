import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { callCommand } from '../helpers/commands.ts';
import { temporaryDirectory } from '../helpers/files.ts';

const PLAN = JSON.stringify([
  { content: 'Read', activeForm: 'Reading', status: 'completed' },
  { content: 'Fix it', activeForm: 'Fixing it', status: 'in_progress' },
  { content: 'Ship it', activeForm: 'Shipping it', status: 'pending' },
]);

/** A work tree with sessions of Claude Code. */
function workTree() {
  const root = temporaryDirectory();
  const cwd = join(root, 'app');
  mkdirSync(join(cwd, '.git'), { recursive: true });
  const run = (session: string, name: string, ...argv: string[]) => {
    const env = { TODO_STATE_DIR: join(root, 'state'), CLAUDE_CODE_SESSION_ID: session };
    return callCommand({ ...env, TODO_GUIDANCE: 'off' }, name, argv, { cwd });
  };
  return { cwd, run };
}

const LEFT =
  /^Note: another session here left 2 open items \d+s ago; to see them: TodoRead --agent main@old; if you continue its work: TodoWrite --adopt\n$/;

test('a session without a list hears what another one left, where its commands find nothing', async () => {
  const { run } = workTree();
  await run('old', 'TodoWrite', PLAN);
  const read = await run('new', 'TodoRead');
  expect(read).toMatchObject({ stdout: 'No todos.\n', exitCode: 0 });
  expect(read.stderr).toMatch(LEFT);
  for (const call of ['TodoWrite --done 1', 'TodoProve 1']) {
    const [name = '', ...argv] = call.split(' ');
    const { stderr } = await run('new', name, ...argv);
    expect(stderr).toContain('the list has 0 items, see TodoRead\n');
    expect(stderr.slice(stderr.indexOf('Note'))).toMatch(LEFT);
  }
  expect((await run('new', 'TodoRead', '--agent', 'main@old')).stdout).toContain('[>] Fix it');
  expect((await run('new', 'TodoRead', '--line')).stderr).toBe('');
  // It is silent once the session has a list.
  await run('new', 'TodoWrite', '[]');
  expect((await run('new', 'TodoRead')).stderr).toBe('');
});

test('--adopt takes over the list, and the other session keeps its own', async () => {
  const { run } = workTree();
  await run('old', 'TodoWrite', PLAN);
  expect(await run('new', 'TodoWrite', '--adopt')).toEqual({
    stdout:
      'Todo list updated: 1 completed, 1 in_progress, 1 pending\nNow 2: Fix it\nNext 3: Ship it\n',
    stderr: 'Note: this was the list of main@old, which keeps its own\n',
    exitCode: 0,
  });
  expect((await run('new', 'TodoRead')).stdout).toBe((await run('old', 'TodoRead')).stdout);
  expect((await run('new', 'TodoWrite', '--adopt')).stderr).toContain('your list has open items');
  // What was taken over and finished is not left behind.
  expect((await run('third', 'TodoRead')).stderr).toContain('main@new');
  await run('new', 'TodoWrite', '--done', '2', '--done', '3');
  expect((await run('third', 'TodoRead')).stderr).toBe('');
  expect(await run('third', 'TodoWrite', '--adopt')).toMatchObject({ stdout: '', exitCode: 1 });
});

test('an older open list is found behind a newer one that is finished', async () => {
  const { run } = workTree();
  await run('old', 'TodoWrite', PLAN);
  await run(
    'b',
    'TodoWrite',
    PLAN.replaceAll(/in_progress|pending/g, 'completed').replaceAll('it', 'that'),
  );
  expect((await run('new', 'TodoRead')).stderr).toMatch(LEFT);
});

test.each([
  ['[]', '--adopt takes no'],
  ['--done 1', '--adopt cannot be combined'],
  ['--undo', '--undo cannot be combined'],
  ['--if-version 1', '--adopt takes no'],
])('--adopt with %s is wrong usage', async (more, problem) => {
  const { run } = workTree();
  const { exitCode, stderr } = await run('new', 'TodoWrite', '--adopt', ...more.split(' '));
  expect(stderr).toMatch(new RegExp(`^Error: ${problem}`));
  expect(exitCode).toBe(2);
});

test('a single open item is left behind, too', async () => {
  const { run } = workTree();
  await run('old', 'TodoWrite', PLAN);
  await run('old', 'TodoWrite', '--done', '2');
  expect((await run('new', 'TodoRead')).stderr).toContain('another session here left 1 open item ');
});

test('a session with a name, and a caller without a harness, hear nothing', async () => {
  const { run } = workTree();
  await run('old', 'TodoWrite', PLAN);
  expect((await run('new', 'TodoRead', '--session', 'release')).stderr).toBe('');
  expect((await run('', 'TodoRead')).stderr).toBe('');
});

test('the writer knows the list that it finished and emptied, though a listener writes the next one at once', () => {
  const store = new TodoStore();
  const done = { content: 'A', activeForm: 'Doing A', status: 'completed' } as const;
  const stop = store.onChange(({ items }) => {
    if (items.length > 0) return;
    stop();
    store.update([{ ...done, content: 'B' }]);
  });
  expect(store.update([done], { emptied: true })).toMatchObject({ items: [], asWritten: [done] });
  expect(store.get().asWritten).toBeUndefined();
});
