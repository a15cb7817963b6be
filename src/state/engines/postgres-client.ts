import { StateError } from '../state-error.ts';
import { type Login, PostgresConnection, PostgresError, type Row } from './postgres-connection.ts';
import { type Answer, Failed, NO_ANSWER, type Purpose, Servers } from './servers.ts';

export interface PostgresOptions extends Login {
  /** `host:port` of each server; the first that accepts writes is used. */
  readonly hosts: readonly string[];
  readonly schema: string;
  /** The time limit, in milliseconds, of a statement outside of any command, including retries. */
  readonly timeoutMs: number;
}

// The next server is tried after this.
const TRY_MS = 2000;
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

/** A connection, or one that is being opened. */
interface Line {
  readonly address: string;
  readonly opening: Promise<PostgresConnection>;
  /** True while a change is under way, which may wait for a standby; reads do not wait behind it. */
  isChanging: boolean;
}

/** If the connection breaks, a statement is retried. */
export class PostgresClient {
  readonly schema: string;
  readonly servers: Servers;
  readonly #options: PostgresOptions;
  readonly #listeners = new Set<(key: string | undefined) => void>();
  readonly #lines = new Set<Line>();
  /** The one that hears notifications. */
  #listening: Line | undefined;

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.schema = options.schema;
    const { hosts, database, timeoutMs } = options;
    const name = `PostgreSQL at ${hosts.join(', ')}/${database}`;
    this.servers = new Servers(name, hosts, TRY_MS, timeoutMs);
  }

  /** Runs one statement as a transaction of its own. @throws StateError if no server answers in time, or one refuses. */
  run(statement: string, purpose: Purpose = 'read'): Promise<Answer<readonly Row[]>> {
    return this.servers.ask(purpose, (limitMs) => {
      const line = this.#line(limitMs / 2);
      const work = this.#ask(line, statement, purpose !== 'read');
      return within(limitMs, work).catch((error) => this.#failed(line, error));
    });
  }

  /**
   * Calls back with the name of each changed list; with undefined after a reconnect, when changes may have been missed. A
   * pooler may swallow all notifications. Returns a function that stops it.
   */
  listen(listener: (key: string | undefined) => void): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#listen(this.#line(this.servers.tryMs));
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#endListening();
    };
  }

  /** Pending statements fail. */
  close(): void {
    this.servers.isClosed = true;
    for (const line of this.#lines) this.#drop(line);
  }

  /** @param limitMs for connecting: after it, nothing was sent. */
  #line(limitMs: number): Line {
    const address = this.servers.current;
    for (const line of this.#lines) {
      if (line.address !== address) this.#drop(line);
      else if (!line.isChanging) return line;
    }
    const drop = () => this.#drop(line);
    const opening = PostgresConnection.open(address, this.#options, limitMs, drop);
    const line = { address, opening, isChanging: false };
    this.#lines.add(line);
    return line;
  }

  async #ask(line: Line, statement: string, isChange: boolean): Promise<readonly Row[]> {
    line.isChanging ||= isChange;
    try {
      const connection = await line.opening;
      const { rows, warning } = await connection.query(statement);
      // A commit that gave up waiting for its standby succeeds with a warning, and is lost with the server.
      if (isChange && warning !== undefined) throw new Failed(warning, 'open');
      const isOneOf = this.servers.all.length > 1;
      if (connection.isStandby && isOneOf) throw new Failed(STANDBY, 'undone');
      if (this.#listeners.size > 0 && !this.#listening) this.#listen(line);
      return rows;
    } finally {
      if (isChange) line.isChanging = false;
    }
  }

  /** Classifies a failed try. A connection that may be dead is closed: whatever waits on it would wait as long. */
  #failed(line: Line, error: Error): never {
    if (!(error instanceof PostgresError)) {
      this.#drop(line);
      throw error;
    }
    const { code, message } = error;
    if (code === READ_ONLY || WRONG_PASSWORD.test(code)) this.#drop(line);
    if (NO_SCHEMA.has(code)) throw new StateError(`${this.servers.name} ${NO_TABLES}`);
    const outcome = TRY_AGAIN.has(code) ? 'undone' : IS_OPEN.test(code) ? 'open' : 'refused';
    throw new Failed(message, outcome);
  }

  /** If it fails, the next answered statement listens again; until then, polling must do. */
  #listen(line: Line): void {
    const tell = (key?: string) => {
      for (const hear of [...this.#listeners]) hear(key);
    };
    this.#listening = line;
    const listen = async () => {
      const connection = await line.opening;
      connection.heard = tell;
      await connection.query(`listen ${quotedName(this.schema)}`);
      tell();
    };
    within(this.servers.tryMs, listen()).catch((error) => {
      if (this.#listening === line) this.#listening = undefined;
      if (!(error instanceof PostgresError)) this.#drop(line);
    });
  }

  #endListening(): void {
    const listening = this.#listening;
    this.#listening = undefined;
    void listening?.opening
      .then((connection) => {
        connection.heard = undefined;
        return connection.query('unlisten *');
      })
      .catch(() => {});
  }

  #drop(line: Line | undefined): void {
    if (line === undefined || !this.#lines.delete(line)) return;
    if (line === this.#listening) this.#listening = undefined;
    line.opening.then(
      (connection) => connection.end(),
      () => {},
    );
  }
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
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
