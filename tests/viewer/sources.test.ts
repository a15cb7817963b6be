import { existsSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { FoundSession, WriteRequest } from '../../src/viewer/model.ts';
import { Sources, shortPath } from '../../src/viewer/sources.ts';
import { WatchedLists } from '../../src/viewer/watched-lists.ts';
import { eventually } from '../helpers/eventually.ts';
import { cleanEnvironment } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { listFolder, taskListFolder } from '../helpers/list-folders.ts';
import { todos } from '../screen/panel/todos.ts';
import { linesOf, storeOf, teamOf } from './viewer-state.ts';

/** All that is known in this folder of lists. */
function sourcesOf(state = temporaryDirectory(), own: Record<string, string> = {}) {
  for (const [name, value] of Object.entries({ ...own, TODO_STATE_DIR: state }))
    vi.stubEnv(name, value);
  const watched = new WatchedLists(cleanEnvironment({ TODO_STATE_DIR: state, ...own }));
  const sources = new Sources(watched, () => {});
  onTestFinished(async () => {
    sources.end();
    await watched.close();
    vi.unstubAllEnvs();
  });
  return { state, watched, sources };
}

const ADDED = { what: 'write', agent: 'main', at: -1, told: '', undo: 'push' } as const;
const added = (more: Partial<WriteRequest> = {}): WriteRequest => ({
  ...{ ...ADDED, version: 0, before: [], items: todos('- a') },
  ...more,
});

test('the first item that a person adds begins the list of the session that is shown', async () => {
  const { state, sources } = sourcesOf();
  sources.follow('s');
  expect(await sources.write(added())).toMatchObject({ version: 1 });
  expect(sources.known.lists).toMatchObject([{ agent: 'main', versions: [{ by: 'user' }] }]);
  expect(linesOf(storeOf(state, 'main').get().items)).toEqual(['- a']);
});

test('the team is known by the name of its list, if that is not the session’s', () => {
  const { sources } = sourcesOf(undefined, { TODO_TEAM: 'release' });
  sources.followOwn('s', undefined);
  expect(sources.known.team).toBe('release');
  sources.followOwn('s', 'docs');
  expect(sources.known.team).toBe('docs');
  sources.follow('other');
  expect(sources.known.team).toBe('other');
});

test('a change that was refused since the list is another now shows that one', async () => {
  const { state, sources } = sourcesOf();
  const store = storeOf(state, 'main');
  store.update(todos('- a'));
  sources.follow('s');
  await eventually('it is known', () => sources.known.lists.length === 1);
  store.update(todos('- b'));
  const refused = await sources.write(added({ version: 1, items: todos('- c') }));
  expect(refused).toMatchObject({ isOlder: true });
  expect(linesOf(sources.known.lists[0]?.versions[0].items ?? [])).toEqual(['- b']);
});

test("beside a session's lists its team's tasks are followed, or those of the team that was named", async () => {
  const { state, sources } = sourcesOf();
  await teamOf(state)(0, { subject: 'Ship' });
  const subjects = () =>
    [...(sources.known.tasks[0]?.graph.tasks.values() ?? [])].map(({ subject }) => subject);
  sources.follow('s');
  await eventually('the tasks', () => subjects().join() === 'Ship');
  sources.follow('s', undefined, 'another');
  const task = { what: 'task', command: 'TaskCreate', json: { subject: 'Test' } } as const;
  await sources.changeTask({ ...task, told: '', undo: 'push' });
  expect(subjects()).toEqual(['Test']);
  expect(existsSync(taskListFolder(state, 'another'))).toBe(true);
});

test('the team that is set is followed also where no session is named', async () => {
  const { sources } = sourcesOf(undefined, { TODO_TEAM: 'crew' });
  sources.followOwn(undefined, undefined);
  const task = { what: 'task', command: 'TaskCreate', json: { subject: 'Test' } } as const;
  expect(await sources.changeTask({ ...task, told: '', undo: 'push' })).toMatchObject({
    created: 1,
  });
  sources.follow(undefined);
  expect(await sources.changeTask({ ...task, told: '', undo: 'push' })).toMatchObject({
    refused: 'No team is named here',
  });
});

test('two searches at once are one', async () => {
  const { watched, sources } = sourcesOf();
  const searches = vi.spyOn(watched, 'find');
  await Promise.all([sources.find(), sources.find()]);
  expect(searches).toHaveBeenCalledTimes(1);
  await sources.find();
  expect(searches).toHaveBeenCalledTimes(2);
});

test('a removed session is gone also if a search that saw it ends later', async () => {
  const { state, watched, sources } = sourcesOf();
  storeOf(state, 'main').update(todos('- a'));
  await sources.find();
  const seen = await watched.find(9);
  let end = (_found: typeof seen) => {};
  const search = new Promise<typeof seen>((resolve) => {
    end = resolve;
  });
  vi.spyOn(watched, 'find').mockReturnValueOnce(search);
  void sources.find();
  const [session] = seen as [FoundSession];
  const newest = { ...session.lists[0].newest, updatedAt: new Date(0) };
  const removal = sources.remove({ ...session, lists: [{ ...session.lists[0], newest }] });
  await eventually('it is removed', async () => (await watched.find(9)).length === 0);
  end(seen);
  await removal;
  expect(sources.known.found).toEqual([]);
});

test('a search that fails says why, until one succeeds', async () => {
  const { state, sources } = sourcesOf(`${temporaryDirectory()}/state`);
  writeFileSync(state, '');
  await sources.find();
  expect(sources.known.problem).toContain('ENOTDIR');
  const there = sourcesOf();
  const failing = vi.spyOn(there.watched, 'find').mockRejectedValueOnce(new Error('a fault'));
  await expect(there.sources.find()).rejects.toThrow('a fault');
  failing.mockRestore();
  await there.sources.find();
  expect(there.sources.known.problem).toBeUndefined();
});

test('the lists of a session are removed, but for those in use, and what is left is shown at once', async () => {
  const { state, sources } = sourcesOf();
  for (const agent of ['main', 'bob']) storeOf(state, agent).update(todos('- a'));
  await sources.find();
  const [session] = sources.known.found as [FoundSession];
  expect(await sources.remove(session)).toBe('In use, left alone: bob, main in s');
  const old = session.lists.map((list) => ({
    ...list,
    newest: { ...list.newest, updatedAt: new Date(0) },
  })) as unknown as FoundSession['lists'];
  expect(await sources.remove({ ...session, lists: [session.lists[0], old[1] ?? old[0]] })).toBe(
    'In use, left alone: bob in s; removed 1 list',
  );
  const gone = { ...old[0], key: 'todos/s/gone' };
  expect(await sources.remove({ ...session, lists: [gone, old[0]] })).toMatch(
    /^Not removed: cannot remove .*; removed 1 list$/,
  );
  storeOf(state, 'main').update(todos('- a'));
  const main = old.slice(1) as unknown as typeof old;
  expect(await sources.remove({ ...session, lists: main })).toBe('Removed the lists of s');
  expect(sources.known.found).toEqual([]);
  expect(await sources.remove({ ...session, lists: main })).toMatch(
    /^Not removed: cannot remove [^;]*$/,
  );
});

test('a damaged list is the problem that people see', async () => {
  const { state, sources } = sourcesOf();
  const store = storeOf(state, 'main');
  store.update(todos('- a'));
  const folder = listFolder(state, { session: 's', agent: 'main' });
  writeFileSync(`${folder}/head-9-broken00`, '');
  sources.follow('s');
  const problem = await eventually('the problem', () => sources.known.problem);
  expect(problem).toContain('9-broken00');
});

test.each([
  ['/home/ann', '/home/ann/app', '~/app'],
  ['/home/ann', '/home/ann', '~'],
  ['/home/ann', '/home/anna/app', '/home/anna/app'],
  ['/', '/srv/app', '/srv/app'],
])('of HOME=%s the path %s is shown as %s', (home, path, shown) => {
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(shortPath(path)).toBe(shown);
});
