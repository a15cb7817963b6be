import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import type { SharedPlace } from '../../../src/state/place.ts';
import { ServerLists } from '../../../src/state/server-lists.ts';
import { closing, hasEtcd } from '../../helpers/engines.ts';
import { useServers } from '../../helpers/servers.ts';

// Broken or malicious servers. Their answers are read as far as a list may need, and no further.

const NOON = new Date('2026-05-01T12:00:00.000Z');
const MIB = 1024 * 1024;
const servers = useServers();

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

/** @param timeoutMs for requests that are repeated until then; else longer than a busy machine takes. */
function listsAt(url: string, timeoutMs = 60_000): ServerLists {
  return closing(new ServerLists({ url, environment: { PGPASSWORD: 's3cret' }, timeoutMs }));
}

const placeIn = (lists: ServerLists): SharedPlace<string> =>
  lists.place('todos/s/a', { author: 'ann', history: 50 });
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
  const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64');
  const bomb = Buffer.alloc(65 * MIB, ' ');
  bomb.write('{"id":"a","at":"2026-05-01T12:00:00.000Z","by":"ann","content":"x"}');
  const key = base64(`${servers.etcd.root}/todos/s/a/${10 ** 15 - 1 - 1}`);
  await client.call('kv/put', { key, value: base64(gzipSync(bomb, { level: 1 })) }, 'change');
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

/** An etcd gateway that answers each request with these bytes, one by one. @param ends whether it closes the connection then. */
async function etcdThatSays(answer: string, ends = false): Promise<string> {
  const serve = (socket: Socket) => {
    socket.setNoDelay();
    socket.on('error', () => {});
    socket.on('data', async () => {
      for (const byte of Buffer.from(answer)) {
        await new Promise((resolve) => socket.write(Buffer.of(byte), resolve));
      }
      if (ends) socket.end();
    });
  };
  return `etcd://127.0.0.1:${await portOf(createServer(serve))}/acme`;
}

const NOTHING = '{"header":{},"kvs":[]}';

test.for<[string, string]>([
  [
    'of a length that is told',
    `HTTP/1.1 200 OK\r\ncontent-length: ${NOTHING.length}\r\n\r\n${NOTHING}`,
  ],
  [
    'in chunks',
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n05;a=b\r\n{"hea\r\n11\r\nder":{},"kvs":[]}\r\n0\r\nT: x\r\n\r\n`,
  ],
])(
  'an answer of an etcd gateway %s is read, however it arrives, and the next one over the same connection',
  async ([, answer]) => {
    const place = placeAt(await etcdThatSays(answer));
    expect([await place.load(), await place.load()]).toEqual([undefined, undefined]);
  },
);

test.for<[string, string]>([
  ['SSH-2.0-OpenSSH_9.2\r\n', 'it does not speak HTTP: is this another server?'],
  [
    'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n',
    'it does not speak HTTP: is this another server?',
  ],
  ['HTTP/1.1 200 OK\r\n\r\n{}', 'it does not speak HTTP: is this another server?'],
  ['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}', 'the connection ended'],
])('in place of etcd, %j is named in the error', async ([answer, problem]) => {
  const place = placeAt(await etcdThatSays(answer, true), 1000);
  expect(await problemOf(place.load())).toMatch(new RegExp(`: ${problem.replace('?', '.')}$`));
  expect(await problemOf(place.commit(0, 'a', NOON))).toMatch(/^not known whether/);
});

/** An answer of HTTP. */
const says =
  (text: string, status = 200): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end(text);
  };
const withoutEnd: RequestListener = (_, response) => {
  const chunk = Buffer.alloc(MIB, ' ');
  const more = () => void (response.writable && response.write(chunk, more));
  more();
};
const NOT_ETCD = 'not from etcd: is this a proxy, or another server?';

test('an answer that is not from etcd, or larger than any list, is refused, and its text is not printed', async () => {
  const answers: [RequestListener, problem: string, isKnown?: boolean][] = [
    [withoutEnd, 'it sent more than 128 MiB at once'],
    [says(`{"header":{},"kvs":${'['.repeat(100_000)}`), 'its JSON has more than 100 levels'],
    [says('<html><h1>Bad Gateway</h1></html>', 502), `HTTP status 502, ${NOT_ETCD}`],
    [says('<html><h1>Not found</h1></html>', 404), `HTTP status 404, ${NOT_ETCD}`, true],
    [says('', 301), `HTTP status 301, ${NOT_ETCD}`, true],
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
    ].map((text): [RequestListener, string] => [says(text), `HTTP status 200, ${NOT_ETCD}`]),
  ];
  const ask = async ([answer, problem, isKnown]: (typeof answers)[number]) => {
    const port = await portOf(createHttpServer(answer));
    const lists = listsAt(`etcd://127.0.0.1:${port}/acme`, answer === withoutEnd ? 60_000 : 3000);
    const place = placeIn(lists);
    const requests = [place.load(), place.commit(0, 'a', NOON)];
    const [read = '', written] = await Promise.all(requests.map(problemOf));
    expect(read.slice(-problem.length - 2)).toBe(`: ${problem}`);
    expect(written).toMatch(isKnown ? /; nothing was changed$/ : /^not known whether the /);
    if (isKnown) expect(await lists.status()).toContain(`127.0.0.1:${port}: ${problem}`);
  };
  await Promise.all(answers.map(ask));
});

test.runIf(hasEtcd)(
  'keys of others beside the versions of a list are none of its versions',
  async () => {
    const place = placeAt(`${servers.etcd.url}/beside`);
    const client = closing(servers.etcd.client());
    for (const name of ['!', 'notes'].map(
      (own) => `${servers.etcd.root}/beside/todos/s/a/${own}`,
    )) {
      const key = Buffer.from(name).toString('base64');
      await client.call('kv/put', { key, value: 'eA==' }, 'change');
    }
    expect(await place.load()).toBeUndefined();
    expect(await place.commit(0, 'ours', NOON)).toMatchObject({ version: 1 });
    expect(await place.history()).toMatchObject([{ content: 'ours' }]);
  },
);

/** A PostgreSQL that answers byte by byte. @param begin called for each connection; without an answer it falls silent. */
async function postgresThatAnswers(
  begin: () => (said: string) => Buffer | undefined,
): Promise<string> {
  const serve = (socket: Socket) => {
    const answer = begin();
    socket.setNoDelay();
    socket.on('error', () => {});
    socket.on('data', async (said) => {
      for (const byte of answer(said.toString()) ?? []) {
        await new Promise((resolve) => socket.write(Buffer.of(byte), resolve));
      }
    });
  };
  const port = await portOf(createServer(serve));
  return `postgres://ann@127.0.0.1:${port}/lists?sslmode=disable`;
}

function postgresThatSays(...messages: readonly Buffer[]): Promise<string> {
  return postgresThatAnswers(() => {
    const left = [...messages];
    return () => left.shift();
  });
}

/** A request for authentication. */
function authentication(kind: number, text = ''): Buffer {
  const message = Buffer.alloc(9 + text.length);
  message.write('R');
  message.writeInt32BE(8 + text.length, 1);
  message.writeInt32BE(kind, 5);
  message.write(text, 9);
  return message;
}

const SCRAM = authentication(10, 'SCRAM-SHA-256\0\0');

test('a PostgreSQL that says nothing after it has asked for the password is named, and nothing was changed', async () => {
  const url = await postgresThatSays(authentication(3));
  const [, address] = /@(.*)\?/.exec(url) ?? [];
  expect(await problemOf(placeAt(url, 1000).load())).toBe(
    `cannot read from PostgreSQL at ${address}: no answer in time`,
  );
  expect(await problemOf(placeAt(url, 1000).commit(0, 'a', NOON))).toBe(
    `cannot reach PostgreSQL at ${address}: no answer in time; nothing was changed`,
  );
});

test('a PostgreSQL that ends each connection at once is not asked without a pause', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.end();
  });
  const port = await portOf(server);
  const place = placeAt(`postgres://ann@127.0.0.1:${port}/lists?sslmode=disable`, 3000);
  expect(await problemOf(place.commit(0, 'a', NOON))).toMatch(
    /: the connection ended before the server was ready; nothing was changed$/,
  );
  expect(connections).toBeLessThan(40);
});

/** A message of a server. */
function message(kind: string, body = ''): Buffer {
  const header = Buffer.alloc(5);
  header.write(kind);
  header.writeUInt32BE(4 + body.length, 1);
  return Buffer.concat([header, Buffer.from(body, 'latin1')]);
}

const HUGE = Buffer.concat([authentication(0), Buffer.from('D\x7f\xff\xff\xff', 'latin1')]);
const WELCOME = Buffer.concat([authentication(0), message('Z', 'I')]);

test("a server that breaks PostgreSQL's protocol is reported, without a crash or a wrong list", async () => {
  const conversations: [string, Buffer[]][] = [
    ['a challenge of SCRAM without a salt', [SCRAM, authentication(11, 'r=abc')]],
    ['no rounds of SCRAM', [SCRAM, authentication(11, 'r=abc,s=YWJj,i=0')]],
    ['rounds that are no number', [SCRAM, authentication(11, 'r=abc,s=YWJj,i=4096,i=2000000000')]],
    ['a request for a password without a kind', [message('R')]],
    ['a length below that of a header', [Buffer.from('R\0\0\0\0', 'latin1')]],
    ['a message that there is not', [message('~', 'hello')]],
    ['HTTP', [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')]],
    ['that it wants a file, in place of rows', [WELCOME, message('G', '\0\0\0')]],
    ['that it sends a file, in place of rows', [WELCOME, message('H', '\0\0\0')]],
    ['that it is ready for more, without an answer', [WELCOME, message('Z', 'I')]],
  ];
  const others: [string, Buffer[], RegExp][] = [
    ['a message larger than any list', [HUGE], /: it sent more than 128 MiB at once$/],
    // They would take minutes in which nothing else is done.
    ...['2000000000', '1000001', '10000000000000000000000'].map(
      (rounds): [string, Buffer[], RegExp] => [
        `${rounds} rounds of SCRAM`,
        [SCRAM, authentication(11, `r=abc,s=YWJj,i=${rounds}`)],
        /: it asks for more than 1000000 rounds of SCRAM$/,
      ],
    ),
    ...[authentication(7), authentication(10, 'SCRAM-SHA-256-PLUS\0\0')].map(
      (request): [string, Buffer[], RegExp] => [
        'an unsupported authentication',
        [request],
        /refused: it asks for an unsupported authentication method \(\d+\); SCRAM-SHA-256 and MD5 are supported$/,
      ],
    ),
  ];
  const protocol =
    /^cannot read from PostgreSQL at .*: it does not speak PostgreSQL's protocol: is this another server\?$/;
  const ask = async ([what, said, problem = protocol]: [string, Buffer[], RegExp?]) => {
    const place = placeAt(await postgresThatSays(...said), 3000);
    expect(await problemOf(place.load()), what).toMatch(problem);
  };
  await Promise.all([...conversations, ...others].map(ask));
});

test('a PostgreSQL that does not prove by SCRAM that it knows the password is refused', async () => {
  const url = await postgresThatAnswers(() => (said) => {
    const [, nonce] = /r=([^,]+)$/.exec(said) ?? [];
    if (said.startsWith('p') && nonce) return authentication(11, `r=${nonce}x,s=YWJj,i=1`);
    return said.startsWith('p') ? authentication(12, 'v=YWJj') : SCRAM;
  });
  expect(await problemOf(placeAt(url).commit(0, 'a', NOON))).toMatch(
    /refused: it does not know the password that it asks for; nothing was changed$/,
  );
});

test('rows without end of a PostgreSQL are not read', async () => {
  const row = message('D', ' '.repeat(MIB));
  const port = await portOf(
    createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(WELCOME);
        const more = () => void (socket.writable && socket.write(row, more));
        socket.once('data', () => {
          socket.write(message('T', '\0\0'));
          more();
        });
      });
    }),
  );
  const place = placeAt(`postgres://ann@127.0.0.1:${port}/lists?sslmode=disable`);
  expect(await problemOf(place.load())).toMatch(/it sent more than 128 MiB at once$/);
});
