import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { passwordFrom } from '../../src/servers/open-engine.ts';
import { readStateUrl } from '../../src/servers/state-url.ts';
import { temporaryDirectory } from '../helpers/files.ts';

test.each<[string, object, Record<string, string>?]>([
  [
    'etcds://h1:2379,h2:2380,h3/acme',
    { hosts: ['h1:2379', 'h2:2380', 'h3:2379'], isEncrypted: true, root: 'acme' },
  ],
  ['etcd://127.0.0.1', { hosts: ['127.0.0.1:2379'], isEncrypted: false, root: 'todowrite' }],
  ['etcd://[::1]:2379/acme/tasks/', { hosts: ['[::1]:2379'], root: 'acme/tasks' }],
  ['etcd://ann:s%40crt@h/acme', { user: 'ann', password: 's@crt' }],
  [
    'postgres://ann@db/lists',
    { hosts: ['db:5432'], user: 'ann', database: 'lists', schema: 'todowrite' },
  ],
  [
    'postgresql://ann@db1:1,db2:2/lists?schema=team_a&sslmode=verify-full',
    { hosts: ['db1:1', 'db2:2'], schema: 'team_a', sslMode: 'verify-full' },
  ],
  ['postgres://ann@db', { database: 'ann' }],
  ['postgres://ann@db:65535', { hosts: ['db:65535'] }],
  ['etcd://h', { user: 'ann', password: 'a:b' }, { ETCDCTL_USER: 'ann:a:b' }],
  ['etcd://h', { password: 'pw' }, { ETCDCTL_USER: 'ann', ETCDCTL_PASSWORD: 'pw' }],
  ['postgres://db', { user: 'ann', password: 'pw' }, { PGUSER: 'ann', PGPASSWORD: 'pw' }],
  [
    'postgres://ann@db',
    { database: 'lists', hosts: ['db:99'], sslMode: 'require' },
    { PGDATABASE: 'lists', PGPORT: '99', PGSSLMODE: 'require' },
  ],
])('%s is read as %j with the variables %j', (url, expected, variables = {}) => {
  expect(readStateUrl(url, variables)).toMatchObject(expected);
});

test.each([
  ['redis://h/x', /must begin with etcd/],
  ['h1:2379', /must begin with etcd/],
  ['', /must begin with etcd/],
  ['etcd://ann:s3cret@/acme', /HOST:PORT/],
  ['etcd://ann:s3cret@h:65536/acme', /HOST:PORT/],
  ['etcd://ann:s3cret@h:x/acme', /HOST:PORT/],
  ['postgres://ann:an@s3cret@h/lists', /@ in a password as %40/],
  ['postgres://h/db', /names no user/],
  ['postgres://ann:s3cret@h/db?sslmode=maybe', /SSL mode/],
  [`postgres://ann:s3cret@h/db?schema=${'é'.repeat(32)}`, /63 bytes/],
  ['postgres://ann:s3cret%@h/db', /%25/],
])('%s is refused, and no password is repeated', (url, reason) => {
  expect(() => readStateUrl(url, {})).toThrow(reason);
  try {
    readStateUrl(url, {});
  } catch (error) {
    expect(String(error)).not.toContain('s3cret');
  }
});

describe('a password file', () => {
  const wanted = ['db', '5432', 'lists', 'ann'];
  const file = (text: string, mode = 0o600) => {
    const path = join(temporaryDirectory(), 'pgpass');
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };

  test.each([
    ['db:5432:lists:ann:pw\n', 'pw'],
    ['# db:5432:lists:ann:no\n*:*:*:ann:pw\n', 'pw'],
    ['other:5432:lists:ann:no\n*:*:lists:*:first\n*:*:*:*:second', 'first'],
    ['db:5432:lists:ann:a\\:b\\\\c\r\n', 'a:b\\c'],
    ['db:5432:lists:bob:no\n', undefined],
    ['db:5432\n\n:::::\n', undefined],
  ])('%j gives %s', (text, password) => {
    expect(passwordFrom(file(text), wanted)).toBe(password);
  });

  test('that others may read is not used, and one that is not there is none', () => {
    expect(passwordFrom(file('*:*:*:*:pw', 0o644), wanted)).toBeUndefined();
    expect(passwordFrom('/nowhere/pgpass', wanted)).toBeUndefined();
  });
});
