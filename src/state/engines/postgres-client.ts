import { setTimeout as pause } from 'node:timers/promises';
import type { Options, PendingQuery, default as Postgres, Row, Sql } from 'postgres';
import { notKnown, StateError } from '../state-error.ts';
import { UNTRUSTED } from './untrusted.ts';

/** How to reach one PostgreSQL. */
export interface PostgresOptions {
  /** `host:port` of each server; the first that takes writes is used. */
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly database: string;
  readonly user: string;
  /** Asked for when a connection is made. */
  readonly password: () => string | undefined;
  readonly ssl: Options<Record<string, never>>['ssl'];
  readonly schema: string;
  /** The time limit of one statement in milliseconds, including retries. */
  readonly timeoutMs: number;
}

/** What a statement gave; `wasResent` where an earlier try of it may have been carried out too. */
export interface StatementResult<T> {
  readonly rows: readonly T[];
  readonly wasResent: boolean;
}

// A server that does not answer is left for the next one after so long.
const TRY_MS = 2000;
const PAUSE_MS = 100;
const IDLE_SECONDS = 10;
/** No rows were touched, and another try may do better: a standby, a deadlock, a server that is starting. */
const TRY_AGAIN = new Set(['25006', '40001', '40P01', '57P03', '53300']);
/** The server went away, or gave up, with the outcome open. */
const IS_OPEN = /^(08|57)/;
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECT_TIMEOUT',
  'EHOSTUNREACH',
]);
const NO_ANSWER = 'no answer in time';
/** Node's words where a server ends the connection instead of agreeing on TLS. */
const BEFORE_TLS = /before secure TLS connection/;
const NO_TLS = '; for a server without TLS, set sslmode=disable';
const NO_SCHEMA = new Set(['42P01', '3F000']);

/** Speaks to PostgreSQL. If the connection breaks, a statement is tried again, for `timeoutMs` at most. */
export class PostgresClient {
  readonly schema: string;
  readonly #postgres: typeof Postgres;
  readonly #options: PostgresOptions;
  readonly #listeners = new Set<(key: string | undefined) => void>();
  #sql: Sql | undefined;
  /** For notifications alone. */
  #listening: Sql | undefined;
  #isClosed = false;

  /** @param postgres the library, which is loaded only where it is needed. */
  constructor(postgres: typeof Postgres, options: PostgresOptions) {
    this.#postgres = postgres;
    this.#options = options;
    this.schema = options.schema;
  }

  /** The servers, as an error names them. */
  get name(): string {
    const { hosts, database } = this.#options;
    return `PostgreSQL at ${hosts.map(({ host, port }) => `${host}:${port}`).join(', ')}/${database}`;
  }

  /**
   * Runs one statement, which is a transaction of its own.
   *
   * @param isChange whether it may change something: then the error says whether it can have been carried out.
   * @throws StateError where no server answers in time, or one refuses.
   */
  async run<T extends object = Row>(
    statement: (sql: Sql) => PendingQuery<T[]>,
    isChange = false,
  ): Promise<StatementResult<T>> {
    const deadline = Date.now() + this.#options.timeoutMs;
    let mayBeDone = false;
    let reason = NO_ANSWER;
    for (;;) {
      try {
        const rows = await within(this.#tryMs(deadline), statement(this.#connect()));
        return { rows, wasResent: mayBeDone };
      } catch (error) {
        const { code = '', message } = error as { code?: string; message: string };
        // Whatever waits on a connection that has gone silent would wait as long; and the library itself waits longer
        // and longer before it connects again.
        if (error instanceof Late || NEVER_SENT.has(code)) this.#reconnect();
        // Its class loses its name in a bundle; the server alone says how severe an error is.
        const isAnswer = 'severity' in (error as Error);
        const isUntrusted = UNTRUSTED.test(code);
        const wasNeverSent = NEVER_SENT.has(code) || isUntrusted || BEFORE_TLS.test(message);
        const isUndone = isAnswer ? !IS_OPEN.test(code) : wasNeverSent;
        mayBeDone ||= !isUndone;
        // What the last try had too little time for is no reason.
        if (!(error instanceof Late)) reason = message;
        const isFinal = isUntrusted || (isAnswer && isUndone && !TRY_AGAIN.has(code));
        // A try that has hardly any time would only leave open what it did.
        if (!isFinal && !this.#isClosed && Date.now() + 2 * PAUSE_MS < deadline) {
          await pause(PAUSE_MS);
          continue;
        }
        throw this.#error(code, reason, isChange, mayBeDone, isFinal);
      }
    }
  }

  /**
   * Hears of each change of a list, by its name; of undefined after a connection was made again, when any list may have
   * changed unheard. A pooler may swallow it all. Returns what ends it.
   */
  listen(listener: (key: string | undefined) => void): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#listen();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#endListening();
    };
  }

  /** What the server says of itself, in one line. */
  async status(): Promise<string> {
    const start = performance.now();
    const { rows } = await this.run(
      (sql) => sql<{ version: string; tables: boolean; writes: boolean }[]>`
        select current_setting('server_version') as version,
          to_regclass(${`${JSON.stringify(this.schema)}.versions`}) is not null as tables,
          not pg_is_in_recovery() as writes`,
    );
    const { version, tables, writes } = rows[0] ?? {};
    const problems = [
      ...(tables ? [] : ['no tables for lists yet: agent-shell state init']),
      ...(writes ? [] : ['a standby, which takes no writes']),
    ];
    const ms = (performance.now() - start).toFixed(1);
    return [`PostgreSQL ${version}, schema ${this.schema}, ${ms} ms`, ...problems].join('; ');
  }

  /** Ends its connections; what is under way fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endListening();
    await this.#sql?.end({ timeout: 1 });
  }

  #tryMs(deadline: number): number {
    const left = deadline - Date.now();
    return this.#options.hosts.length > 1 ? Math.min(left, TRY_MS) : left;
  }

  #reconnect(): void {
    const old = this.#sql;
    this.#sql = undefined;
    void old?.end({ timeout: 0 }).catch(() => {});
    if (this.#listeners.size === 0) return;
    this.#endListening();
    this.#listen();
  }

  #listen(): void {
    const tell = (key: string | undefined) => {
      for (const hear of [...this.#listeners]) hear(key);
    };
    this.#listening = this.#open();
    this.#listening
      .listen(this.schema, tell, () => tell(undefined))
      .catch(() => {
        // Then looking now and then has to do.
      });
  }

  #endListening(): void {
    void this.#listening?.end({ timeout: 0 }).catch(() => {});
    this.#listening = undefined;
  }

  #connect(): Sql {
    this.#sql ??= this.#open();
    return this.#sql;
  }

  #open(): Sql {
    const { hosts, database, user, password, ssl, timeoutMs } = this.#options;
    // The types know of one host only; the library takes a list.
    const servers = { host: hosts.map(({ host }) => host), port: hosts.map(({ port }) => port) };
    return this.#postgres({
      ...(servers as object),
      database,
      user,
      password: () => password() ?? '',
      ssl: ssl ?? false,
      max: 4,
      // A program that has nothing else to do ends.
      idle_timeout: IDLE_SECONDS,
      // Transaction poolers do not support prepared statements.
      prepare: false,
      connect_timeout: Math.max(1, timeoutMs / 2000),
      fetch_types: false,
      onnotice: () => {},
      ...(hosts.length > 1 && { target_session_attrs: 'read-write' }),
    });
  }

  #error(
    code: string,
    reason: string,
    isChange: boolean,
    mayBeDone: boolean,
    isFinal: boolean,
  ): StateError {
    if (isChange && mayBeDone) {
      return notKnown(`${this.name}: ${reason}`);
    }
    const ending = isChange ? '; nothing was changed' : '';
    if (NO_SCHEMA.has(code)) {
      return new StateError(
        `${this.name} has no tables for lists; make them with: agent-shell state init`,
      );
    }
    const what = isFinal ? 'refused' : 'cannot be reached';
    const hint = BEFORE_TLS.test(reason) ? NO_TLS : '';
    const message = `${this.name} ${what}: ${reason}${hint}${ending}`;
    return new StateError(message, { isOfReading: !isChange });
  }
}

class Late extends Error {}

async function within<T>(milliseconds: number, work: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late(NO_ANSWER)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
