import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
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
import postgres from 'postgres';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { EtcdClient, type EtcdOptions } from '../../src/state/engines/etcd-client.ts';
import { EtcdEngine } from '../../src/state/engines/etcd-engine.ts';
import { PostgresClient, type PostgresOptions } from '../../src/state/engines/postgres-client.ts';
import { PostgresEngine } from '../../src/state/engines/postgres-engine.ts';
import type { PlaceOptions } from '../../src/state/lists.ts';
import { ServerPlace } from '../../src/state/server-place.ts';
import { eventually } from './eventually.ts';
import { hasPrograms, isHere } from './machine.ts';
import { freePorts } from './ports.ts';

// Real servers, each on ports of its own on loopback.

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

/** Where the programs of the server are; Debian does not put them on PATH. */
function postgresPrograms(): string {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root) : [];
  return versions.map((version) => join(root, version, 'bin')).find(existsSync) ?? '';
}

/** Starts a server on ports that were free a moment ago: where another program was faster, on others. */
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

/** One member of a cluster. */
export interface Member {
  readonly endpoint: string;
  readonly process: ChildProcess;
  /** Starts it again after a kill. */
  restart(): Member;
}

/** An etcd cluster of its own. */
export class EtcdCluster {
  readonly folder = mkdtempSync(join(tmpdir(), 'etcd-test-'));
  readonly members: Member[] = [];
  #tls: EtcdOptions['tls'];

  /** @param certificate what the members show to clients; these then speak TLS. */
  static start(
    size = 1,
    args: readonly string[] = [],
    certificate?: { readonly cert: string; readonly key: string },
  ): Promise<EtcdCluster> {
    return onFreePorts(2 * size, async (ports) => {
      const cluster = new EtcdCluster();
      if (certificate) cluster.#tls = { ca: readFileSync(certificate.cert) };
      const secure = certificate
        ? ['--cert-file', certificate.cert, '--key-file', certificate.key]
        : [];
      try {
        cluster.#startMembers(ports, [...secure, ...args]);
        await cluster.healthy();
        return cluster;
      } catch (error) {
        cluster.stop();
        throw error;
      }
    });
  }

  #startMembers(ports: readonly number[], args: readonly string[]): void {
    const size = ports.length / 2;
    const peers = ports.slice(size).map((port, index) => `m${index}=http://127.0.0.1:${port}`);
    for (let index = 0; index < size; index++) {
      const client = `${this.#tls ? 'https' : 'http'}://127.0.0.1:${ports[index]}`;
      const peer = `http://127.0.0.1:${ports[size + index]}`;
      const argv = [
        ...['--name', `m${index}`, '--data-dir', join(this.folder, `m${index}`)],
        ...['--listen-client-urls', client, '--advertise-client-urls', client],
        ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
        ...['--initial-cluster', peers.join(','), '--initial-cluster-state', 'new'],
        ...['--log-level', 'error', '--heartbeat-interval', '50', '--election-timeout', '500'],
        ...args,
      ];
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

  get endpoints(): string[] {
    return this.members.map(({ endpoint }) => endpoint);
  }

  /** A client of all members, or of those that are named. It is closed with the test. */
  client(options: Partial<EtcdOptions> = {}): EtcdClient {
    return new EtcdClient({
      endpoints: this.endpoints,
      timeoutMs: 5000,
      ...(this.#tls && { tls: this.#tls }),
      ...options,
    });
  }

  async healthy(): Promise<void> {
    const client = this.client({ timeoutMs: 500 });
    try {
      await eventually('the cluster has a leader', () => {
        if (this.members.some(({ process }) => process.exitCode !== null)) {
          throw new Error('a member of etcd ended: was its port taken?');
        }
        return client.call('kv/range', { key: 'MA==' }).then(
          () => true,
          () => false,
        );
      });
    } finally {
      client.close();
    }
  }

  /** The member that leads now. */
  async leader(): Promise<Member> {
    return eventually(
      'there is a leader',
      async () => {
        for (const member of this.members) {
          const client = this.client({ endpoints: [member.endpoint], timeoutMs: 500 });
          try {
            const { answer } = await client.call('maintenance/status', {});
            if (answer.leader === answer.header?.member_id) return member;
          } catch {
            // It is not the one.
          } finally {
            client.close();
          }
        }
        return undefined;
      },
      60_000,
    );
  }

  etcdctl(...args: string[]): string {
    return execFileSync('etcdctl', ['--endpoints', this.endpoints.join(','), ...args], {
      encoding: 'utf8',
      env: { ...process.env, ETCDCTL_API: '3' },
    });
  }

  stop(): void {
    for (const { process } of this.members) process.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A PostgreSQL server of its own, with the tables for lists by default. */
export class PostgresServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'postgres-test-'));
  readonly port: number;

  private constructor(port: number) {
    this.port = port;
    chmodSync(this.folder, 0o755);
    if (isRoot) {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
      chownSync(this.folder, id('-u'), id('-g'));
    }
  }

  static start({ schema = true } = {}): Promise<PostgresServer> {
    return PostgresServer.#begin(async (server) => {
      server.#makeData();
      server.#start();
      if (!schema) return;
      const engine = new PostgresEngine(server.client());
      await Promise.resolve(engine.init()).finally(() => engine.close());
    });
  }

  /** A server that has all that another one acknowledges from now on, and does not take writes until it is promoted. */
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

  static #begin(make: (server: PostgresServer) => Promise<void>): Promise<PostgresServer> {
    return onFreePorts(1, async ([port = 0]) => {
      const server = new PostgresServer(port);
      try {
        await make(server);
        return server;
      } catch (error) {
        server.stop();
        throw error;
      }
    });
  }

  /** Takes writes from now on. */
  promote(): void {
    this.#run('pg_ctl', '-D', this.#data, '-w', 'promote');
  }

  /** All its processes at once, as when the machine loses power. */
  kill(): void {
    this.#run('pg_ctl', '-D', this.#data, '-m', 'immediate', 'stop');
  }

  /** Starts it again after `kill`. */
  restart(): void {
    this.#start();
  }

  get #data(): string {
    return join(this.folder, 'data');
  }

  /** As initdb makes it. That takes a second, so it is kept for the next server of this run. */
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
    // By default its memory lies in /dev/shm, and stays there when it is killed.
    const memory = '-c dynamic_shared_memory_type=mmap';
    const options = `-p ${this.port} -k ${this.folder} -h 127.0.0.1 -c max_connections=100 ${memory}`;
    const log = join(this.folder, 'log');
    this.#run('pg_ctl', '-D', this.#data, '-w', '-t', '60', '-l', log, '-o', options, 'start');
  }

  get url(): string {
    return `postgres://lists@127.0.0.1:${this.port}/postgres`;
  }

  client(options: Partial<PostgresOptions> = {}): PostgresClient {
    return new PostgresClient(postgres, {
      hosts: [{ host: '127.0.0.1', port: this.port }],
      database: 'postgres',
      user: 'lists',
      password: () => undefined,

      schema: 'todowrite',
      timeoutMs: 5000,
      ...options,
    });
  }

  sql(text: string): string {
    return execFileSync(
      'psql',
      ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'lists', '-Atc', text, 'postgres'],
      {
        encoding: 'utf8',
      },
    );
  }

  /** From now on this role needs its password, the others still do not. */
  requirePasswordOf(role: string): void {
    const file = join(this.#data, 'pg_hba.conf');
    writeFileSync(
      file,
      `host all ${role} 127.0.0.1/32 scram-sha-256\n${readFileSync(file, 'utf8')}`,
    );
    this.#run('pg_ctl', '-D', this.#data, 'reload');
  }

  /** From now on it shows this certificate to whoever asks for TLS. */
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
    try {
      if (existsSync(join(this.#data, 'postmaster.pid'))) this.kill();
    } catch {
      // It ended by itself.
    }
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

/** A server of each engine that is installed, for all tests of a file. */
export function useServers(options?: Parameters<typeof PostgresServer.start>[0]) {
  const servers = {} as { etcd: EtcdCluster; postgres: PostgresServer };
  beforeAll(async () => {
    // Both are waited for, so that one is stopped when the other does not start.
    const started = await Promise.allSettled([
      hasEtcd && EtcdCluster.start().then((etcd) => Object.assign(servers, { etcd })),
      hasPostgres &&
        PostgresServer.start(options).then((postgres) => Object.assign(servers, { postgres })),
    ]);
    for (const server of started) if (server.status === 'rejected') throw server.reason;
  });
  afterAll(() => {
    servers.etcd?.stop();
    servers.postgres?.stop();
  });
  return servers;
}

/** Closes it with the test. */
export function closing<Client extends { close(): unknown }>(client: Client): Client {
  onTestFinished(() => void client.close());
  return client;
}

export function etcdPlace<T>(client: EtcdClient, key: string, options: PlaceOptions) {
  return new ServerPlace<T>(async () => new EtcdEngine(client, 'acme'), key, options);
}

export function postgresPlace<T>(client: PostgresClient, key: string, options: PlaceOptions) {
  return new ServerPlace<T>(async () => new PostgresEngine(client), key, options);
}
