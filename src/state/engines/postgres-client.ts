import { StateError } from '../state-error.ts';
import { Failed } from './connection.ts';
import { type Login, PostgresConnection, PostgresError, type Row } from './postgres-connection.ts';
import { type Answer, type Purpose, Servers, type ServersOptions } from './servers.ts';

export interface PostgresOptions extends Login, ServersOptions {
  readonly schema: string;
}

// The next server is tried after this.
const TRY_MS = 2000;
const NO_SCHEMA = new Set(['42P01', '3F000']);
const NO_TABLES = 'has no tables for lists; create them with: agent-shell state init';
export const STANDBY = 'a standby, which accepts no writes';

/** If the connection breaks, a statement is retried. */
export class PostgresClient extends Servers<PostgresConnection> {
  readonly schema: string;
  readonly #listeners = new Set<(key: string | undefined) => void>();
  /** The one that hears notifications. */
  #listening: PostgresConnection | undefined;

  constructor(options: PostgresOptions) {
    const { hosts, database, schema } = options;
    const connect = (address: string) => new PostgresConnection(address, options);
    super(`PostgreSQL at ${hosts.join(', ')}/${database}`, options, TRY_MS, connect);
    this.schema = schema;
  }

  /** Runs one statement as a transaction of its own. @throws StateError if no server answers in time, or one refuses. */
  run(statement: string, purpose: Purpose = 'read'): Promise<Answer<readonly Row[]>> {
    return this.ask(purpose, async (connection) => {
      const { rows, warning } = await connection.query(statement).catch((error) => {
        const isMissing = error instanceof PostgresError && NO_SCHEMA.has(error.code);
        throw isMissing ? new StateError(`${this.name} ${NO_TABLES}`) : error;
      });
      // A commit that gave up waiting for its standby succeeds with a warning, and is lost with the server.
      if (purpose !== 'read' && warning !== undefined) throw new Failed(warning, 'open');
      const isOneOf = this.hosts.length > 1;
      if (connection.isStandby && isOneOf) throw new Failed(STANDBY, 'undone');
      if (this.#listeners.size > 0 && this.#listening?.hasEnded !== false) this.#listen(connection);
      return rows;
    });
  }

  /**
   * Calls back with the name of each changed list; with undefined after the next statement, and after a reconnect, when
   * changes may have been missed. A pooler may swallow all notifications. Returns a function that stops it.
   */
  listen(listener: (key: string | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#endListening();
    };
  }

  /** If it fails, the next answered statement listens again; until then, polling must do. */
  #listen(connection: PostgresConnection): void {
    const tell = (key?: string) => {
      for (const hear of [...this.#listeners]) hear(key);
    };
    this.#listening = connection;
    connection.heard = tell;
    connection.query(`listen ${quotedName(this.schema)}`).then(
      () => tell(),
      () => {
        if (this.#listening === connection) this.#listening = undefined;
      },
    );
  }

  #endListening(): void {
    const listening = this.#listening;
    this.#listening = undefined;
    if (listening === undefined) return;
    listening.heard = undefined;
    listening.query('unlisten *').catch(() => {});
  }
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
