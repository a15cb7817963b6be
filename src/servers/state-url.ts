import { StateError } from '../base/command/state-error.ts';
import type { Environment } from '../base/environment.ts';

export type StateUrl =
  | {
      readonly engine: 'etcd';
      /** `host:port` of each member. */
      readonly hosts: readonly string[];
      readonly isEncrypted: boolean;
      /** The prefix of all keys, without a slash at its end. */
      readonly root: string;
      readonly user: string | undefined;
      readonly password: string | undefined;
    }
  | {
      readonly engine: 'postgres';
      /** `host:port` of each server. */
      readonly hosts: readonly string[];
      readonly database: string;
      readonly schema: string;
      readonly user: string;
      readonly password: string | undefined;
      readonly sslMode: SslMode;
    };

export type SslMode = (typeof SSL_MODES)[number];

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
const FORM = /^([a-z]+):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?#]*)(?:\/([^?#]*))?(?:\?(.*))?$/s;
const DEFAULT_NAME = 'todowrite';

/**
 * Reads a URL such as `etcds://h1:2379,h2:2379/acme` or `postgres://user@host/db?schema=acme`. Missing parts come from the
 * engine's own variables (ETCDCTL_USER, PGUSER, PGSSLMODE, ...).
 *
 * @throws StateError for anything else; its message repeats nothing of the URL, which may hold a password.
 */
export function readStateUrl(text: string, environment: Environment): StateUrl {
  const [, scheme = '', login = '', secret, authority = '', path = '', query = ''] =
    FORM.exec(text.trim()) ?? [];
  const [user, password] = [decode(login), secret && decode(secret)];
  switch (scheme) {
    case 'etcd':
    case 'etcds': {
      const [, own, ownSecret] = /^([^:]*)(?::(.*))?$/s.exec(environment.ETCDCTL_USER ?? '') ?? [];
      return {
        engine: 'etcd',
        hosts: addressesIn(authority, 2379),
        isEncrypted: scheme === 'etcds',
        root: path.replace(/^\/+|\/+$/g, '') || DEFAULT_NAME,
        user: user || own || undefined,
        password: password ?? ownSecret ?? environment.ETCDCTL_PASSWORD,
      };
    }
    case 'postgres':
    case 'postgresql': {
      const options = new URLSearchParams(query);
      const name = user || environment.PGUSER;
      if (!name)
        throw new StateError('TODO_STATE_URL names no user: postgres://USER@HOST/DATABASE');
      const schema = options.get('schema') || DEFAULT_NAME;
      // PostgreSQL cuts longer names.
      if (Buffer.byteLength(schema) > 63)
        throw new StateError('the schema of TODO_STATE_URL must be at most 63 bytes');
      return {
        engine: 'postgres',
        hosts: addressesIn(authority, Number(environment.PGPORT) || 5432),
        database: decode(path) || environment.PGDATABASE || name,
        schema,
        user: name,
        password: password ?? environment.PGPASSWORD,
        sslMode: sslMode(options.get('sslmode') ?? environment.PGSSLMODE ?? 'prefer'),
      };
    }
    default:
      throw new StateError(
        'TODO_STATE_URL must begin with etcd://, etcds:// or postgres://, as in etcd://127.0.0.1:2379/acme',
      );
  }
}

function addressesIn(authority: string, defaultPort: number): string[] {
  return authority.split(',').map((text) => {
    const [, host, port] = /^(\[[0-9a-fA-F:.]+\]|[^\s:@[\]]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
    if (host === undefined || Number(port) > 65535) {
      throw new StateError(
        'TODO_STATE_URL must name its servers as HOST:PORT, with commas between them, and @ in a password as %40',
      );
    }
    return `${host}:${Number(port ?? defaultPort)}`;
  });
}

/** @param address such as `db:5432` or `[::1]:2379`; the host is returned without brackets. */
export function splitAddress(address: string): { readonly host: string; readonly port: number } {
  const [, host = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  return { host, port: Number(port) };
}

function sslMode(text: string): SslMode {
  const mode = SSL_MODES.find((known) => known === text);
  if (mode === undefined) {
    throw new StateError(`the SSL mode of TODO_STATE_URL must be one of ${SSL_MODES.join(', ')}`);
  }
  return mode;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new StateError('TODO_STATE_URL has a % that is not part of an escape; write it as %25');
  }
}
