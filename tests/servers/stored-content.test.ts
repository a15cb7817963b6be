import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { base64 } from '../../src/servers/etcd-answer.ts';
import { closing, hasEtcd } from '../helpers/engines.ts';
import { useServers } from '../helpers/servers.ts';
import { MIB, NOON, placeAt, problemOf } from './false-server.ts';

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

test.runIf(hasEtcd)('a list that others could not read again is not written', async () => {
  const place = placeAt(servers.etcd.url);
  expect(await problemOf(place.commit(0, ' '.repeat(64 * MIB), NOON))).toMatch(
    /^the list is too large: \d+ bytes, at most 67108864; nothing was changed$/,
  );
});
