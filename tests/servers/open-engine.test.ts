import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { passwordFrom } from '../../src/servers/open-engine.ts';
import { ServerStorage } from '../../src/servers/server-storage.ts';
import { closing, EtcdCluster, hasEtcd, hasPostgres, PostgresServer } from '../helpers/engines.ts';
import { eventually } from '../helpers/eventually.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { freePorts } from '../helpers/ports.ts';
import { useServers } from '../helpers/servers.ts';

// Messages about servers that refuse, are full, or are no database.

const NOON = new Date('2026-05-01T12:00:00.000Z');
const servers = useServers();
const AS_ANN = { author: 'ann', history: 50 };

function open(url: string, environment: Record<string, string> = {}): ServerStorage {
  return closing(new ServerStorage({ url, environment, timeoutMs: 5000 }));
}

/** Runs the commands of docs/machines.md. Each password is `s3cret`. */
function addUsersAsDocumented(endpoint: string): void {
  const page = readFileSync(join(import.meta.dirname, '../../docs/machines.md'), 'utf8');
  const [, commands = ''] = /^```sh\n(etcdctl role add[\s\S]*?)^```$/m.exec(page) ?? [];
  const answering = `set -e; etcdctl() {
    if [ "$1 $2" = 'user add' ]; then command etcdctl "$@" --interactive=false <<< s3cret
    else command etcdctl "$@"; fi
  }\n`;
  const env = { ...process.env, ETCDCTL_ENDPOINTS: endpoint };
  execFileSync('bash', ['-c', answering + commands], { env, stdio: 'pipe' });
}

describe.runIf(hasEtcd)('etcd', () => {
  test('a user reads and writes under the prefix of its role, and nowhere else, until the quota is full', async () => {
    const quota = ['--quota-backend-bytes', String(4 * 1024 * 1024)];
    const cluster = await EtcdCluster.start(1, ['--bcrypt-cost', '4', ...quota]);
    onTestFinished(() => cluster.stop());
    const [endpoint = ''] = cluster.endpoints;
    addUsersAsDocumented(endpoint);
    const secret = join(temporaryDirectory(), 'password');
    writeFileSync(secret, 's3cret\n', { mode: 0o600 });
    const ann = open(`etcd://ann@${endpoint}/team-a`, { TODO_STATE_PASSWORD_FILE: secret });
    const own = ann.place<string>('tasks/a', AS_ANN);
    expect(await own.commit(0, 'ours', NOON)).toMatchObject({ version: 1 });
    expect(await own.load()).toMatchObject({ content: 'ours' });
    const strange = open(`etcd://ann@${endpoint}/team-b`, { TODO_STATE_PASSWORD_FILE: secret });
    const others = strange.place<string>('tasks/a', AS_ANN);
    await expect(others.commit(0, 'x', NOON)).rejects.toThrow(
      /refused: permission denied; nothing was changed$/,
    );
    await ann.probeWriting('tasks/a');
    await expect(strange.probeWriting('tasks/a')).rejects.toThrow(/permission denied/);
    expect(await own.load()).toMatchObject({ version: 1 });
    const wrong = open(`etcd://ann@${endpoint}/team-a`, { ETCDCTL_PASSWORD: 'Wr0ng' });
    const refused = wrong.place<string>('tasks/a', AS_ANN).commit(1, 'x', NOON);
    await expect(refused).rejects.toThrow(
      /authentication failed, invalid user ID or password; nothing/,
    );
    await expect(refused).rejects.not.toThrow(/Wr0ng/);
    const nobody = open(`etcd://${endpoint}/team-a`);
    await expect(nobody.place('tasks/a', AS_ANN).load()).rejects.toThrow(
      /user name is empty|permission denied/,
    );
    let base = 1;
    const fill = async () => {
      for (; base < 50; base++) await own.commit(base, randomBytes(200_000).toString('hex'), NOON);
    };
    await expect(fill()).rejects.toThrow(/space exceeded: its quota is full; nothing was changed$/);
    expect((await own.load())?.version).toBe(base);
  });

  test('over TLS each side must trust the certificate of the other; the error names the variables', async () => {
    const [ca, other] = [certificateAuthority(), certificateAuthority()];
    const asked = ['--client-cert-auth', '--trusted-ca-file', ca.cert];
    const cluster = await EtcdCluster.start(1, asked, ca);
    onTestFinished(() => cluster.stop());
    const place = (variables: Record<string, string>) =>
      open(cluster.url, variables).place<string>('todos/s/a', AS_ANN);
    const own = { ETCDCTL_CERT: ca.cert, ETCDCTL_KEY: ca.key };
    const trusting = place({ ETCDCTL_CACERT: ca.cert, ...own });
    expect(await trusting.commit(0, 'x', NOON)).toMatchObject({ version: 1 });
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    const wary = place({ ETCDCTL_CACERT: other.cert, ...own });
    await expect(wary.commit(1, 'y', NOON)).rejects.toThrow(
      /self-signed certificate.*; nothing was changed$/,
    );
    for (const [variables, problem] of [
      [{}, 'alert'],
      [{ ...own, ETCDCTL_KEY: other.key }, 'key values mismatch'],
      [{ ...own, ETCDCTL_CERT: ca.key }, 'no start line'],
    ] as const) {
      await expect(place({ ETCDCTL_CACERT: ca.cert, ...variables }).load()).rejects.toThrow(
        new RegExp(`${problem}.*; ETCDCTL_CACERT, ETCDCTL_CERT, ETCDCTL_KEY name certificates$`),
      );
    }
    const lost = place({ ETCDCTL_CACERT: '/nowhere/ca.pem' });
    await expect(lost.load()).rejects.toThrow(
      /cannot read ETCDCTL_CACERT \(\/nowhere\/ca.pem\): ENOENT/,
    );
  });

  test('a list that is too large for one request is refused before it is sent', async () => {
    const place = servers.etcd.place<string>('todos/large/a', AS_ANN);
    const large = randomBytes(1024 * 1024).toString('hex');
    expect(await place.commit(0, 'a'.repeat(4_000_000), NOON)).toMatchObject({ version: 1 });
    expect((await place.load())?.content).toHaveLength(4_000_000);
    const larger = large + randomBytes(1024 * 1024).toString('hex');
    await expect(place.commit(1, larger, NOON)).rejects.toThrow(
      /^the list is too large for etcd: \d+ bytes, at most \d+; nothing was changed$/,
    );
  });
});

/** The server prepares it for SCRAM (SASLprep). */
const SECRET = 's3cret²';

describe.runIf(hasPostgres)('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.stop());

  const urlFor = (role: string) => `postgres://${role}@127.0.0.1:${server.port}/postgres`;

  /** A role that may read the tables, with a password that the server asks for by this method. */
  function createReader(role: string, method?: string): void {
    const encryption = method ? 'md5' : 'scram-sha-256';
    server.sql(`set password_encryption = '${encryption}'; create role ${role} login password '${SECRET}';
      grant usage on schema todowrite to ${role}; grant select on all tables in schema todowrite to ${role}`);
    server.requirePasswordOf(role, method);
  }

  test('tables are made by init alone, and asking for it twice is fine', async () => {
    const storage = open(`${server.url}?schema=fresh`);
    const place = storage.place<string>('todos/s/a', AS_ANN);
    await expect(place.commit(0, 'x', NOON)).rejects.toThrow(
      /create them with: agent-shell state init$/,
    );
    await expect(place.load()).rejects.toThrow(/agent-shell state init$/);
    expect((await storage.status())[1]).toMatch(/no tables for lists yet/);
    await storage.init();
    await storage.init();
    expect(await place.commit(0, 'x', NOON)).toMatchObject({ version: 1 });
    expect((await storage.status())[1]).toMatch(/^PostgreSQL \d+\.\d+.*, schema fresh, [\d.]+ ms$/);
    server.sql(`update fresh.versions set value = 'x'`);
    const other = open(`${server.url}?schema=fresh`).place<string>('todos/s/a', AS_ANN);
    await expect(other.load()).rejects.toThrow(
      /^PostgreSQL at .*: todos\/s\/a: version 1 is damaged/,
    );
  });

  test('a schema of any name is only that', async () => {
    const storage = open(`${server.url}?schema=a$$b'"%5c%3b`);
    await storage.init();
    const place = storage.place<string>('todos/s/a', AS_ANN);
    expect(await place.commit(0, 'x', NOON)).toMatchObject({ version: 1 });
  });

  test('functions and operators that others have put into the search path are never run', async () => {
    const trap = (name: string, given: string, returns: string) =>
      `create function traps.${name}(${given}) returns ${returns} language plpgsql
         as 'begin raise ''trapped by ${name}''; end';`;
    const operator = (name: string, left: string, right: string, returns: string, index: number) =>
      `${trap(`operator_${index}`, `${left}, ${right}`, returns)} create operator traps.${name}
         (leftarg = ${left}, rightarg = ${right}, function = traps.operator_${index});`;
    server.sql(`create schema traps; create role victim superuser login;
      alter role victim set search_path = traps, pg_catalog;
      ${trap('left', 'text, int', 'text')} ${trap('encode', 'bytea, text', 'text')}
      ${trap('decode', 'text, text', 'bytea')} ${trap('pg_notify', 'text, text', 'void')}
      ${trap('current_setting', 'text', 'text')} ${trap('to_regclass', 'text', 'text')}
      ${trap('has_table_privilege', 'text, text', 'boolean')}
      ${trap('pg_is_in_recovery', '', 'boolean')} ${trap('pg_advisory_xact_lock', 'bigint', 'void')}
      ${operator('||', 'bigint', 'text', 'text', 1)} ${operator('||', 'text', 'bigint', 'text', 2)}
      ${operator('||', 'text', 'numeric', 'text', 3)} ${operator('=', 'text', 'text', 'boolean', 4)}
      ${operator('<=', 'bigint', 'int', 'boolean', 5)} ${operator('=', 'bigint', 'int', 'boolean', 6)}`);
    const victim = open(`${urlFor('victim')}?schema=trapped`);
    await victim.init();
    const place = victim.place<string>('todos/s/a', { author: 'ann', history: 1 });
    const seen = new Promise<void>((resolve) =>
      onTestFinished(victim.watch('todos', () => resolve())),
    );
    for (const base of [0, 1]) {
      expect(await place.commit(base, 'x', NOON)).toMatchObject({ version: base + 1 });
    }
    await seen;
    expect(await victim.find('todos')).toHaveLength(1);
    await victim.probeWriting('todos/s/a');
    expect((await victim.status()).at(-1)).toMatch(/ms$/);
    server.sql("set search_path = traps, pg_catalog; insert into trapped.lists values ('b', 1)");
  });

  test('several that ask for init at once all get it', async () => {
    const servers = Array.from({ length: 8 }, () => open(`${server.url}?schema=at_once`));
    await Promise.all(servers.map((storage) => storage.init()));
    const place = servers[0]?.place<string>('todos/s/a', AS_ANN);
    expect(await place?.commit(0, 'x', NOON)).toMatchObject({ version: 1 });
  });

  test('a password file that cannot be read is named', async () => {
    createReader('carl');
    const storage = open(urlFor('carl'), { TODO_STATE_PASSWORD_FILE: '/nowhere/password' });
    const place = storage.place('tasks/a', AS_ANN);
    // A watcher learns of it by reading; it must not end the program.
    onTestFinished(place.watch(() => {}));
    for (let time = 0; time < 2; time++) {
      await expect(place.load()).rejects.toThrow(
        /^cannot read TODO_STATE_PASSWORD_FILE \(\/nowhere\/password\): ENOENT/,
      );
    }
  });

  test('a user with all rights may write, but not in read-only transactions', async () => {
    server.sql('create role owner superuser login');
    const url = urlFor('owner');
    await open(url).probeWriting('tasks/a');
    server.sql('alter role owner set default_transaction_read_only = on');
    await expect(open(url).probeWriting('tasks/a')).rejects.toThrow(/transactions are read-only$/);
  });

  test('a change that the server cancelled for its time was not made', async () => {
    server.sql(
      "create role hasty superuser login; alter role hasty set statement_timeout = '50ms'",
    );
    const url = urlFor('hasty');
    const storage = closing(new ServerStorage({ url, environment: {}, timeoutMs: 1000 }));
    const place = storage.place<string>('tasks/hasty', AS_ANN);
    expect(await place.commit(0, 'a', NOON)).toMatchObject({ version: 1 });
    const lock = 'begin; lock table todowrite.lists in exclusive mode; select pg_sleep(3)';
    const argv = ['-h', '127.0.0.1', '-p', String(server.port), '-U', 'lists', '-c', lock];
    const other = spawn('psql', [...argv, 'postgres'], { stdio: 'ignore' });
    onTestFinished(() => void other.kill());
    const held =
      "select count(*) from pg_locks where mode = 'ExclusiveLock' and relation is not null";
    await eventually('it is locked', () => server.sql(held).trim() !== '0');
    await expect(place.commit(1, 'b', NOON)).rejects.toThrow(
      /^cannot write to PostgreSQL at .*: canceling statement due to .*; nothing was changed$/,
    );
  });

  test('a wrong password is reported but not printed; ~/.pgpass has the right one', async () => {
    createReader('bob');
    const url = urlFor('bob');
    const reader = open(url, { PGPASSWORD: SECRET });
    await expect(reader.probeWriting('tasks/a')).rejects.toThrow(/may not write the tables/);
    const wrong = open(url, { PGPASSWORD: 'Wr0ng' });
    const refused = wrong.place('tasks/a', AS_ANN).load();
    await expect(refused).rejects.toThrow(/password authentication failed for user "bob"/);
    await expect(refused).rejects.not.toThrow(/Wr0ng/);
    const home = temporaryDirectory();
    writeFileSync(join(home, '.pgpass'), `127.0.0.1:${server.port}:*:bob:${SECRET}\n`, {
      mode: 0o600,
    });
    const right = open(url, { HOME: home });
    expect(await right.place('tasks/b', AS_ANN).load()).toBeUndefined();
    await expect(open(url).place('tasks/b', AS_ANN).load()).rejects.toThrow(/set PGPASSWORD or /);
  });

  test('the password for a host is that of its own line in ~/.pgpass, and a file for lists comes before PGPASSWORD', async () => {
    createReader('dora');
    const home = temporaryDirectory();
    const lines = `localhost:${server.port}:*:dora:Wr0ng\n127.0.0.1:*:*:*:${SECRET}\n`;
    writeFileSync(join(home, '.pgpass'), lines, { mode: 0o600 });
    const [closed = 0] = await freePorts(1);
    const url = `postgres://dora@localhost:${closed},127.0.0.1:${server.port}/postgres`;
    expect(await open(url, { HOME: home }).place('tasks/b', AS_ANN).load()).toBeUndefined();
    writeFileSync(join(home, 'password'), SECRET);
    const variables = { PGPASSWORD: 'Wr0ng', TODO_STATE_PASSWORD_FILE: join(home, 'password') };
    const storage = open(urlFor('dora'), variables);
    expect(await storage.place('tasks/b', AS_ANN).load()).toBeUndefined();
  });

  test('each password that PostgreSQL accepts from psql logs in, however it is to be prepared', async () => {
    const odd = [
      'I\u00adX',
      '\u00aa',
      '\u2168',
      'a\u0007',
      '\u0627\u0031',
      'no\u00a0break',
      'e\u0301te',
      'a\u200bb\u200c',
      '\ufb01\u{1f600}',
      '\ufb01\ue000',
      '\u05d0\ufb01',
      '\u05d0\u2460\u05d1',
      '\ufb1d',
      '\u00ad',
      '\uff21\u0340',
      '\u0221\ufb01',
      '\u30ac\u30cf\u3099',
      '\ufdfa',
      '\u2126\ufeff',
      '\u{1d7d8}',
    ];
    const roles = odd.map(
      (password, index) => `create role odd${index} login in role odd password '${password}';`,
    );
    createReader('odd');
    server.requirePasswordOf('+odd');
    server.sql(`set password_encryption = 'scram-sha-256'; ${roles.join('')}`);
    const login = ([index, password]: [number, string]) =>
      open(urlFor(`odd${index}`), { PGPASSWORD: password })
        .place('tasks/b', AS_ANN)
        .load();
    const refused = Array.from(odd.entries(), (entry) =>
      Promise.resolve(login(entry)).then(
        () => [],
        () => [entry[1]],
      ),
    );
    expect((await Promise.all(refused)).flat()).toEqual([]);
  });

  test.for(['password', 'md5'])('by the older method %s a password is needed', async (method) => {
    const role = `by_${method}`;
    createReader(role, method);
    const load = (PGPASSWORD: string) =>
      open(urlFor(role), { PGPASSWORD }).place('tasks/b', AS_ANN).load();
    expect(await load(SECRET)).toBeUndefined();
    await expect(load('Wr0ng')).rejects.toThrow(/password authentication failed/);
    const strict = open(`${urlFor(role)}?require_auth=scram-sha-256`, { PGPASSWORD: SECRET });
    await expect(strict.place('tasks/b', AS_ANN).load()).rejects.toThrow(
      new RegExp(`refused: its method, ${method}, is not one of require_auth$`),
    );
  });

  // Last, since the server shows a certificate from then on.
  test('over TLS the certificate must be signed by the CA that is named, and be for one of the hosts', async () => {
    const outcome = async (host: string, sslmode: string, ca?: string) => {
      const url = `postgres://lists@${host}:${server.port}/postgres?sslmode=${sslmode}`;
      const environment: Record<string, string> = ca === undefined ? {} : { PGSSLROOTCERT: ca };
      const storage = closing(new ServerStorage({ url, environment, timeoutMs: 20_000 }));
      const place = storage.place<string>(`todos/${host}/${sslmode}`, AS_ANN);
      return Promise.resolve(place.load())
        .then(() => place.commit(0, 'a', NOON))
        .then(
          () => 'written',
          (error: Error) => error.message,
        );
    };
    expect(await outcome('127.0.0.1', 'require')).toMatch(
      /; for a server without TLS, set sslmode=disable/,
    );
    const [ca, other] = [certificateAuthority(), certificateAuthority('IP:127.0.0.1')];
    server.speakTls(other);
    const speaksTls = async () => (await outcome('127.0.0.1', 'require')) === 'written';
    await eventually('it speaks TLS', speaksTls);
    expect(await outcome('127.0.0.1', 'verify-full', other.cert)).toBe('written');
    expect(await outcome('localhost', 'verify-ca', other.cert)).toBe('written');
    expect(await outcome('localhost', 'verify-ca')).toMatch(
      /^sslmode=verify-ca needs PGSSLROOTCERT/,
    );
    expect(await outcome('localhost', 'verify-full', other.cert)).toMatch(
      /refused: Hostname\/IP does not match /,
    );
    // Node 24 adds advice.
    expect(await outcome('127.0.0.1', 'verify-ca', ca.cert)).toMatch(
      /refused: self-signed certificate/,
    );
  });
});

/** A self-signed certificate for 127.0.0.1. */
function certificateAuthority(names = 'IP:127.0.0.1,DNS:localhost'): { cert: string; key: string } {
  const folder = temporaryDirectory();
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', '-subj', '/CN=lists'],
      ...['-addext', `subjectAltName=${names}`, '-keyout', key, '-out', cert],
    ],
    { stdio: 'ignore' },
  );
  return { cert, key };
}

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
    ['*:*:*:*:\n*:*:*:*:second', ''],
    ['db:5432:lists:bob:no\n', undefined],
    ['db:5432\n\n:::::\n', undefined],
  ])('%j gives %s', (text, password) => {
    expect(passwordFrom(file(text), wanted)).toBe(password);
  });

  test('that others may read is not used, and one that is not there is none', () => {
    expect(passwordFrom(file('*:*:*:*:pw', 0o644), wanted)).toBeUndefined();
    expect(passwordFrom('/nowhere/pgpass', wanted)).toBeUndefined();
    const pipe = join(temporaryDirectory(), 'pgpass');
    execFileSync('mkfifo', ['-m', '600', pipe]);
    expect(passwordFrom(pipe, wanted)).toBeUndefined();
  });
});
