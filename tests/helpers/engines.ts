import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { orElse } from '../../src/base/system/files.ts';
import type { AnyPlace, PlaceOptions } from '../../src/lists/place.ts';
import { EtcdEngine, type EtcdOptions } from '../../src/servers/etcd-engine.ts';
import { PostgresEngine, type PostgresOptions } from '../../src/servers/postgres-engine.ts';
import { ServerPlace } from '../../src/servers/server-storage.ts';
import { eventually } from './eventually.ts';
import { hasPrograms, isHere } from './machine.ts';
import { freePorts } from './ports.ts';

// Real servers, each on its own ports on loopback.

const TRIES = 3;
const isRoot = process.getuid?.() === 0;
const POSTGRES = postgresPrograms();
export const hasEtcd = hasPrograms('etcd', 'etcdctl');
export const hasPostgres =
  isHere('PostgreSQL', POSTGRES !== '') &&
  hasPrograms('psql', ...(isRoot ? ['runuser'] : [])) &&
  hasPrograms(
    ...['initdb', 'pg_basebackup', 'pg_ctl', 'postgres'].map((name) => join(POSTGRES, name)),
  );

/** Debian does not put them on PATH. */
function postgresPrograms(): string {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root) : [];
  return versions.map((version) => join(root, version, 'bin')).find(existsSync) ?? '';
}

/** Retries on other ports if another program was faster. */
async function onFreePorts<Server>(
  count: number,
  start: (ports: readonly number[]) => Promise<Server>,
): Promise<Server> {
  for (let left = TRIES; ; left--) {
    try {
      return await start(await freePorts(count));
    } catch (error) {
      if (left === 1) throw error;
    }
  }
}

export interface Member {
  readonly endpoint: string;
  readonly process: ChildProcess;
  /** After a kill. */
  restart(): Member;
}

/** A server of either engine, as tests use it. */
export interface TestServer {
  readonly port: number;
  /** Of this file's lists. */
  readonly url: string;
  /** This file's lists through a proxy's port. */
  urlAt(port: number): string;
  /** Without lists or tables. */
  emptyUrl(): string;
  /** Closed with the test. @param via a proxy's port. */
  place<T>(
    key: string,
    options: PlaceOptions,
    via?: { port?: number; timeoutMs?: number },
  ): AnyPlace<T>;
}

export const uniqueName = () => `t${randomBytes(6).toString('hex')}`;

/** Closes it with the test. */
export function closing<Client extends { close(): unknown }>(client: Client): Client {
  onTestFinished(() => void client.close());
  return client;
}

/** A running etcd, and the prefix of this file's lists. */
export class Etcd implements TestServer {
  readonly endpoints: readonly string[];
  readonly root: string;
  readonly #tls: EtcdOptions['tls'];

  constructor(endpoints: readonly string[], root: string, tls?: EtcdOptions['tls']) {
    this.endpoints = endpoints;
    this.root = root;
    this.#tls = tls;
  }

  get port(): number {
    return Number(this.endpoints[0]?.split(':')[1]);
  }

  get url(): string {
    return `${this.#tls ? 'etcds' : 'etcd'}://${this.endpoints.join(',')}/${this.root}`;
  }

  urlAt(port: number): string {
    return `etcd://127.0.0.1:${port}/${this.root}`;
  }

  emptyUrl(): string {
    return `${this.url}-${uniqueName()}`;
  }

  /** Of all members unless endpoints are given. */
  client(options: Partial<EtcdOptions> = {}): EtcdEngine {
    return new EtcdEngine({
      hosts: this.endpoints,
      root: this.root,
      timeoutMs: 5000,
      ...(this.#tls && { tls: this.#tls }),
      ...options,
    });
  }

  place<T>(key: string, options: PlaceOptions, { port = 0, timeoutMs = 5000 } = {}) {
    const hosts = port ? [`127.0.0.1:${port}`] : this.endpoints;
    const client = closing(this.client({ hosts, timeoutMs }));
    return new ServerPlace<T>(async () => client, key, options);
  }
}

/** Of etcd, for one of the members whose URLs for each other are `peers`. */
export function memberArguments(
  folder: string,
  peers: readonly string[],
  index: number,
  client: string,
): string[] {
  const [name, peer] = [`m${index}`, String(peers[index])];
  return [
    ...['--name', name, '--data-dir', join(folder, name)],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
    ...['--initial-cluster', peers.map((url, at) => `m${at}=${url}`).join(',')],
    ...['--log-level', 'error', '--heartbeat-interval', '50', '--election-timeout', '500'],
  ];
}

export class EtcdCluster extends Etcd {
  readonly folder: string;
  readonly members: Member[] = [];

  private constructor(folder: string, ports: readonly number[], tls: EtcdOptions['tls']) {
    super(
      ports.map((port) => `127.0.0.1:${port}`),
      'acme',
      tls,
    );
    this.folder = folder;
  }

  /**
   * @param certificate of the servers and their clients, which then use TLS.
   * @param parent the folder of its files.
   */
  static start(
    size = 1,
    args: readonly string[] = [],
    certificate?: { readonly cert: string; readonly key: string },
    parent = tmpdir(),
  ): Promise<EtcdCluster> {
    return onFreePorts(2 * size, async (ports) => {
      const [cert, key] = certificate
        ? [readFileSync(certificate.cert), readFileSync(certificate.key)]
        : [];
      const tls = cert && { ca: cert, cert, key };
      const folder = mkdtempSync(join(parent, 'etcd-test-'));
      const cluster = new EtcdCluster(folder, ports.slice(0, size), tls);
      const secure = certificate
        ? ['--cert-file', certificate.cert, '--key-file', certificate.key]
        : [];
      try {
        cluster.#startMembers(ports, [...secure, ...args]);
        await cluster.leader();
        return cluster;
      } catch (error) {
        cluster.stop();
        throw error;
      }
    });
  }

  #startMembers(ports: readonly number[], args: readonly string[]): void {
    const size = ports.length / 2;
    const peers = ports.slice(size).map((port) => `http://127.0.0.1:${port}`);
    for (let index = 0; index < size; index++) {
      const scheme = args.includes('--cert-file') ? 'https' : 'http';
      const client = `${scheme}://127.0.0.1:${ports[index]}`;
      const argv = [...memberArguments(this.folder, peers, index, client), ...args];
      const restart = (): Member => {
        const member = {
          endpoint: `127.0.0.1:${ports[index]}`,
          process: spawn('etcd', argv, { stdio: 'ignore' }),
          restart,
        };
        this.members[index] = member;
        return member;
      };
      restart();
    }
  }

  /** Waits until there is one. */
  leader(): Promise<Member> {
    return eventually('there is a leader', async () => {
      for (const member of this.members) {
        if (member.process.exitCode !== null) {
          throw new Error('a member of etcd ended: was its port taken?');
        }
        const client = this.client({ hosts: [member.endpoint], timeoutMs: 500 });
        try {
          const { answer } = await client.call('maintenance/status', {});
          if (answer.leader === answer.header?.member_id) return member;
        } catch {
          // Not this one.
        } finally {
          client.close();
        }
      }
      return undefined;
    });
  }

  stop(): void {
    for (const { process } of this.members) process.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A running PostgreSQL, and the database of this file's lists. */
export class Postgres implements TestServer {
  readonly port: number;
  readonly #database: string;

  constructor(port: number, database: string) {
    this.port = port;
    this.#database = database;
  }

  get url(): string {
    return this.urlAt(this.port);
  }

  urlAt(port: number): string {
    return `postgres://lists@127.0.0.1:${port}/${this.#database}`;
  }

  emptyUrl(): string {
    return `${this.url}?schema=${uniqueName()}`;
  }

  client(options: Partial<PostgresOptions> = {}): PostgresEngine {
    return new PostgresEngine({
      hosts: [`127.0.0.1:${this.port}`],
      database: this.#database,
      user: 'lists',
      password: () => undefined,
      methods: new Set(['none', 'scram-sha-256']),
      schema: 'todowrite',
      timeoutMs: 5000,
      ...options,
    });
  }

  place<T>(key: string, options: PlaceOptions, { port = this.port, timeoutMs = 5000 } = {}) {
    const client = closing(this.client({ hosts: [`127.0.0.1:${port}`], timeoutMs }));
    return new ServerPlace<T>(async () => client, key, options);
  }

  async makeTables(): Promise<void> {
    const engine = this.client();
    await Promise.resolve(engine.init()).finally(() => engine.close());
  }

  sql(text: string): string {
    const argv = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'lists', '-Atc', text];
    return execFileSync('psql', [...argv, this.#database], { encoding: 'utf8' });
  }
}

export class PostgresServer extends Postgres {
  readonly folder: string;

  private constructor(port: number, parent: string) {
    super(port, 'postgres');
    this.folder = mkdtempSync(join(parent, 'postgres-test-'));
    chmodSync(this.folder, 0o755);
    if (isRoot) {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
      chownSync(this.folder, id('-u'), id('-g'));
    }
  }

  /** @param parent the folder of its files. */
  static start(parent = tmpdir()): Promise<PostgresServer> {
    return PostgresServer.#begin(async (server) => {
      server.#makeData();
      server.#start();
      await server.makeTables();
    }, parent);
  }

  /** A synchronous standby, read-only until promoted. */
  static standbyOf(primary: PostgresServer): Promise<PostgresServer> {
    return PostgresServer.#begin(async (server) => {
      const source = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'lists'];
      const how = ['-R', '-X', 'stream', '-c', 'fast'];
      server.#run('pg_basebackup', ...source, '-D', server.#data, ...how);
      server.#start();
      primary.sql("alter system set synchronous_standby_names = '*'");
      primary.sql('select pg_reload_conf()');
      const state = 'select sync_state from pg_stat_replication';
      await eventually('the standby is in step', () => primary.sql(state).trim() === 'sync');
    });
  }

  static #begin(
    make: (server: PostgresServer) => Promise<void>,
    parent = tmpdir(),
  ): Promise<PostgresServer> {
    return onFreePorts(1, async ([port = 0]) => {
      const server = new PostgresServer(port, parent);
      try {
        await make(server);
        return server;
      } catch (error) {
        server.stop();
        throw error;
      }
    });
  }

  /** Accepts writes from now on. */
  promote(): void {
    this.#run('pg_ctl', '-D', this.#data, '-w', 'promote');
  }

  /** All its processes at once, like a power cut. */
  kill(): void {
    this.#run('pg_ctl', '-D', this.#data, '-m', 'immediate', 'stop');
  }

  /** After `kill`. */
  restart(): void {
    this.#start();
  }

  get #data(): string {
    return join(this.folder, 'data');
  }

  /** initdb takes a second, so its result is kept for the run's next server. */
  #makeData(): void {
    const kept = join(process.env.TEST_FOLDER ?? this.folder, 'initdb');
    if (!existsSync(kept)) {
      const options = ['-U', 'lists', '-A', 'trust', '--no-sync', '-E', 'UTF8'];
      this.#run('initdb', '-D', this.#data, ...options);
      const copy = `${kept}-${process.pid}`;
      execFileSync('cp', ['-a', this.#data, copy]);
      try {
        renameSync(copy, kept);
      } catch {
        rmSync(copy, { recursive: true }); // Another process was first.
      }
    } else {
      execFileSync('cp', ['-a', kept, this.#data]);
    }
  }

  #start(): void {
    // Shared memory in /dev/shm would stay there after a kill.
    const memory = '-c dynamic_shared_memory_type=mmap';
    // No test cuts the machine's power.
    const settings = `-c max_connections=200 -c fsync=off ${memory}`;
    const options = `-p ${this.port} -k ${this.folder} -h 127.0.0.1 ${settings}`;
    const log = join(this.folder, 'log');
    this.#run('pg_ctl', '-D', this.#data, '-w', '-t', '60', '-l', log, '-o', options, 'start');
  }

  /** Of the main process. */
  get pid(): number {
    return Number.parseInt(readFileSync(join(this.#data, 'postmaster.pid'), 'utf8'), 10);
  }

  /** Only this role needs a password from now on. */
  requirePasswordOf(role: string, method = 'scram-sha-256'): void {
    const file = join(this.#data, 'pg_hba.conf');
    writeFileSync(file, `host all ${role} 127.0.0.1/32 ${method}\n${readFileSync(file, 'utf8')}`);
    this.#run('pg_ctl', '-D', this.#data, 'reload');
  }

  /** Shows this certificate from now on. */
  speakTls({ cert, key }: { readonly cert: string; readonly key: string }): void {
    const { uid, gid } = statSync(this.#data);
    for (const [file, name] of [
      [cert, 'server.crt'],
      [key, 'server.key'],
    ] as const) {
      const copy = join(this.#data, name);
      writeFileSync(copy, readFileSync(file), { mode: 0o600 });
      chownSync(copy, uid, gid);
    }
    this.sql('alter system set ssl = on');
    this.#run('pg_ctl', '-D', this.#data, 'reload');
  }

  stop(): void {
    // It may have ended by itself.
    orElse(() => existsSync(join(this.#data, 'postmaster.pid')) && this.kill(), undefined);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  /** PostgreSQL does not run as root. */
  #run(program: string, ...args: string[]): void {
    const path = join(POSTGRES, program);
    const [command = path, ...rest] = isRoot
      ? ['runuser', '-u', 'postgres', '--', path, ...args]
      : [path, ...args];
    execFileSync(command, rest, { stdio: 'ignore', cwd: this.folder });
  }
}
