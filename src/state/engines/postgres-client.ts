import type { PendingQuery, default as Postgres, Row, Sql } from 'postgres';
import { StateError } from '../state-error.ts';
import { connectToPostgres } from './postgres-socket.ts';
import type { Tls } from './secrets.ts';
import { type Answer, Failed, NO_ANSWER, type Purpose, Servers } from './servers.ts';
import { splitAddress } from './state-url.ts';
import { TooMuch } from './stored-content.ts';

export interface PostgresOptions {
  /** `host:port` of each server; the first that accepts writes is used. */
  readonly hosts: readonly string[];
  readonly database: string;
  readonly user: string;
  /** Called for each connection. */
  readonly password: () => string | undefined;
  readonly tls?: Tls | undefined;
  readonly schema: string;
  /** The time limit, in milliseconds, of a statement outside of any command, including retries. */
  readonly timeoutMs: number;
}

/** A statement, given the names of its tables. */
export type Statement = (
  sql: Sql,
  lists: PendingQuery<Row[]>,
  versions: PendingQuery<Row[]>,
) => PendingQuery<Row[]>;

// The next server is tried after this.
const TRY_MS = 2000;
const IDLE_SECONDS = 10;
/** A standby, or a primary that accepts no writes now. */
const READ_ONLY = '25006';
/** No rows were touched, and a retry may succeed: a deadlock, or a server that is starting or has too many clients. */
const TRY_AGAIN = new Set([READ_ONLY, '40001', '40P01', '57P03', '53300']);
/** The server went away or gave up, and the statement may have been carried out. */
const IS_OPEN = /^(08|57)/;
const WRONG_PASSWORD = /^28/;
const NO_SCHEMA = new Set(['42P01', '3F000']);
const NO_TABLES = 'has no tables for lists; create them with: agent-shell state init';
export const STANDBY = 'a standby, which accepts no writes';

/** If the connection breaks, a statement is retried. */
export class PostgresClient {
  readonly schema: string;
  readonly servers: Servers;
  readonly #postgres: typeof Postgres;
  readonly #options: PostgresOptions;
  readonly #listeners = new Set<(key: string | undefined) => void>();
  #sql: Sql | undefined;
  /** The server of these connections. */
  #sqlOf: string | undefined;
  /** The time limit for connecting: after it, nothing was sent. */
  #connectMs = 0;
  /** For notifications alone. */
  #listening: Sql | undefined;
  /** The server's latest warning. */
  #warning: { readonly message: string } | undefined;

  /** @param postgres the library, loaded only if needed. */
  constructor(postgres: typeof Postgres, options: PostgresOptions) {
    this.#postgres = postgres;
    this.#options = options;
    this.schema = options.schema;
    const { hosts, database, timeoutMs } = options;
    const name = `PostgreSQL at ${hosts.join(', ')}/${database}`;
    this.servers = new Servers(name, hosts, TRY_MS, timeoutMs);
  }

  /** Runs one statement as a transaction of its own. @throws StateError if no server answers in time, or one refuses. */
  run(statement: Statement, purpose: Purpose = 'read'): Promise<Answer<readonly Row[]>> {
    return this.servers.ask(purpose, async (limitMs) => {
      const before = this.#warning;
      const rows = await this.#try(statement, limitMs);
      // A commit that gave up waiting for its standby succeeds with a warning, and is lost with the server.
      if (purpose === 'read' || this.#warning === before) return rows;
      throw new Failed(this.#warning?.message ?? '', 'open');
    });
  }

  /**
   * Calls back with the name of each changed list; with undefined after a reconnect, when changes may have been missed. A
   * pooler may swallow all notifications. Returns a function that stops it.
   */
  listen(listener: (key: string | undefined) => void): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#listen();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#endListening();
    };
  }

  /** Pending statements fail. Does not wait until the server has closed the connections. */
  async close(): Promise<void> {
    this.servers.isClosed = true;
    this.#giveUp();
    await new Promise(setImmediate);
  }

  async #try(statement: Statement, limitMs: number): Promise<readonly Row[]> {
    this.#connectMs = limitMs / 2;
    const sql = this.#connect();
    try {
      const table = (name: string) => sql`${sql(this.schema)}.${sql(name)}`;
      const query = statement(sql, table('lists'), table('versions'));
      const rows = await within(limitMs, query);
      const isStandby = sql.parameters.in_hot_standby === 'on';
      if (isStandby && this.servers.all.length > 1) throw new Failed(STANDBY, 'undone');
      if (this.#listening === undefined && this.#listeners.size > 0) this.#listen();
      return rows;
    } catch (error) {
      throw this.#failure(sql, error as PostgresError);
    }
  }

  /** Classifies a failed try. Connections that may be dead are closed: whatever waits on them would wait as long. */
  #failure(sql: Sql, error: PostgresError): Error {
    const { code = '', message } = error;
    // The bundle renames its class; only the server reports a severity.
    const isAnswer = 'severity' in error;
    const isUsable = isAnswer && code !== READ_ONLY && !WRONG_PASSWORD.test(code);
    if (!isUsable && sql === this.#sql) this.#giveUp();
    if (error instanceof Failed || error instanceof StateError) return error;
    if (NO_SCHEMA.has(code)) return new StateError(`${this.servers.name} ${NO_TABLES}`);
    if (error instanceof TooMuch) return new Failed(message, 'hopeless');
    if (!isAnswer) return new Failed(isEnd(code) ? 'the connection ended' : message, 'open');
    const outcome = TRY_AGAIN.has(code) ? 'undone' : IS_OPEN.test(code) ? 'open' : 'refused';
    return new Failed(message, outcome);
  }

  #connect(): Sql {
    if (this.#sqlOf !== this.servers.current) this.#giveUp();
    this.#sqlOf = this.servers.current;
    this.#sql ??= this.#open();
    return this.#sql;
  }

  #giveUp(): void {
    void this.#sql?.end({ timeout: 0 }).catch(() => {});
    this.#sql = undefined;
    this.#endListening();
  }

  #listen(): void {
    const tell = (key: string | undefined) => {
      for (const hear of [...this.#listeners]) hear(key);
    };
    // The next answered statement listens again; until then, polling must do.
    const end = () => {
      if (this.#listening === sql) this.#endListening();
    };
    const sql = this.#open(end);
    this.#listening = sql;
    sql.listen(this.schema, tell, () => tell(undefined)).catch(end);
  }

  #endListening(): void {
    void this.#listening?.end({ timeout: 0 }).catch(() => {});
    this.#listening = undefined;
  }

  /** @param onClose called when a connection has ended. */
  #open(onClose: () => void = () => {}): Sql {
    const { database, user, password, tls } = this.#options;
    const { current } = this.servers;
    let secret = '';
    const connect = async () => {
      // If the password cannot be read, that is why there is no connection.
      secret = password() ?? '';
      const socket = await connectToPostgres(current, tls, this.#connectMs);
      return socket.once('close', onClose);
    };
    // Missing in the library's types.
    const how = { socket: connect } as object;
    return this.#postgres({
      ...how,
      ...splitAddress(current),
      database,
      user,
      password: () => secret,
      max: 4,
      // Lets a program end that has nothing else to do.
      idle_timeout: IDLE_SECONDS,
      // Ours has the remaining time, and knows whether anything was sent.
      connect_timeout: 0,
      // Transaction poolers do not support prepared statements.
      prepare: false,
      fetch_types: false,
      onnotice: (notice) => {
        if (notice.severity === 'WARNING') this.#warning = { message: String(notice.message) };
      },
    });
  }
}

interface PostgresError extends Error {
  readonly code?: string;
}

/** The library's own message names a server, or `undefined`. */
function isEnd(code: string): boolean {
  return code.startsWith('CONNECTION_');
}

async function within<T>(milliseconds: number, work: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Failed(NO_ANSWER, 'open')), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
