import { expect, test } from 'vitest';
import {
  type Answer,
  authentication,
  END,
  NOON,
  placeAt,
  postgresThat,
  postgresThatSays,
  problemOf,
  SCRAM,
  told,
  WELCOME,
} from './false-server.ts';

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

/** @param challenge the end of the server's message that begins with our nonce. */
const postgresWithScram = (challenge: string, last: Answer, proven = () => {}) =>
  postgresThat(() => (said) => {
    const [, nonce] = /r=([^,]+)$/.exec(said) ?? [];
    if (nonce) return authentication(11, `r=${nonce}${challenge}`);
    if (!said.startsWith('p')) return SCRAM;
    proven();
    return last;
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
  expect(await told(1000, (ms) => problemOf(placeAt(url, ms).load()))).toMatch(
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
