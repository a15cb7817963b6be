import { expect, test } from 'vitest';
import { readStateUrl } from '../../src/servers/state-url.ts';

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
  [
    'postgres://ann@db',
    {
      database: 'ann',
      sslMode: 'prefer',
      methods: new Set(['none', 'password', 'md5', 'scram-sha-256', 'gss', 'sspi']),
    },
  ],
  [`postgres://ann@db?schema=${'a'.repeat(63)}`, { schema: 'a'.repeat(63) }],
  // As psql reads it.
  ['postgres://ann:a#b@db/c#d?schema=e#f', { password: 'a#b', database: 'c#d', schema: 'e#f' }],
  ['postgres://ann@db:65535', { hosts: ['db:65535'] }],
  ['etcd://h', { user: 'ann', ownPassword: 'a:b' }, { ETCDCTL_USER: 'ann:a:b' }],
  ['etcd://h', { ownPassword: 'pw' }, { ETCDCTL_USER: 'ann', ETCDCTL_PASSWORD: 'pw' }],
  ['etcd://bob@h', { user: 'bob', ownPassword: undefined }, { ETCDCTL_USER: 'ann:pw' }],
  ['postgres://db', { user: 'ann', ownPassword: 'pw' }, { PGUSER: 'ann', PGPASSWORD: 'pw' }],
  ['postgres://ann@db?schema=a+b&schema=a%20b', { schema: 'a b' }],
  ['postgres://ann@db?require_auth=md5,gss', { methods: new Set(['md5', 'gss']) }],
  [
    'postgres://ann@db',
    { methods: new Set(['scram-sha-256', 'gss', 'sspi']) },
    { PGREQUIREAUTH: '!none,!password,!md5', PGCHANNELBINDING: 'prefer' },
  ],
  [
    'postgres://ann@db',
    { database: 'lists', hosts: ['db:99'], sslMode: 'require' },
    { PGDATABASE: 'lists', PGPORT: '99', PGSSLMODE: 'require' },
  ],
])('%s is read as %j with the variables %j', (url, expected, variables = {}) => {
  expect(readStateUrl(url, variables)).toMatchObject(expected);
});

test.each<[string, RegExp, Record<string, string>?]>([
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
  ['postgres://ann%00:s3cret@h/db', /%25/],
  ...['sslMode=require', 'ssl_mode=s3cret', 'sslrootcert=s3cret', 'channel_binding=require'].map(
    (query): [string, RegExp] => [`postgres://ann@h/db?schema=a&${query}`, /unknown parameter/],
  ),
  [
    'postgres://ann@h/db?sslmode',
    /unknown parameter; after \? it may have schema=\.\.\., sslmode=\.\.\., require_auth=\.\.\.$/,
  ],
  ['etcds://h/acme?sslmode=s3cret', /it may have nothing$/],
  ['postgres://ann@h?require_auth=s3cret', /require_auth must be some of/],
  ['postgres://ann@h?require_auth=md5,!s3cret', /require_auth must be some of/],
  [
    'postgres://ann@h',
    /^PGCHANNELBINDING=require is not supported/,
    { PGCHANNELBINDING: 'require' },
  ],
  ['postgres://ann@h', /^PGSSLCRL=a.crl is not supported/, { PGSSLCRL: 'a.crl' }],
])('%s is refused, and no password is repeated', (url, reason, variables = {}) => {
  expect(() => readStateUrl(url, variables)).toThrow(reason);
  try {
    readStateUrl(url, variables);
  } catch (error) {
    expect(String(error)).not.toContain('s3cret');
  }
});
