import { StateError } from '../base/command/state-error.ts';
import type { Environment } from '../base/environment.ts';
import { OTHER_SCHEME } from '../lists/storage.ts';

interface Servers {
  /** `host:port` of each. */
  readonly hosts: readonly string[];
  readonly password: string | undefined;
  /** The value of the engine's own variable. */
  readonly ownPassword: string | undefined;
}

interface EtcdUrl extends Servers {
  readonly engine: 'etcd';
  readonly isEncrypted: boolean;
  /** The prefix of all keys, without a slash at its end. */
  readonly root: string;
  readonly user: string | undefined;
}

interface PostgresUrl extends Servers {
  readonly engine: 'postgres';
  readonly database: string;
  readonly schema: string;
  readonly user: string;
  readonly sslMode: SslMode;
  /** The server may ask for a password by these. */
  readonly methods: ReadonlySet<string>;
}

export type StateUrl = EtcdUrl | PostgresUrl;

/** The user and the password are decoded. */
interface UrlParts {
  readonly user: string;
  readonly password: string | undefined;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
}

export type SslMode = (typeof SSL_MODES)[number];

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
/** Of libpq's `require_auth`; `none` is a server that asks for no password. */
const AUTH_METHODS = ['none', 'password', 'md5', 'scram-sha-256', 'gss', 'sspi'];
const URL_FORM = /^([a-z]+):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s;
const DEFAULT_NAME = 'todowrite';

/**
 * Reads a URL such as `etcds://h1:2379,h2:2379/acme` or `postgres://user@host/db?schema=acme`. Missing parts come from the
 * engine's own variables (ETCDCTL_USER, PGUSER, PGSSLMODE, ...).
 *
 * @throws StateError for anything else; its message repeats nothing of the URL, which may hold a password.
 */
export function readStateUrl(text: string, environment: Environment): StateUrl {
  const [, scheme = '', login = '', secret, authority = '', path = '', query = ''] =
    URL_FORM.exec(text.trim()) ?? [];
  const parts = { user: decode(login), password: secret && decode(secret), authority, path, query };
  switch (scheme) {
    case 'etcd':
    case 'etcds':
      return etcdUrl(parts, scheme === 'etcds', environment);
    case 'postgres':
    case 'postgresql':
      return postgresUrl(parts, environment);
    default:
      throw new StateError(OTHER_SCHEME);
  }
}

function etcdUrl(
  { user, password, authority, path, query }: UrlParts,
  isEncrypted: boolean,
  environment: Environment,
): EtcdUrl {
  parametersIn(query, []);
  const [, own, ownSecret] = /^([^:]*)(?::(.*))?$/s.exec(environment.ETCDCTL_USER ?? '') ?? [];
  return {
    engine: 'etcd',
    hosts: addressesIn(authority, 2379),
    isEncrypted,
    root: path.replace(/^\/+|\/+$/g, '') || DEFAULT_NAME,
    user: user || own || undefined,
    password,
    ownPassword: (user ? undefined : ownSecret) || environment.ETCDCTL_PASSWORD,
  };
}

function postgresUrl(
  { user, password, authority, path, query }: UrlParts,
  environment: Environment,
): PostgresUrl {
  const parameters = parametersIn(query, ['schema', 'sslmode', 'require_auth']);
  refuseUnsupported(environment);
  const name = user || environment.PGUSER;
  if (!name) throw new StateError('TODO_STATE_URL names no user: postgres://USER@HOST/DATABASE');
  const schema = parameters.schema || DEFAULT_NAME;
  // PostgreSQL cuts longer names.
  if (Buffer.byteLength(schema) > 63)
    throw new StateError('the schema of TODO_STATE_URL must be at most 63 bytes');
  return {
    engine: 'postgres',
    hosts: addressesIn(authority, Number(environment.PGPORT) || 5432),
    database: decode(path) || environment.PGDATABASE || name,
    schema,
    user: name,
    password,
    ownPassword: environment.PGPASSWORD,
    sslMode: sslMode(parameters.sslmode ?? environment.PGSSLMODE ?? 'prefer'),
    methods: authMethods(parameters.require_auth ?? environment.PGREQUIREAUTH ?? ''),
  };
}

/** Unknown parameters are refused, as by psql: `sslMode=verify-full` must not be ignored. */
function parametersIn(query: string, known: readonly string[]): Partial<Record<string, string>> {
  const parameters = query === '' ? [] : query.split('&').map((text) => text.split('='));
  for (const { 0: name = '', length } of parameters) {
    if (length === 2 && known.includes(name)) continue;
    const names = known.map((one) => `${one}=...`).join(', ') || 'nothing';
    throw new StateError(`TODO_STATE_URL has an unknown parameter; after ? it may have ${names}`);
  }
  return Object.fromEntries(parameters.map(([name, value = '']) => [name, decode(value)]));
}

/** Variables of libpq that ask for a protection that this client does not have. */
const UNSUPPORTED = {
  PGCHANNELBINDING: /^require$/,
  PGGSSENCMODE: /^require$/,
  PGSSLCRL: /./,
  PGSSLCRLDIR: /./,
  PGSSLMINPROTOCOLVERSION: /^TLSv1\.3$/,
};

function refuseUnsupported(environment: Environment): void {
  for (const [name, demand] of Object.entries(UNSUPPORTED)) {
    if (!demand.test(environment[name] ?? '')) continue;
    throw new StateError(`${name}=${environment[name]} is not supported; unset it to go without`);
  }
}

/** @param text as libpq's `require_auth`: some methods, or all but some with `!` before each. */
function authMethods(text: string): ReadonlySet<string> {
  const [names, isNegative] = [text.split(','), text.startsWith('!')];
  const known = AUTH_METHODS.map((name) => (isNegative ? `!${name}` : name));
  if (text !== '' && !names.every((name) => known.includes(name))) {
    const list = AUTH_METHODS.join(', ');
    throw new StateError(
      `require_auth must be some of ${list}, or all but some with ! before each`,
    );
  }
  const isAllBut = isNegative || text === '';
  return new Set(AUTH_METHODS.filter((_, at) => names.includes(known[at] ?? '') !== isAllBut));
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
    const decoded = decodeURIComponent(text);
    // It would end the text in a message of PostgreSQL.
    if (!decoded.includes('\0')) return decoded;
  } catch {
    // The message follows.
  }
  throw new StateError('TODO_STATE_URL has a % that is not part of an escape; write it as %25');
}
