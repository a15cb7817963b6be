import type { Environment } from '../../environment.ts';
import type { Engine } from './engine.ts';
import { EtcdClient } from './etcd-client.ts';
import { EtcdEngine } from './etcd-engine.ts';
import { PostgresClient } from './postgres-client.ts';
import { PostgresEngine } from './postgres-engine.ts';
import { passwordOf, tlsOf } from './secrets.ts';
import { readStateUrl } from './state-url.ts';

export interface EngineOptions {
  /** TODO_STATE_URL. */
  readonly url: string;
  /** For the engine's own variables, certificates and passwords. */
  readonly environment: Environment;
  /** The time limit, in milliseconds, of a request outside of any command (TODO_STATE_TIMEOUT). */
  readonly timeoutMs: number;
}

/**
 * Opens the engine of TODO_STATE_URL. It connects with the first request.
 *
 * @throws StateError for an invalid URL, or if a file named by a variable cannot be read.
 */
export function openEngine(options: EngineOptions): Engine {
  const { url, environment, timeoutMs } = options;
  const target = readStateUrl(url, environment);
  const password = () => passwordOf(target, environment);
  const tls = tlsOf(target, environment);
  if (target.engine === 'postgres') {
    return new PostgresEngine(new PostgresClient({ ...target, password, tls, timeoutMs }));
  }
  const { hosts, root, user: name } = target;
  const user = name === undefined ? undefined : { name, password: password() ?? '' };
  return new EtcdEngine(new EtcdClient({ hosts, tls, user, timeoutMs }), root);
}
