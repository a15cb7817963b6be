import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { default as Postgres } from 'postgres';
import type { Environment } from '../../environment.ts';
import type { PlaceOptions } from '../lists.ts';
import type { SharedPlace } from '../place.ts';
import { attempt } from '../state-error.ts';
import { EtcdClient } from './etcd-client.ts';
import { EtcdPlace } from './etcd-place.ts';
import * as etcd from './etcd-range.ts';
import { passwordFrom } from './pgpass.ts';
import { PostgresClient } from './postgres-client.ts';
import { PostgresPlace } from './postgres-place.ts';
import { checkWriting, initPostgres } from './postgres-schema.ts';
import type { Tls } from './postgres-socket.ts';
import { lastChangeBelow, listsBelow, watchLists } from './postgres-watch.ts';
import { readStateUrl, type StateUrl } from './state-url.ts';

/** A server that lists live on. */
export interface Engine {
  /** What it is and where, without any secret. */
  readonly name: string;
  /** The list of this name, such as `todos/SESSION/AGENT`. */
  place<T>(key: string, options: PlaceOptions): SharedPlace<T>;
  /** The lists whose names begin so, with the newest version of each. */
  lists(prefix: string): Promise<{ readonly key: string; readonly version: number }[]>;
  /** As that of `Lists`. */
  watch(prefix: string, listener: () => void): () => void;
  /** Makes what the engine needs before the first list, if it is not there. */
  init(): Promise<void>;
  /** Changes nothing. @throws StateError where a list of this name could not be written. */
  checkWriting(key: string): Promise<void>;
  /** What can be said of its servers, one line each. */
  status(): Promise<string[]>;
  /** Ends its connections. */
  close(): Promise<void>;
}

export interface EngineOptions {
  /** TODO_STATE_URL. */
  readonly url: string;
  /** Where the engine's own variables, certificates and passwords are looked for. */
  readonly environment: Environment;
  /** The time limit, in milliseconds, of a request that no command makes (TODO_STATE_TIMEOUT). */
  readonly timeoutMs: number;
}

/**
 * Opens the engine of TODO_STATE_URL. It connects with the first request.
 *
 * @throws StateError for a URL that is none.
 */
export async function openEngine({ url, environment, timeoutMs }: EngineOptions): Promise<Engine> {
  const target = readStateUrl(url, environment);
  if (target.engine === 'etcd') return etcdEngine(target, environment, timeoutMs);
  const { default: postgres } = await import('postgres');
  return postgresEngine(postgres, target, environment, timeoutMs);
}

function etcdEngine(
  target: Extract<StateUrl, { engine: 'etcd' }>,
  environment: Environment,
  timeoutMs: number,
): Engine {
  const { endpoints, root, user } = target;
  const { ETCDCTL_CACERT: ca, ETCDCTL_CERT: cert, ETCDCTL_KEY: key } = environment;
  const password = target.password ?? passwordInFile(environment);
  const client = new EtcdClient({
    endpoints,
    timeoutMs,
    ...(target.isEncrypted && {
      tls: {
        ca: ca ? fileNamedBy('ETCDCTL_CACERT', ca) : undefined,
        cert: cert ? fileNamedBy('ETCDCTL_CERT', cert) : undefined,
        key: key ? fileNamedBy('ETCDCTL_KEY', key) : undefined,
      },
    }),
    user: user === undefined ? undefined : { name: user, password: password ?? '' },
  });
  const start = `${root}/`;
  return {
    name: client.name,
    place: (key, options) => new EtcdPlace({ client, key: start + key, ...options }),
    lists: async (prefix) =>
      (await etcd.listsBelow(client, start + prefix)).map(({ key, version }) => ({
        key: key.slice(start.length),
        version,
      })),
    watch: (prefix, listener) => {
      const range = etcd.rangeBelow(start + prefix);
      const newest = () => etcd.lastChangeIn(client, range);
      return etcd.watchRange(client, range, { newest, known: '', listener }).end;
    },
    init: async () => {},
    checkWriting: (key) => etcd.checkWriting(client, `${start}${key}/`),
    status: async () =>
      (await client.status()).map(({ endpoint, answer, ms }) =>
        answer instanceof Error
          ? `${endpoint}: ${answer.message}`
          : `${endpoint}: etcd ${answer.version}, ${Math.round(Number(answer.dbSize) / 1024)} KiB, ${ms.toFixed(1)} ms${answer.leader === '0' ? ', no leader' : ''}`,
      ),
    close: async () => client.close(),
  };
}

function postgresEngine(
  postgres: typeof Postgres,
  target: Extract<StateUrl, { engine: 'postgres' }>,
  environment: Environment,
  timeoutMs: number,
): Engine {
  const { hosts, database, user, schema } = target;
  const file = environment.PGPASSFILE || join(environment.HOME ?? '/', '.pgpass');
  const fromFile = () => {
    for (const host of hosts) {
      const found = passwordFrom(file, { ...host, database, user });
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const client = new PostgresClient(postgres, {
    hosts,
    database,
    user,
    password: () => target.password ?? passwordInFile(environment) ?? fromFile(),
    tls: tlsOptions(target, environment),
    schema,
    timeoutMs,
  });
  return {
    name: client.name,
    place: (key, options) => new PostgresPlace({ client, key, ...options }),
    lists: (prefix) => listsBelow(client, prefix),
    watch: (prefix, listener) => {
      const newest = () => lastChangeBelow(client, prefix);
      const isMeant = (key: string) => key.startsWith(prefix);
      return watchLists(client, { isMeant, newest, known: '', listener }).end;
    },
    init: () => initPostgres(client),
    checkWriting: () => checkWriting(client),
    status: async () => [await client.status().catch((error: Error) => error.message)],
    close: () => client.close(),
  };
}

function tlsOptions(
  { sslMode }: Extract<StateUrl, { engine: 'postgres' }>,
  { PGSSLROOTCERT: ca, PGSSLCERT: cert, PGSSLKEY: key }: Environment,
): Tls | undefined {
  if (sslMode === 'disable') return undefined;
  return {
    isOptional: sslMode === 'prefer' && !ca,
    rejectUnauthorized: sslMode.startsWith('verify') || Boolean(ca),
    // verify-ca asks who signed the certificate, and not for whom.
    ...(sslMode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    ca: ca ? fileNamedBy('PGSSLROOTCERT', ca) : undefined,
    cert: cert ? fileNamedBy('PGSSLCERT', cert) : undefined,
    key: key ? fileNamedBy('PGSSLKEY', key) : undefined,
  };
}

function passwordInFile({ TODO_STATE_PASSWORD_FILE: file }: Environment): string | undefined {
  if (!file) return undefined;
  return fileNamedBy('TODO_STATE_PASSWORD_FILE', file)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

function fileNamedBy(variable: string, path: string): Buffer {
  return attempt('read', `${variable} (${path})`, () => readFileSync(path));
}
