import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Failed } from '../../src/servers/connection.ts';
import {
  announcementIn,
  answerOf,
  base64,
  keyOfVersion,
  QuotaFull,
  versionOfKey,
} from '../../src/servers/etcd-answer.ts';
import { closing, hasEtcd } from '../helpers/engines.ts';
import { useServers } from '../helpers/servers.ts';
import {
  type Answer,
  AS_ANN,
  END,
  etcdThatSays,
  http,
  listsAt,
  MIB,
  NOON,
  NOTHING,
  placeAt,
  placeIn,
  problemOf,
  told,
  withoutEnd,
} from './false-server.ts';

const servers = useServers();

test.runIf(hasEtcd)('a version that unpacks to more than 64 MiB is damaged, not read', async () => {
  const place = placeAt(servers.etcd.url);
  const client = closing(servers.etcd.client({ timeoutMs: 20_000 }));
  const bomb = Buffer.alloc(65 * MIB, ' ');
  bomb.write('{"id":"a","at":"2026-05-01T12:00:00.000Z","by":"ann","content":"x"}');
  const key = base64(`${servers.etcd.root}/todos/s/a/${10 ** 15 - 1 - 1}`);
  const value = gzipSync(bomb, { level: 1 }).toString('base64');
  await client.call('kv/put', { key, value }, 'change');
  expect(await problemOf(place.load())).toMatch(
    /^etcd at .*: \w+\/todos\/s\/a\/: version 1 is damaged: it unpacks to more than 64 MiB$/,
  );
});

test.runIf(hasEtcd)('a version in a newer format is not damaged, and is not replaced', async () => {
  const place = placeAt(servers.etcd.url);
  const client = closing(servers.etcd.client({ timeoutMs: 20_000 }));
  const stored = { id: 'a', at: NOON.toISOString(), by: 'ann', content: 'x', format: 2 };
  const key = base64(`${servers.etcd.root}/todos/s/a/${10 ** 15 - 1 - 1}`);
  await client.call('kv/put', { key, value: base64(JSON.stringify(stored)) }, 'change');
  expect(await problemOf(place.load())).toMatch(
    /: version 1 has format 2, which this program cannot read: update it$/,
  );
  expect(await place.commit(0, 'y', NOON)).toBeUndefined();
});

test.runIf(hasEtcd)('a list that others could not read again is not written', async () => {
  const place = placeAt(servers.etcd.url);
  expect(await problemOf(place.commit(0, ' '.repeat(64 * MIB), NOON))).toMatch(
    /^the list is too large: \d+ bytes, at most 67108864; nothing was changed$/,
  );
});

const NOT_ETCD = 'not from etcd: is this a proxy, or another server?';
const NOT_HTTP = 'it does not speak HTTP: is this another server?';
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

test.for<[string, string]>([
  [
    'of a length that is told',
    `HTTP/1.1 200 OK\r\ncontent-length: ${NOTHING.length}\r\n\r\n${NOTHING}`,
  ],
  ['in chunks', `${CHUNKED}05;a=b\r\n{"hea\r\n11\r\nder":{},"kvs":[]}\r\n0\r\nT: x\r\n\r\n`],
])('two answers %s are read over one connection to an etcd gateway', async ([, answer]) => {
  const place = placeAt(await etcdThatSays(answer));
  expect([await place.load(), await place.load()]).toEqual([undefined, undefined]);
});

async function isRefused([answer, problem, isKnown]: Refused, timeoutMs: number) {
  const [read = '', written, status] = await told(timeoutMs, async (ms) => {
    const url = await etcdThatSays(answer);
    const lists = () => listsAt(url, ms);
    const requests = [placeIn(lists()).load(), placeIn(lists()).commit(0, 'a', NOON)];
    const said = await Promise.all(requests.map(problemOf));
    return isKnown ? [...said, (await lists().status()).join()] : said;
  });
  expect(read.slice(-problem.length - 2)).toBe(`: ${problem}`);
  expect(written).toMatch(isKnown ? /; nothing was changed$/ : /^not known whether the /);
  if (isKnown) expect(status).toContain(`: ${problem}`);
}

type Refused = [Answer, problem: string, isKnown?: boolean];

// Apart from those with a short time limit: both ends are this process, which these keep busy for seconds.
test.for<Refused>([
  [withoutEnd(CHUNKED, `100000\r\n${' '.repeat(MIB)}\r\n`), 'it sent more than 128 MiB at once'],
  [
    http(`{"header":{},"kvs":[${'{},'.repeat(5_000_001)}{}]}`),
    'its JSON has more than 5000000 values',
  ],
])('an answer that is larger than any list is refused: $1', (answer) => isRefused(answer, 60_000));

test('an answer that is not from etcd is refused, and its text is not printed', async () => {
  const answers: Refused[] = [
    [['SSH-2.0-OpenSSH_9.2\r\n'], NOT_HTTP],
    [['HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n'], NOT_HTTP],
    [['HTTP/1.1 200 OK\r\n\r\n{}', END], NOT_HTTP],
    [['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}', END], 'the connection ended'],
    [[END], 'the connection ended unanswered; with TLS the URL begins with etcds://'],
    [http(`{"header":{},"kvs":${'[{"a":'.repeat(60)}`), 'its JSON has more than 100 levels'],
    [http('<html><h1>Bad Gateway</h1></html>', 502), `HTTP status 502, ${NOT_ETCD}`],
    [http('<html><h1>Not found</h1></html>', 404), `HTTP status 404, ${NOT_ETCD}`, true],
    [http('', 301), `HTTP status 301, ${NOT_ETCD}`, true],
    ...[
      '<!doctype html><p>Log in',
      '{}',
      'null',
      ...[
        '"kvs":"hello"',
        '"kvs":[null]',
        '"kvs":[{"key":5,"value":7}]',
        '"kvs":[{"value":"eA=="}]',
        '"responses":"x"',
        '"responses":[null,5]',
        '"responses":[{"response_range":{"kvs":{}}}]',
      ].map((said) => `{"header":{},${said}}`),
    ].map((text): Refused => [http(text), `HTTP status 200, ${NOT_ETCD}`]),
  ];
  await Promise.all(answers.map((answer) => isRefused(answer, 3000)));
});

test('a request that waits on the same connection fails for the same reason', async () => {
  const url = await etcdThatSays(http('<html>', 503));
  const problems = await told(1000, async (ms) => {
    const lists = listsAt(url, ms);
    const places = ['a', 'b'].map((agent) => lists.place(`todos/s/${agent}`, AS_ANN));
    return Promise.all(places.map((place) => problemOf(place.load())));
  });
  const notEtcd = expect.stringContaining('HTTP status 503, not from etcd');
  expect(problems).toEqual([notEtcd, notEtcd]);
});

test.runIf(hasEtcd)('keys of others beside the versions of a list are none of these', async () => {
  const place = placeAt(`${servers.etcd.url}/beside`);
  const client = closing(servers.etcd.client());
  for (const name of ['!', 'notes']) {
    const key = base64(`${servers.etcd.root}/beside/todos/s/a/${name}`);
    await client.call('kv/put', { key, value: 'eA==' }, 'change');
  }
  expect(await place.load()).toBeUndefined();
  expect(await place.commit(0, 'ours', NOON)).toMatchObject({ version: 1 });
  expect(await place.history()).toMatchObject([{ content: 'ours' }]);
});

describe('of what etcd says', () => {
  const refusal = (message: string) => JSON.stringify({ error: `etcdserver: ${message}`, code: 2 });

  test.each<[number, string, Failed['outcome'], string?]>([
    [400, refusal('permission denied'), 'refused', 'permission denied'],
    [400, '{"error":{"message":"etcdserver: nested"}}', 'refused', 'nested'],
    [400, '{"error":"one","message":"etcdserver: the other"}', 'refused', 'the other'],
    [400, refusal('x'.repeat(300)), 'refused', 'x'.repeat(200)],
    [503, refusal('request timed out'), 'open', 'request timed out'],
    [401, refusal('invalid auth token'), 'undone'],
    [400, refusal('auth token is not provided'), 'undone'],
    [400, refusal('revision of auth store is old: auth revision'), 'undone'],
    [503, refusal('no leader'), 'undone'],
    ...[300, 404, 499].map((status) => [status, '', 'refused'] as [number, string, 'refused']),
    ...[299, 408, 429, 500].map((status) => [status, '', 'open'] as [number, string, 'open']),
    ...['{"header":{}', '{"kvs":[]}', '{"header":7}', refusal('ok')].map(
      (text) => [200, text, 'open', undefined] as [number, string, 'open', undefined],
    ),
  ])('status %i with %.60j is %s', (status, text, outcome, message) => {
    const failed = answerOf(status, text);
    expect(failed).toBeInstanceOf(Failed);
    expect(failed).toMatchObject({ outcome, ...(message && { message }) });
  });

  test('a full quota is told from other refusals', () => {
    const full = answerOf(400, refusal('mvcc: database space exceeded'));
    expect(full).toBeInstanceOf(QuotaFull);
    expect(full).toMatchObject({ message: expect.stringMatching(/exceeded: its quota is full$/) });
  });

  const event = (key: string, revision: number, type?: string) => ({
    ...(type && { type }),
    kv: { key: base64(key), mod_revision: String(revision) },
  });
  const said = (...events: unknown[]) => JSON.stringify({ result: { events } });
  const [first, second] = ['acme/todos/s/a/', 'acme/tasks/s/'];

  test('a watch names the new versions of lists; that a commit removes its oldest one is no news', () => {
    const text = said(
      event(keyOfVersion(first, 51), 7),
      event(keyOfVersion(first, 1), 7, 'DELETE'),
      event(keyOfVersion(second, 2), 8),
    );
    expect(announcementIn(text, 'acme/')).toEqual([
      { key: 'todos/s/a', version: 51, revision: 7 },
      { key: 'tasks/s', version: 2, revision: 8 },
    ]);
  });

  test.each([
    '',
    '{"result":{"created":true}}',
    '{"result":{"events":"x"}}',
    said(),
    said({ type: 'PUT' }),
    said({ kv: { key: 7 } }),
    said(event('acme/notes', 7)),
    said(event(keyOfVersion(first, 2), 7), event(keyOfVersion(second, 1), 8, 'DELETE')),
  ])('anything else has changed something unnamed: %j', (text) => {
    expect(announcementIn(text, 'acme/')).toBe('unnamed');
  });

  test('a key tells its list and version, newest first', () => {
    const keys = [3, 2, 1].map((version) => keyOfVersion(first, version));
    expect(keys.map(versionOfKey)).toEqual(
      [3, 2, 1].map((version) => ({ list: 'acme/todos/s/a', version })),
    );
    expect([...keys].sort()).toEqual(keys);
    for (const key of ['acme/todos/s/a/1', 'acme', keys[0]?.replace(/\/(?=\d)/, '')])
      expect(versionOfKey(key as string)).toBeUndefined();
  });
});
