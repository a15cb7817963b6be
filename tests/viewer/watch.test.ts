import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { cleanEnvironment, executable, startProgram } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { listFolder, taskListFolder } from '../helpers/list-folders.ts';
import { todo } from '../todo/call.ts';
import { storeOf, teamOf } from './viewer-state.ts';

/** Not on a terminal. */
function watch(state: string, ...argv: string[]) {
  const env = cleanEnvironment({ TODO_STATE_DIR: state });
  return startProgram(executable('agent-shell'), ['watch', ...argv], { cwd: state, env });
}

/** Makes a damaged version the newest one of a list. */
function breakNewest(folder: string): void {
  writeFileSync(join(folder, '9-broken00.json'), '');
  writeFileSync(join(folder, 'head-9-broken00'), '');
}

test('--jsonl prints the current list and then every version, one JSON line each, until a signal', async () => {
  const state = temporaryDirectory();
  const store = storeOf(state, 'main');
  store.update([todo('long before')]);
  store.update([todo('before')]);
  const { lines, child, ended } = watch(state, '--session', 's', '--jsonl');
  await eventually('the list as it stands', () => lines().length === 1);
  for (const content of ['a', 'b', 'c']) store.update([todo(content)]);
  await eventually('all versions', () => lines().length === 4);
  const versions = lines().map((line) => JSON.parse(line));
  expect(versions.map(({ version }) => version)).toEqual([2, 3, 4, 5]);
  expect(versions[3]).toEqual({
    session: 's',
    agent: 'main',
    todos: [todo('c')],
    updatedAt: store.get().updatedAt.toISOString(),
    version: 5,
  });
  child.kill('SIGINT');
  expect((await ended).exitCode).toBe(130);
});

test('without the id of a harness the lists of all its sessions are watched, including later ones', async () => {
  const state = temporaryDirectory();
  storeOf(state, 'main@one').update([todo('a')]);
  storeOf(state, 'helper').update([todo('b')]);
  const { lines } = watch(state, '--session', 's');
  await eventually('the first', () => lines().length === 1);
  storeOf(state, 'main@two').update([todo('c')]);
  await eventually('the second', () => lines().length === 2);
  expect(lines().map((line) => line.split(':')[0])).toEqual(['main@one', 'main@two']);
});

test('without a terminal each change is a line of words; --all follows every agent of the session, later ones included', async () => {
  const state = temporaryDirectory();
  const store = storeOf(state, 'main');
  store.update([todo('a')]);
  const one = watch(state, '--session', 's');
  const all = watch(state, '--session', 's', '--all');
  await eventually('the list', () => one.lines().length === 1 && all.lines().length === 1);
  store.update([{ ...todo('a'), status: 'completed' }]);
  await eventually('the change', () => one.lines().length === 2 && all.lines().length === 2);
  expect(one.lines()).toEqual(['Tasks 0/1: added: a', 'Tasks 1/1: completed: a']);
  storeOf(state, 'main@11111111-aaaa-4bbb-8ccc-123456789abc').update([todo('b')]);
  await eventually('the list of another', () => all.lines().length === 3);
  expect(all.lines()).toEqual([
    ...one
      .lines()
      .slice(0, 2)
      .map((line) => `main: ${line}`),
    'Claude 1111: Tasks 0/1: added: b',
  ]);
});

test("--tasks prints each change of the team's tasks, a line each, and reports damage", async () => {
  const state = temporaryDirectory();
  const minutesAgo = teamOf(state);
  await minutesAgo(60, { subject: 'Parse' }, { subject: 'Print' });
  const words = watch(state, '--session', 's', '--tasks');
  const json = watch(state, '--list', 's', '--tasks', '--jsonl');
  await eventually('the tasks', () => words.lines().length === 1 && json.lines().length === 1);
  await minutesAgo(0, { taskId: 1, status: 'in_progress', owner: 'ann' });
  await eventually('the claim', () => words.lines().length === 2 && json.lines().length === 2);
  expect(words.lines()).toEqual([
    'Team tasks 0/2: added: #1 Parse; added: #2 Print',
    'Team tasks 0/2: in progress: #1 Parse (ann)',
  ]);
  // Only the task that has changed.
  expect(JSON.parse(json.lines()[1] ?? '')).toMatchObject({
    version: 3,
    changed: [{ id: 1, status: 'in_progress', owner: 'ann' }],
    deleted: [],
  });
  breakNewest(taskListFolder(state, 's'));
  await eventually('the trouble', () => words.said.stderr.includes('9-broken00.json is damaged'));
  await expect(minutesAgo(0, { taskId: 2, subject: 'Show' })).rejects.toThrow('stands in');
});

test('a list that cannot be read from the start: exit code 3, and stderr names the file', async () => {
  const state = temporaryDirectory();
  storeOf(state, 'main').update([todo('a')]);
  const folder = listFolder(state, { session: 's', agent: 'main' });
  const file = readdirSync(folder).find((name) => name.endsWith('.json')) ?? '';
  writeFileSync(join(folder, file), '');
  expect(await watch(state, '--session', 's', '--jsonl').ended).toMatchObject({
    exitCode: 3,
    stderr: expect.stringMatching(new RegExp(`^agent-shell: .*${file} is damaged`)),
  });
});

test('with --all, a list that cannot be read is told once and ends the watch of no other', async () => {
  const state = temporaryDirectory();
  const store = storeOf(state, 'main');
  store.update([todo('a')]);
  storeOf(state, 'bob').update([todo('b')]);
  const folder = listFolder(state, { session: 's', agent: 'bob' });
  for (const file of readdirSync(folder)) writeFileSync(join(folder, file), '');
  const { lines, said } = watch(state, '--session', 's', '--all');
  await eventually('the trouble', () => said.stderr.includes('is damaged'));
  store.update([todo('a'), todo('c')]);
  await eventually('a change', () => lines().length === 2);
  store.update([todo('c')]);
  await eventually('another', () => lines().length === 3);
  expect(said.stderr.match(/is damaged/g)).toHaveLength(1);
});

test('a file in place of a folder of lists is an error, as for those who write there', async () => {
  const cwd = temporaryDirectory();
  for (const name of ['file', 'tasks~', 'session']) writeFileSync(join(cwd, name), '');
  const stderr = expect.stringMatching(/^agent-shell: cannot read .*: ENOTDIR/);
  const calls = [
    ['file', 'watch', '--jsonl'],
    ['file', 'sessions'],
    ['', 'watch', '--jsonl', '--session', 'session'],
    ['', 'sessions'],
  ];
  for (const [folder = '', ...argv] of calls) {
    const env = cleanEnvironment({ TODO_STATE_DIR: join(cwd, folder) });
    const { ended } = startProgram(executable('agent-shell'), argv, { cwd, env });
    expect(await ended).toMatchObject({ exitCode: 3, stderr });
  }
});

test('a list whose newest version is damaged is reported, shown as it was, and followed on', async () => {
  const state = temporaryDirectory();
  const store = storeOf(state, 'main');
  store.update([todo('a')]);
  const { lines, said } = watch(state, '--session', 's', '--jsonl');
  await eventually('the list', () => lines().length === 1);
  breakNewest(listFolder(state, { session: 's', agent: 'main' }));
  await eventually('the trouble', () => said.stderr.includes('9-broken00.json is damaged'));
  store.update([todo('b')]);
  await eventually('the mended list', () => lines().length === 3);
  const [, damaged, mended] = lines().map((line) => JSON.parse(line));
  expect(damaged).toMatchObject({ version: 9, todos: [todo('a')] });
  expect(mended).toMatchObject({ version: 10, todos: [todo('b')] });
});
