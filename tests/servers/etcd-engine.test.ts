import { expect, onTestFinished, test, vi } from 'vitest';
import { EtcdEngine } from '../../src/servers/etcd-engine.ts';
import { eventually } from '../helpers/eventually.ts';
import { freePorts } from '../helpers/ports.ts';
import { startProxy } from '../helpers/proxy.ts';
import { describeOn, useServers } from '../helpers/servers.ts';
import { END, http, MIB, NOON, placeAt, portThat } from './false-server.ts';

// Reports of a client whose request was carried out, but whose answer was lost.

const servers = useServers();

test('what follows a server that is down keeps no process alive', async () => {
  const [port] = await freePorts(1);
  const options = { hosts: [`127.0.0.1:${port}`], root: 'todowrite', timeoutMs: 500 };
  const engine = new EtcdEngine({ ...options, tls: undefined, user: undefined });
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const stop = engine.announcements('todos/').listen(() => {});
  const pauses = () => timers.mock.results.filter((_, at) => timers.mock.calls[at]?.[1] === 200);
  await eventually('it tries again', () => pauses().length > 1);
  stop();
  engine.close();
  expect(pauses().some(({ value }) => value.hasRef())).toBe(false);
});

test('requests that a member leaves unanswered go to the next one together', async () => {
  let connections = 0;
  const silent = await portThat(() => {
    connections++;
    return () => [END];
  });
  const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{"header":{}}';
  const next = await portThat(() => (said) => said.match(/POST \//g)?.map(() => answer));
  const hosts = [silent, next].map((port) => `127.0.0.1:${port}`);
  const engine = new EtcdEngine({ hosts, root: 'todowrite', timeoutMs: 60_000 });
  expect(await Promise.all(['a', 'b'].map((key) => engine.newest(key)))).toEqual([0, 0]);
  expect(connections).toBe(1);
  engine.close();
});

test('what a full quota refuses, and stores all the same, is done', async () => {
  let stored: { key: string } | undefined;
  const port = await portThat(() => (said) => {
    const { key, success = [] } = JSON.parse(said.slice(said.indexOf('{')));
    const put = success.find((one: object) => 'request_put' in one)?.request_put;
    stored ??= put;
    if (put) return http('{"error":"etcdserver: mvcc: database space exceeded"}', 400);
    return http(JSON.stringify({ header: {}, kvs: key === stored?.key ? [stored] : [] }));
  });
  const place = placeAt(`etcd://127.0.0.1:${port}/acme`);
  expect(await place.commit(0, 'ours', NOON)).toMatchObject({ version: 1, content: 'ours' });
});

test('a list for which an etcd has no room in a request is not sent to it', async () => {
  const engine = new EtcdEngine({ hosts: ['127.0.0.1:1'], root: 'todowrite', timeoutMs: 500 });
  const bytes = Buffer.alloc(1.5 * MIB);
  const commit = engine.commit('a', { base: 0, bytes, id: 'i', history });
  await expect(commit).rejects.toThrow(
    `the list is too large for etcd: ${bytes.length} bytes, at most ${bytes.length - 8192}; nothing was changed`,
  );
  engine.close();
});

let lists = 0;
const history = 5;

describeOn(servers.each, (server, name) => {
  const placeOf = (key: string, port: number, timeoutMs = 5000) =>
    server().place<string>(key, { author: 'ann', history }, { port, timeoutMs });

  async function placeBehindProxy() {
    const { port } = server();
    const proxy = await startProxy(port);
    const key = `lost/${++lists}`;
    // Only in the message that commits: a statement's text comes first, its values with its execution.
    const marker = name === 'etcd' ? 'kv/txn' : key;
    return {
      loseAnswer: (onDrop?: () => Promise<void>) => proxy.dropAnswerTo(marker, onDrop),
      place: placeOf(key, proxy.port),
      other: placeOf(key, port),
    };
  }

  test('a commit whose answer is lost is reported as done, and is done once', async () => {
    const { loseAnswer, place, other } = await placeBehindProxy();
    for (let base = 0; base < 4; base++) {
      loseAnswer();
      expect(await place.commit(base, `${base}`, NOON)).toMatchObject({ version: base + 1 });
    }
    const contents = [...(await other.history())].map(({ content }) => content);
    expect(contents.join()).toBe('3,2,1,0');
  });

  test("it is reported as done even after others' commits", async () => {
    const { loseAnswer, place, other } = await placeBehindProxy();
    loseAnswer(async () => {
      for (let base = 1; base < history; base++) await other.commit(base, 'theirs', NOON);
    });
    expect(await place.commit(0, 'ours', NOON)).toMatchObject({ version: 1, content: 'ours' });
  });

  test('it is reported as unknown once its version is no longer kept', async () => {
    const { loseAnswer, place, other } = await placeBehindProxy();
    loseAnswer(async () => {
      for (let base = 1; base < 20; base++) await other.commit(base, 'theirs', NOON);
    });
    await expect(place.commit(0, 'ours', NOON)).rejects.toThrow(
      /^not known whether the change was made: /,
    );
  }, 60_000);

  test('one that lost the race while its answer was lost is reported as lost', async () => {
    const { loseAnswer, place, other } = await placeBehindProxy();
    await other.commit(0, 'theirs', NOON);
    loseAnswer();
    expect(await place.commit(0, 'ours', NOON)).toBeUndefined();
  });

  test('one that never reached a server says that nothing was changed, within the time limit', async () => {
    const [port = 0] = await freePorts(1);
    const place = placeOf(`lost/${++lists}`, port, 500);
    await expect(place.commit(0, 'ours', NOON)).rejects.toThrow(/; nothing was changed$/);
    await expect(place.load()).rejects.toThrow(new RegExp(`127.0.0.1:${port}`));
  });
});
