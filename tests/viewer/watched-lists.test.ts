import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FilePlace } from '../../src/lists/file-place.ts';
import { ServerStorage } from '../../src/servers/server-storage.ts';
import { TodoList, TodoStore, todoPlace } from '../../src/todo/todo-store.ts';
import { WatchedLists } from '../../src/viewer/watched-lists.ts';
import { cleanEnvironment } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { listFolder } from '../helpers/list-folders.ts';
import { describeOn, useServers } from '../helpers/servers.ts';
import { todos } from '../screen/panel/todos.ts';
import { teamOf } from './viewer-state.ts';

/** Lists that were changed so many minutes ago, by session and agent. */
function listsIn(...lists: [minutes: number, session: string, agent: string][]) {
  const state = temporaryDirectory();
  for (const [minutes, session, agent] of lists) {
    const at = new Date(Date.now() - 60_000 * minutes);
    const folder = listFolder(state, { session, agent });
    new TodoStore(() => at, new FilePlace({ folder, author: agent })).update(todos('- a'));
    utimesSync(folder, at, at);
  }
  return { state, watched: new WatchedLists(cleanEnvironment({ TODO_STATE_DIR: state })) };
}

async function namesIn(watched: WatchedLists, most = 1000): Promise<string[]> {
  const found = await watched.find(most);
  return found.map(({ session, lists }) => [session, ...lists.map(({ agent }) => agent)].join(' '));
}

test('sessions and their lists come with the last changed first, a team beside its agents', async () => {
  const { state, watched } = listsIn([9, 'a', 'main'], [5, 'b', 'main'], [3, 'a', 'bob']);
  expect(await namesIn(watched)).toEqual(['a bob main', 'b main']);
  await teamOf(state)(0, { subject: 'Ship' });
  expect(await namesIn(watched)).toEqual(['s (team)', 'a bob main', 'b main']);
});

test('of more lists than asked for, those that were changed last are found', async () => {
  const names = Array.from({ length: 20 }, (_, at) => String.fromCharCode(97 + at));
  const { watched } = listsIn(
    ...names.map((name, at): [number, string, string] => [20 - at, name, 'main']),
  );
  const sessions = (await watched.find(3)).map(({ session }) => session);
  expect(sessions).toEqual(['t', 's', 'r']);
});

// A server does not say when a list was changed.
describeOn(useServers().one, (server) => {
  test('of more lists than asked for, the one changed last is found, wherever it stands', async () => {
    const watched = new WatchedLists(cleanEnvironment({ TODO_STATE_URL: server().emptyUrl() }));
    onTestFinished(() => watched.close());
    if (watched.storage instanceof ServerStorage) await watched.storage.init();
    for (const [at, name] of ['a', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'b'].entries()) {
      const place = todoPlace(watched.storage, `todos/${name}/main`, {
        author: 'main',
        history: 2,
      });
      await new TodoList(() => new Date(1000 * at), place).update(todos('- a'));
      if (name === 'j') expect(await namesIn(watched, 1)).toEqual(['j main']);
    }
    expect(await namesIn(watched, 1)).toEqual(['b main']);
  });
});

test('a list that has not changed is not read again, unless it is damaged', async () => {
  const { state, watched } = listsIn([9, 'a', 'main'], [5, 'b', 'main']);
  const folder = listFolder(state, { session: 'b', agent: 'main' });
  const broken = join(folder, 'head-9-broken00');
  writeFileSync(broken, '');
  const [b, a] = await watched.find(9);
  expect(b?.lists[0].damage).toContain('9-broken00');
  rmSync(broken);
  const [mended, same] = await watched.find(9);
  expect(same?.lists[0].newest).toBe(a?.lists[0].newest);
  expect(mended?.lists[0].damage).toBeUndefined();
  new FilePlace({ folder: listFolder(state, { session: 'a', agent: 'main' }) }).commit(
    1,
    todos('x a'),
    new Date(),
  );
  const [changed] = await watched.find(9);
  expect(changed?.lists[0].newest).toMatchObject({ version: 2, items: [{ status: 'completed' }] });
});

test('an unreadable list is found with its damage and when its folder was changed', async () => {
  const { state, watched } = listsIn([9, 'a', 'main']);
  const folder = listFolder(state, { session: 'a', agent: 'main' });
  const file = readdirSync(folder).find((name) => name.endsWith('.json')) ?? '';
  writeFileSync(join(folder, file), 'x');
  const [found] = await watched.find(9);
  expect(found?.lists[0]).toMatchObject({
    damage: expect.stringContaining(file),
    newest: { version: 1, items: [] },
  });
  expect(+(found?.lists[0].newest.updatedAt ?? 0)).toBeGreaterThan(Date.now() - 3_600_000);
});

test('what others put among the lists hides none of them', async () => {
  const { state, watched } = listsIn([9, 'a', 'main']);
  for (const [name, target] of Object.entries({ device: '/dev/zero', loop: 'loop' }))
    symlinkSync(target, join(state, 'a', name));
  execFileSync('mkfifo', [join(state, 'a', 'fifo')]);
  for (let look = 0; look < 2; look++) {
    const lists = (await watched.find(9)).flatMap((found) => found.lists);
    expect(lists.map(({ agent, unreadable }) => [agent, unreadable !== undefined])).toEqual([
      ['main', false],
      ['device', true],
      ['loop', true],
    ]);
  }
});

test('only a list that was changed a minute ago, and is still as it was found, can be removed', async () => {
  const { watched } = listsIn([0.9, 'a', 'main'], [1.1, 'b', 'main']);
  const [a, b] = await watched.find(9);
  const remove = (found: typeof a) => found && watched.remove(found.lists[0]);
  expect(await remove(a)).toBe(false);
  expect(await remove(b)).toBe(true);
  expect(await namesIn(watched)).toEqual(['a main']);
});
