import { expect, test } from 'vitest';
import {
  type Answer,
  authentication,
  END,
  MIB,
  message,
  NOON,
  placeAt,
  postgresThat,
  postgresThatSays,
  problemOf,
  SCRAM,
  told,
  WELCOME,
  withoutEnd,
} from './false-server.ts';

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

test('where others have all connections, a command asks until its time is up, and says what helps', async () => {
  let connections = 0;
  const url = await postgresThat(() => {
    connections++;
    return () => [message('E', 'C53300\0Msorry, too many clients already\0\0'), END];
  });
  expect(await problemOf(placeAt(url, 3000).commit(0, 'a', NOON))).toMatch(
    /: sorry, too many clients already; try again, or allow more connections there; nothing was changed$/,
  );
  expect(connections).toBeGreaterThan(1);
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
    const read = async (ms: number) => problemOf(placeAt(await postgresThatSays(said), ms).load());
    expect(await told(3000, read), what).toMatch(problem);
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
