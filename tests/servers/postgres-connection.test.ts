import { once } from 'node:events';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { withTimeLimit } from '../../src/base/command/time-limit.ts';
import type { SharedPlace } from '../../src/lists/place.ts';
import { base64 } from '../../src/servers/etcd-answer.ts';
import { ServerLists } from '../../src/servers/server-lists.ts';
import { TaskStore, taskPlace } from '../../src/tasks/task-store.ts';
import { TodoList } from '../../src/todo/todo-store.ts';
import { closing, hasEtcd } from '../helpers/engines.ts';
import { useServers } from '../helpers/servers.ts';

// Broken or malicious servers. Their answers are read as far as a list may need, and no further.

const NOON = new Date('2026-05-01T12:00:00.000Z');
const MIB = 1024 * 1024;
const AS_ANN = { author: 'ann', history: 50 };
const servers = useServers();

/** Bytes as Latin-1, in the parts in which they are sent: a string by its characters. */
type Answer = Iterable<string>;

/** Ends the connection. */
const END = '';

/** A server on loopback, until the end of the test. @param begin called for each connection; without an answer it falls silent. */
async function portThat(begin: () => (said: string) => Answer | undefined): Promise<number> {
  const server = createServer((socket) => {
    const answerTo = begin();
    socket.setNoDelay().on('error', () => {});
    socket.on('data', async (said) => {
      for (const part of answerTo(said.toString()) ?? []) {
        if (part === END) socket.end();
        if (!socket.writable) return;
        // Else the client would get many parts as one.
        await new Promise((resolve) => socket.write(part, 'latin1', () => setImmediate(resolve)));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

const withoutEnd = (begin: string, more: string): Answer => ({
  *[Symbol.iterator]() {
    yield begin;
    for (;;) yield more;
  },
});

/** @param timeoutMs for requests that are repeated until then; else longer than a busy machine takes. */
function listsAt(url: string, timeoutMs = 60_000): ServerLists {
  return closing(new ServerLists({ url, environment: { PGPASSWORD: 's3cret' }, timeoutMs }));
}

const placeIn = (lists: ServerLists): SharedPlace<string> => lists.place('todos/s/a', AS_ANN);
const placeAt = (url: string, timeoutMs?: number) => placeIn(listsAt(url, timeoutMs));

async function problemOf(work: unknown): Promise<string> {
  return Promise.resolve(work).then(
    () => 'none',
    (error: Error) => error.message,
  );
}

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

test.runIf(hasEtcd)('a list that others could not read again is not written', async () => {
  const place = placeAt(servers.etcd.url);
  expect(await problemOf(place.commit(0, ' '.repeat(64 * MIB), NOON))).toMatch(
    /^the list is too large: \d+ bytes, at most 67108864; nothing was changed$/,
  );
});

const etcdThatSays = async (answer: Answer) =>
  `etcd://127.0.0.1:${await portThat(() => () => answer)}/acme`;

const NOTHING = '{"header":{},"kvs":[]}';
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

const http = (text: string, status = 200) => [
  `HTTP/1.1 ${status} Said\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
];
const NOT_ETCD = 'not from etcd: is this a proxy, or another server?';
const NOT_HTTP = 'it does not speak HTTP: is this another server?';

test('an answer that is not from etcd, or larger than any list, is refused, and its text is not printed', async () => {
  const chunk = `100000\r\n${' '.repeat(MIB)}\r\n`;
  const answers: [Answer, problem: string, isKnown?: boolean][] = [
    [withoutEnd(CHUNKED, chunk), 'it sent more than 128 MiB at once'],
    [['SSH-2.0-OpenSSH_9.2\r\n'], NOT_HTTP],
    [['HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n'], NOT_HTTP],
    [['HTTP/1.1 200 OK\r\n\r\n{}', END], NOT_HTTP],
    [['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}', END], 'the connection ended'],
    [[END], 'the connection ended unanswered; with TLS the URL begins with etcds://'],
    [http(`{"header":{},"kvs":${'[{"a":'.repeat(60)}`), 'its JSON has more than 100 levels'],
    [
      http(`{"header":{},"kvs":[${'{},'.repeat(5_000_001)}{}]}`),
      'its JSON has more than 5000000 values',
    ],
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
    ].map((text): [Answer, string] => [http(text), `HTTP status 200, ${NOT_ETCD}`]),
  ];
  const ask = async ([answer, problem, isKnown]: (typeof answers)[number]) => {
    const url = await etcdThatSays(answer);
    const lists = () => listsAt(url, Array.isArray(answer) ? 3000 : 60_000);
    const requests = [placeIn(lists()).load(), placeIn(lists()).commit(0, 'a', NOON)];
    const [read = '', written] = await Promise.all(requests.map(problemOf));
    expect(read.slice(-problem.length - 2)).toBe(`: ${problem}`);
    expect(written).toMatch(isKnown ? /; nothing was changed$/ : /^not known whether the /);
    if (isKnown) expect((await lists().status()).join()).toContain(`: ${problem}`);
  };
  await Promise.all(answers.map(ask));
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

/** @param begin as of `portThat`. */
const postgresThat = async (begin: () => (said: string) => Answer | undefined) =>
  `postgres://ann@127.0.0.1:${await portThat(begin)}/lists?sslmode=disable`;

/** Each answer to one message of a connection. */
const postgresThatSays = (answers: readonly Answer[]) =>
  postgresThat(() => {
    const left = [...answers];
    return () => left.shift();
  });

/** A message of PostgreSQL. */
function message(kind: string, body = ''): string {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + body.length);
  return kind + length.toString('latin1') + body;
}

const authentication = (kind: number, text = '') =>
  message('R', `\0\0\0${String.fromCharCode(kind)}${text}`);
const SCRAM = authentication(10, 'SCRAM-SHA-256\0\0');
const WELCOME = authentication(0) + message('Z', 'I');

test('a PostgreSQL that says nothing after it has asked for the password is named, and nothing was changed', async () => {
  const url = await postgresThatSays([authentication(3)]);
  const [, address] = /@(.*)\/lists/.exec(url) ?? [];
  expect(await problemOf(placeAt(url, 1000).load())).toBe(
    `cannot read from PostgreSQL at ${address}/lists: no answer in time`,
  );
  expect(await problemOf(placeAt(url, 1000).commit(0, 'a', NOON))).toMatch(
    /: no answer in time; nothing was changed$/,
  );
});

test('a refusal after an answer was lost does not say that nothing was changed', async () => {
  let connections = 0;
  const url = await postgresThat(() => {
    const answers = connections++ === 0 ? [WELCOME, [END]] : [authentication(7)];
    return () => answers.shift();
  });
  expect(await problemOf(placeAt(url).commit(0, 'a', NOON))).toMatch(
    /^not known whether the change was made: PostgreSQL at .*: it asks for an unsupported /,
  );
});

test('a PostgreSQL that ends each connection at once is not asked without a pause', async () => {
  let connections = 0;
  const url = await postgresThat(() => {
    connections++;
    return () => [END];
  });
  expect(await problemOf(placeAt(url, 3000).commit(0, 'a', NOON))).toMatch(
    /: the connection ended before the server was ready; nothing was changed$/,
  );
  expect(connections).toBeLessThan(40);
});

const TOO_MUCH = /: it sent more than 128 MiB at once$/;

test("a server that breaks PostgreSQL's protocol, is reported, without a crash or a wrong list", async () => {
  const broken = {
    'a challenge of SCRAM without a salt': [SCRAM, authentication(11, 'r=abc')],
    'a greeting before a login': [message('Z', 'I')],
    'a login after a login': [WELCOME, authentication(3)],
    'two logins at once': [authentication(3) + authentication(3)],
    'rows before a login': [SCRAM + message('D', '\0\0') + WELCOME],
    'no rounds of SCRAM': [SCRAM, authentication(11, 'r=abc,s=YWJj,i=0')],
    'rounds that are no number': [SCRAM, authentication(11, 'r=abc,s=YWJj,i=4096,i=2000000000')],
    'a request for a password without a kind': [message('R')],
    'a length below that of a header': ['R\0\0\0\0'],
    'a message that there is not': [message('~', 'hello')],
    HTTP: ['HTTP/1.1 400 Bad Request\r\n\r\n'],
    'that it wants a file, in place of rows': [WELCOME, message('G', '\0\0\0')],
    'that it sends a file, in place of rows': [WELCOME, message('H', '\0\0\0')],
    'that it is ready for more, without an answer': [WELCOME, message('Z', 'I')],
  };
  const protocol =
    /^cannot read from PostgreSQL at .*: it does not speak PostgreSQL's protocol: is this another server\?$/;
  const unsupported =
    /refused: it asks for an unsupported authentication method \(\d+\); SCRAM-SHA-256 and MD5 are supported$/;
  const conversations: (readonly [readonly Answer[], RegExp, string?])[] = [
    ...Object.entries(broken).map(([what, said]) => [said, protocol, what] as const),
    [[authentication(7)], unsupported],
    [[authentication(10, 'SCRAM-SHA-256-PLUS\0\0')], unsupported],
    [[`${authentication(0)}D\x7f\xff\xff\xff`], TOO_MUCH, 'a message larger than any list'],
  ];
  const ask = async ([said, problem, what]: (typeof conversations)[number]) => {
    const place = placeAt(await postgresThatSays(said), 3000);
    expect(await problemOf(place.load()), what).toMatch(problem);
  };
  await Promise.all(conversations.map(ask));
});

test.for<[string, string, RegExp]>([
  ['large', message('D', ' '.repeat(MIB)), TOO_MUCH],
  ['empty', message('D', '\0\0').repeat(10_000), /: it sent more than 500000 rows$/],
])('%s rows without end are not read to the end', async ([, rows, problem]) => {
  const url = await postgresThatSays([WELCOME, withoutEnd(message('T', '\0\0'), rows)]);
  expect(await problemOf(placeAt(url).load())).toMatch(problem);
});

/** @param challenge the end of the server's message that begins with our nonce. */
const postgresWithScram = (challenge: string, last: Answer, proven = () => {}) =>
  postgresThat(() => (said) => {
    const [, nonce] = /r=([^,]+)$/.exec(said) ?? [];
    if (nonce) return authentication(11, `r=${nonce}${challenge}`);
    if (!said.startsWith('p')) return SCRAM;
    proven();
    return last;
  });

test('a server that answers at once and never commits is asked no longer than the time limit, by a command and by a host', async () => {
  const url = await etcdThatSays(http(NOTHING));
  const start = performance.now();
  const refused =
    /: the time limit of this command is used up; TODO_STATE_TIMEOUT sets it(; nothing was changed)?$/;
  const changes = [
    new TodoList(() => NOON, listsAt(url, 1000).place('todos/s/a', AS_ANN)).update([]),
    new TaskStore(taskPlace(listsAt(url, 1000), 'tasks/a')).change((graph) => ({
      graph: { ...graph, nextId: 2 },
    })),
    withTimeLimit(1000, () =>
      new TodoList(() => NOON, listsAt(url).place('todos/s/a', AS_ANN)).update([]),
    ),
  ];
  expect(await Promise.all(changes.map(problemOf))).toEqual(
    Array(3).fill(expect.stringMatching(refused)),
  );
  expect(performance.now() - start).toBeLessThan(2500);
});

test.for<[string, Answer]>([
  ['says something else', authentication(12, 'v=YWJj')],
  ['says nothing of it', WELCOME],
])(
  'a PostgreSQL that %s in place of the proof by SCRAM that it knows the password is refused',
  async ([, last]) => {
    const url = await postgresWithScram('x,s=YWJj,i=1', last);
    expect(await problemOf(placeAt(url).commit(0, 'a', NOON))).toMatch(
      /refused: it does not prove that it knows the password that it asks for; nothing was changed$/,
    );
  },
);

test('a PostgreSQL that adds nothing to our nonce is refused', async () => {
  let proofs = 0;
  const url = await postgresWithScram(',s=YWJj,i=1', WELCOME, () => proofs++);
  expect(await problemOf(placeAt(url, 1000).load())).toMatch(
    /does not speak PostgreSQL's protocol/,
  );
  expect(proofs).toBe(0);
});

test('the rounds of SCRAM are limited over all challenges of servers that prove nothing', async () => {
  const tooMany = /: it asks for more than 1000000 rounds of SCRAM$/;
  for (const rounds of ['2000000000', '1000001', '10000000000000000000000']) {
    const url = await postgresWithScram(`x,s=YWJj,i=${rounds}`, []);
    expect(await problemOf(placeAt(url).load())).toMatch(tooMany);
  }
  let proofs = 0;
  const url = await postgresWithScram('x,s=YWJj,i=400000', [END], () => proofs++);
  expect(await problemOf(placeAt(url).load())).toMatch(tooMany);
  expect(proofs).toBeLessThan(3);
});

test.each(['etcd://', 'postgres://ann@'])('a check of a silent %s is a read', async (scheme) => {
  const port = await portThat(() => () => undefined);
  const lists = listsAt(`${scheme}127.0.0.1:${port}/x`, 500);
  expect(await problemOf(lists.checkWriting('tasks/a'))).toMatch(/^cannot read from .*in time$/);
});
