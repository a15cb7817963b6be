import { describe, expect, onTestFinished, test } from 'vitest';
import { listKey, sessionKey } from '../../src/lists/list-paths.ts';
import { FolderStorage, type ListStorage } from '../../src/lists/storage.ts';
import { base64, keyOfVersion } from '../../src/servers/etcd-answer.ts';
import { ServerStorage } from '../../src/servers/server-storage.ts';
import { closing, hasEtcd } from '../helpers/engines.ts';
import { eventually } from '../helpers/eventually.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { describeOn, useServers } from '../helpers/servers.ts';

// Finding and watching lists whose names are unknown, on a server.

const NOON = new Date('2026-05-01T12:00:00.000Z');
const AS_ANN = { author: 'ann', history: 50 };

const servers = useServers();

let sessions = 0;
describe('in files', () => areFoundAndWatched(temporaryDirectory));
describeOn(servers.each, (server) => areFoundAndWatched(() => server().url));

function lists(where: string): ListStorage {
  if (where.startsWith('/')) return new FolderStorage({ folder: where });
  return closing(new ServerStorage({ url: where, environment: {}, timeoutMs: 5000 }));
}

function areFoundAndWatched(url: () => string): void {
  test('lists are found by what their paths begin with, each with its newest version', async () => {
    const server = lists(url());
    const session = `s${++sessions}`;
    const long = 'x'.repeat(300);
    for (const [agent, versions] of Object.entries({ ann: 3, 'Bob/ü': 1, [long]: 2 })) {
      const place = server.place<string>(listKey({ session, agent }), AS_ANN);
      for (let base = 0; base < versions; base++) await place.commit(base, agent, NOON);
    }
    const another = listKey({ session: `${session}0`, agent: 'ann' });
    await server.place<string>(another, AS_ANN).commit(0, 'x', NOON);
    const found = await server.find(sessionKey(session));
    const names = found.map(({ path: [, , agent = ''], version }) => `${agent} ${version}`);
    expect(names.sort()).toEqual(['Bob/ü 1', 'ann 3', expect.stringMatching(/^x+~[0-9a-f]{8} 2$/)]);
    // A list with a truncated name opens by its key.
    const contents = await Promise.all(
      found.map(async (list) => (await server.place<string>(list.key, AS_ANN).load())?.content),
    );
    expect(contents.sort()).toEqual(['Bob/ü', 'ann', long]);
    expect(await server.find(sessionKey(`${session}-nobody`))).toEqual([]);
  });

  test('lists of a session are announced when they appear and change, whoever writes them', async () => {
    const where = url();
    const session = `s${++sessions}`;
    const [server, other] = [lists(where), lists(where)];
    let seen: string[] = [];
    let calls = 0;
    let looks = 0;
    const look = async () => {
      const mine = ++looks;
      const found = await server.find(sessionKey(session));
      // Two answers may come in either order.
      if (mine < looks) return;
      seen = found.map(({ path: [, , agent], version }) => `${agent} ${version}`);
    };
    const end = server.watch(sessionKey(session), () => {
      calls++;
      // The one still open at the end loses its server.
      look().catch(() => {});
    });
    onTestFinished(end);
    const [ann, bob] = ['ann', 'bob'].map((agent) =>
      other.place<string>(listKey({ session, agent }), AS_ANN),
    );
    await ann?.commit(0, 'a', NOON);
    await eventually('the first list', () => seen.join() === 'ann 1', 30_000);
    await bob?.commit(0, 'b', NOON);
    await ann?.commit(1, 'a', NOON);
    await eventually('both', () => seen.join() === 'ann 2,bob 1', 30_000);
    end();
    const before = calls;
    await ann?.commit(2, 'a', NOON);
    expect(calls).toBe(before);
  });
}

test.runIf(hasEtcd)('a long history hides no list, and foreign keys are none', async () => {
  const url = servers.etcd.emptyUrl();
  const root = new URL(url).pathname.slice(1);
  const client = closing(servers.etcd.client());
  const put = (keys: string[]) =>
    client.call('kv/txn', {
      success: keys.map((key) => ({ request_put: { key: base64(key), value: 'eA==' } })),
    });
  for (let start = 0; start < 2500; start += 100) {
    const versions = Array.from({ length: 100 }, (_, index) => start + index + 1);
    await put(versions.map((version) => keyOfVersion(`${root}/todos/s/a/`, version)));
  }
  await put([`${root}/todos/s/b`, `${root}/todos/s/../../etc/${'0'.repeat(15)}`]);
  await put([keyOfVersion(`${root}/todos/s/c/`, 7)]);
  const found = await lists(url).find('todos');
  const versions = found.map(({ key, version }) => `${key} ${version}`);
  expect(versions).toEqual(['todos/s/a 2500', 'todos/s/c 7']);
});
