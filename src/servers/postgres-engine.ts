import { StateError } from '../base/command/state-error.ts';
import { clockMs } from '../base/command/time-limit.ts';
import type { HistoryRange } from '../lists/place.ts';
import { Failed } from './connection.ts';
import {
  changedTooOften,
  type Doubt,
  Engine,
  type EngineServers,
  type NewVersion,
  type Purpose,
  type ServerAnswer,
  type StoredOnServer,
} from './engine.ts';
import {
  type Login,
  PostgresConnection,
  PostgresError,
  type ResultRow,
} from './postgres-connection.ts';
import type { Announcement, Announcements, Watermark } from './version-watch.ts';

/** The pause between looks while notifications arrive, and if a pooler swallows them. */
const LOOK_SELDOM_MS = 4000;
const LOOK_OFTEN_MS = 500;
/** The next server is tried after this. */
const POSTGRES_TRY_MS = 2000;
const NO_SCHEMA = new Set(['42P01', '3F000']);
const INIT_FIRST = 'create them with: agent-shell state init';
const STANDBY = 'a standby, which accepts no writes';
/** A lock number that no other program is likely to use. */
const INIT = 7_463_827_311;

export interface PostgresOptions extends Login, EngineServers {
  readonly schema: string;
}

/**
 * Lists in PostgreSQL: a row for each version, and one for each list with the number of the newest.
 *
 * A commit is one statement that moves this row from the base to the next number. PostgreSQL checks the row again once it
 * has its lock, so of several writers one succeeds, however long another was held up.
 */
export class PostgresEngine extends Engine<PostgresConnection> {
  readonly #schemaName: string;
  /** With the prefix of each. */
  readonly #listeners = new Map<(announced: Announcement) => void, string>();
  /** The connection that hears notifications. */
  #listening: PostgresConnection | undefined;

  constructor(options: PostgresOptions) {
    const { hosts, database, schema } = options;
    const connect = (address: string) => new PostgresConnection(address, options);
    super(`PostgreSQL at ${hosts.join(', ')}/${database}`, options, POSTGRES_TRY_MS, connect);
    this.#schemaName = schema;
  }

  where(key: string): string {
    return `${this.name}: ${key}`;
  }

  async read(key: string, { newest, from = 1 }: HistoryRange): Promise<StoredOnServer[]> {
    const rows = await this.#read(`
      select v.version, encode(v.value, 'base64') from ${this.#lists} l
      join ${this.#versions} v using (list)
      where list = ${literal(key)} and v.version between ${from} and l.version
      order by v.version desc ${newest === undefined ? '' : `limit ${newest}`}`);
    return rows.map(([version, value = '']) => ({
      version: Number(version),
      bytes: Buffer.from(value, 'base64'),
    }));
  }

  async newest(key: string): Promise<number> {
    const [list] = await this.#read(
      `select version from ${this.#lists} where list = ${literal(key)}`,
    );
    return Number(list?.[0] ?? 0);
  }

  async commit(key: string, { base, bytes, id, history }: NewVersion): Promise<boolean> {
    const next = base + 1;
    const [lists, versions, list] = [this.#lists, this.#versions, literal(key)];
    const move =
      base === 0
        ? `insert into ${lists} (list, version) values (${list}, 1)
           on conflict (list) do nothing returning version`
        : `update ${lists} set version = ${next}
           where list = ${list} and version = ${base} returning version`;
    const value = `decode('${bytes.toString('base64')}', 'base64')`;
    const statement = `
      with head as (${move}), put as (
        insert into ${versions} (list, version, id, value)
        select ${list}, version, ${literal(id)}, ${value} from head
      ), prune as (
        delete from ${versions} where list = ${list} and version <= ${next - history}
        and exists (select 1 from head)
      ) select version from head`;
    const { answer: rows, doubt } = await this.#run(statement, 'change');
    return rows.length > 0 || (doubt !== undefined && this.#isOurs(key, next, id, doubt));
  }

  async lists(prefix: string): Promise<{ key: string; version: number }[]> {
    const rows = await this.#read(
      `select list, version from ${this.#lists} where ${startsWith(prefix)} order by list`,
    );
    return rows.map(([key = '', version]) => ({ key, version: Number(version) }));
  }

  async lastChange(prefix: string): Promise<Watermark> {
    const [[changes, count] = []] = await this.#read(
      `select coalesce(sum(version), 0), count(*) from ${this.#lists} where ${startsWith(prefix)}`,
    );
    return { newest: Number(changes), count: Number(count) };
  }

  /**
   * Hears the name of each changed list; after the next statement, and after a reconnect, changes may have been missed. A
   * pooler may swallow all notifications.
   */
  announcements(prefix: string): Announcements {
    return {
      pauseMs: { heard: LOOK_SELDOM_MS, missed: LOOK_OFTEN_MS },
      listen: (hear) => {
        this.#listeners.set(hear, prefix);
        return () => {
          this.#listeners.delete(hear);
          if (this.#listeners.size === 0) this.#endListening();
        };
      },
    };
  }

  /**
   * Creates the tables. Only `agent-shell state init` does this: nothing else creates anything in a database that it was
   * merely pointed at. Several at once wait for each other.
   */
  async init(): Promise<void> {
    const schema = this.#schema;
    const channel = literal(this.#schemaName);
    const tell = `begin perform pg_catalog.pg_notify(${channel}, new.list); return null; end`;
    // Sent as one text, these are one transaction.
    const statements = `
      select pg_advisory_xact_lock(${INIT});
      create schema if not exists ${schema};
      create table if not exists ${schema}.lists (
        list text primary key, version bigint not null);
      create table if not exists ${schema}.versions (
        list text not null, version bigint not null, id text not null, value bytea not null,
        primary key (list, version));
      create or replace function ${schema}.tell_of_list() returns trigger language plpgsql as
        ${literal(tell)};
      drop trigger if exists tell_of_list on ${schema}.lists;
      create trigger tell_of_list after insert or update on ${schema}.lists
        for each row execute function ${schema}.tell_of_list()`;
    await this.#run(statements);
  }

  async probeWriting(): Promise<void> {
    const may = (table: string, ...rights: string[]) =>
      rights.map((right) => `has_table_privilege(${literal(table)}, '${right}')`).join(' and ');
    const [row] = await this.#read(`
      select case when current_setting('transaction_read_only') = 'on' then 'transactions are read-only'
        when not (${may(this.#lists, 'insert', 'update')}
          and ${may(this.#versions, 'insert', 'update', 'delete')})
        then 'this user may not write the tables of schema ' || ${literal(this.#schemaName)} end`);
    if (row?.[0] !== undefined) throw new StateError(`${this.name} refused: ${row[0]}`);
  }

  async status(): Promise<string[]> {
    const start = clockMs();
    try {
      const [[version, hasTables, writes] = []] = await this.#read(`
        select current_setting('server_version'), to_regclass(${literal(this.#versions)}) is not null,
          not pg_is_in_recovery()`);
      const problems = [
        ...(hasTables === TRUE ? [] : [`no tables for lists yet; ${INIT_FIRST}`]),
        ...(writes === TRUE ? [] : [STANDBY]),
      ];
      const ms = (clockMs() - start).toFixed(1);
      const schema = `schema ${this.#schemaName}`;
      return [[`PostgreSQL ${version}, ${schema}, ${ms} ms`, ...problems].join('; ')];
    } catch (error) {
      return [(error as Error).message];
    }
  }

  /** Runs one statement as a transaction of its own. @throws StateError if no server answers in time, or one refuses. */
  #run(statement: string, purpose: Purpose = 'read'): Promise<ServerAnswer<readonly ResultRow[]>> {
    return this.ask(purpose, async (connection) => {
      const { rows, warning } = await connection.query(statement).catch((error) => {
        const isMissing = error instanceof PostgresError && NO_SCHEMA.has(error.code);
        throw isMissing
          ? new StateError(`${this.name} has no tables for lists; ${INIT_FIRST}`)
          : error;
      });
      // A commit that gave up waiting for its standby succeeds with a warning, and is lost with the server.
      if (purpose !== 'read' && warning !== undefined) throw new Failed(warning, 'open');
      const isOneOf = this.hosts.length > 1;
      if (connection.isStandby && isOneOf) throw new Failed(STANDBY, 'undone');
      if (this.#listeners.size > 0 && this.#listening?.hasEnded !== false) this.#listen(connection);
      return rows;
    });
  }

  /** If it fails, the next answered statement listens again; until then, polling must do. */
  #listen(connection: PostgresConnection): void {
    this.#listening = connection;
    connection.heard = (key) => {
      for (const [hear, prefix] of [...this.#listeners])
        if (`${key}/`.startsWith(prefix)) hear('unnamed');
    };
    connection.query(`listen ${this.#schema}`).then(
      () => {
        for (const hear of [...this.#listeners.keys()]) hear('gap');
      },
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

  /**
   * True if a commit changed nothing because an earlier try of it was carried out. Reading its version back proves nothing:
   * a commit that was ended while it waited for a synchronous standby is there, and is lost with the server. But the WAL is
   * in order: once a later commit of ours is acknowledged, the standby has both.
   */
  async #isOurs(key: string, version: number, id: string, doubt: Doubt): Promise<boolean> {
    const [list, own] = [literal(key), literal(id)];
    const versions = this.#versions;
    const where = `where list = ${list} and version = ${version} and id`;
    const { answer: rows } = await this.#run(
      `with ours as (
        update ${versions} set id = id ${where} = ${own} returning version
      ) select exists (select 1 from ours), exists (select 1 from ${versions} ${where} <> ${own})
        or not exists (select 1 from ${this.#lists} where list = ${list} and version >= ${version})`,
      doubt,
    );
    const [isOurs, isOfOthers] = rows[0] ?? [];
    if (isOurs === TRUE || isOfOthers === TRUE) return isOurs === TRUE;
    throw changedTooOften(this.name);
  }

  async #read(statement: string): Promise<readonly ResultRow[]> {
    return (await this.#run(statement)).answer;
  }

  get #schema(): string {
    return `"${this.#schemaName.replaceAll('"', '""')}"`;
  }

  get #lists(): string {
    return `${this.#schema}.lists`;
  }

  get #versions(): string {
    return `${this.#schema}.versions`;
  }
}

/** A boolean, as PostgreSQL writes it. */
const TRUE = 't';

/** In this form a backslash means the same in every configuration. */
function literal(text: string): string {
  return `E'${text.replace(/['\\]/g, '$&$&')}'`;
}

function startsWith(prefix: string): string {
  return `left(list, ${prefix.length}) = ${literal(prefix)}`;
}
