import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StateError } from '../base/command/state-error.ts';
import type { Environment } from '../base/environment.ts';
import type { ServerOptions } from '../lists/storage.ts';
import type { Tls } from './connection.ts';
import type { Engine } from './engine.ts';
import { readStateUrl, type StateUrl, splitAddress } from './state-url.ts';

/**
 * Opens the engine of TODO_STATE_URL. It connects with the first request.
 *
 * @throws StateError for an invalid URL, or if a file named by a variable cannot be read.
 */
export async function openEngine(options: ServerOptions): Promise<Engine> {
  const { url, environment, timeoutMs } = options;
  const target = readStateUrl(url, environment);
  const password = (address = '') => passwordOf(target, environment, address);
  const tls = tlsOf(target, environment);
  // Each program loads the code of one engine.
  if (target.engine === 'postgres') {
    const { PostgresEngine } = await import('./postgres-engine.ts');
    return new PostgresEngine({ ...target, password, tls, timeoutMs });
  }
  const { hosts, root, user: name } = target;
  const { EtcdEngine } = await import('./etcd-engine.ts');
  const user = name === undefined ? undefined : { name, password: password() ?? '' };
  return new EtcdEngine({ hosts, root, tls, user, timeoutMs });
}

const CERTIFICATES = {
  etcd: ['ETCDCTL_CACERT', 'ETCDCTL_CERT', 'ETCDCTL_KEY'],
  postgres: ['PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY'],
};

/** The certificates that the engine's own variables name; undefined for no TLS. */
function tlsOf(target: StateUrl, environment: Environment): Tls | undefined {
  if (target.engine === 'etcd' ? !target.isEncrypted : target.sslMode === 'disable') return;
  const variables = CERTIFICATES[target.engine];
  const [ca, cert, key] = variables.map((name) =>
    environment[name] ? fileNamedBy(name, environment[name]) : undefined,
  );
  if (target.engine === 'etcd') return { ca, cert, key, variables, rejectUnauthorized: true };
  if (target.sslMode === 'verify-ca' && !ca) {
    // A public CA gives everybody a certificate, for some name.
    throw new StateError('sslmode=verify-ca needs PGSSLROOTCERT; without it, use verify-full');
  }
  return {
    ...{ ca, cert, key, variables },
    isOptional: target.sslMode === 'prefer' && !ca,
    rejectUnauthorized: target.sslMode.startsWith('verify') || Boolean(ca),
    // verify-ca checks the signature of the certificate, not its name.
    ...(target.sslMode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}

/**
 * The password of the URL, of TODO_STATE_PASSWORD_FILE, of the engine's variable, or of `~/.pgpass`.
 *
 * @param address the server that asks for it.
 */
function passwordOf(
  target: StateUrl,
  environment: Environment,
  address: string,
): string | undefined {
  const { TODO_STATE_PASSWORD_FILE: file, PGPASSFILE, HOME = '/' } = environment;
  if (target.password) return target.password;
  if (file) {
    const text = fileNamedBy('TODO_STATE_PASSWORD_FILE', file).toString('utf8');
    return text.replace(/\r?\n$/, '');
  }
  if (target.ownPassword || target.engine === 'etcd') return target.ownPassword;
  const { host, port } = splitAddress(address);
  const path = PGPASSFILE || join(HOME, '.pgpass');
  return passwordFrom(path, [host, String(port), target.database, target.user]);
}

/**
 * The password of the first matching line of a password file, as in libpq
 * (https://www.postgresql.org/docs/current/libpq-pgpass.html): `host:port:database:user:password`, where `*` matches
 * anything and a backslash escapes the next character. Only a file that nobody else may read is used.
 *
 * @param wanted host, port, database and user.
 */
export function passwordFrom(file: string, wanted: readonly string[]): string | undefined {
  let text: string;
  try {
    const stats = statSync(file);
    if (!stats.isFile() || (stats.mode & 0o077) !== 0) return undefined;
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  for (const line of text.split(/\r?\n/)) {
    const fields = line.startsWith('#') ? [] : passwordFields(line);
    const fits = wanted.every((value, index) => fields[index] === '*' || fields[index] === value);
    if (fits) return fields[4];
  }
  return undefined;
}

function passwordFields(line: string): string[] {
  const fields = line.match(/(?:\\.|[^:\\])*(?::|$)/gs) ?? [];
  return fields.map((field) => field.replace(/:$/, '').replace(/\\(.)/gs, '$1'));
}

function fileNamedBy(variable: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const reason = (error as Error).message;
    throw new StateError(`cannot read ${variable} (${path}): ${reason}`, { isOfReading: true });
  }
}
