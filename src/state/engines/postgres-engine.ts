import type { Row } from 'postgres';
import type { HistoryRange } from '../place.ts';
import { StateError } from '../state-error.ts';
import type { Engine, NewVersion, StoredVersion } from './engine.ts';
import { type PostgresClient, STANDBY, type Statement } from './postgres-client.ts';
import { changedTooOften, type Doubt } from './servers.ts';
import type { Bell } from './version-watch.ts';

/** The pause between looks while notifications arrive, and if a pooler swallows them. */
const LOOK_SELDOM_MS = 4000;
const LOOK_OFTEN_MS = 500;
/** A lock number that no other program is likely to use. */
const INIT = 7_463_827_311;

/**
 * Lists in PostgreSQL: a row for each version, and one for each list with the number of the newest.
 *
 * A commit is one statement that moves this row from the base to the next number. PostgreSQL checks the row again once it
 * has its lock, so of several writers one succeeds, however long another was held up.
 */
export class PostgresEngine implements Engine {
  readonly #client: PostgresClient;

  constructor(client: PostgresClient) {
    this.#client = client;
  }

  get name(): string {
    return this.#client.servers.name;
  }

  where(key: string): string {
    return `${this.name}: ${key}`;
  }

  async read(key: string, { newest, from = 1 }: HistoryRange): Promise<StoredVersion[]> {
    const rows = await this.#read(
      (sql, lists, versions) => sql`
        select v.version, v.value from ${lists} l
        join ${versions} v using (list)
        where list = ${key} and v.version between ${from} and l.version
        order by v.version desc
        ${newest === undefined ? sql`` : sql`limit ${newest}`}`,
    );
    return rows.map(({ version, value }) => ({ version: Number(version), bytes: value }));
  }

  async newest(key: string): Promise<number> {
    const [list] = await this.#read(
      (sql, lists) => sql`select version from ${lists} where list = ${key}`,
    );
    return Number(list?.version ?? 0);
  }

  async commit(key: string, { base, bytes, id, history }: NewVersion): Promise<boolean> {
    const next = base + 1;
    const { answer: rows, doubt } = await this.#client.run((sql, lists, versions) => {
      const move =
        base === 0
          ? sql`insert into ${lists} (list, version) values (${key}, 1)
                on conflict (list) do nothing returning version`
          : sql`update ${lists} set version = ${next}
                where list = ${key} and version = ${base} returning version`;
      return sql`
        with head as (${move}), put as (
          insert into ${versions} (list, version, id, value)
          select ${key}, version, ${id}, ${bytes} from head
        ), prune as (
          delete from ${versions} where list = ${key} and version <= ${next - history}
          and exists (select 1 from head)
        ) select version from head`;
    }, 'change');
    return rows.length > 0 || (doubt !== undefined && this.#isOurs(key, next, id, doubt));
  }

  async lists(prefix: string): Promise<{ key: string; version: number }[]> {
    const rows = await this.#read(
      (sql, lists) => sql`
        select list, version from ${lists}
        where left(list, ${prefix.length}) = ${prefix} order by list`,
    );
    return rows.map(({ list, version }) => ({ key: list, version: Number(version) }));
  }

  async lastChange(prefix: string): Promise<string> {
    const [row] = await this.#read(
      (sql, lists) => sql`
        select count(*) || ' with ' || coalesce(sum(version), 0) as state
        from ${lists} where left(list, ${prefix.length}) = ${prefix}`,
    );
    return row?.state ?? '';
  }

  bell(prefix: string): Bell {
    let isHeard = false;
    return {
      pauseMs: (found) => {
        if (found !== undefined) isHeard = found === 'asked';
        return isHeard ? LOOK_SELDOM_MS : LOOK_OFTEN_MS;
      },
      listen: (look) =>
        this.#client.listen((key) => {
          if (key === undefined || `${key}/`.startsWith(prefix)) void look(key !== undefined);
        }),
    };
  }

  /**
   * Creates the tables. Only `agent-shell state init` does this: nothing else creates anything in a database that it was
   * merely pointed at. Several at once wait for each other.
   */
  async init(): Promise<void> {
    const schema = this.#schema;
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
        $$ begin perform pg_notify(${literal(this.#client.schema)}, new.list); return null; end $$;
      drop trigger if exists tell_of_list on ${schema}.lists;
      create trigger tell_of_list after insert or update on ${schema}.lists
        for each row execute function ${schema}.tell_of_list()`;
    await this.#client.run((sql) => sql.unsafe(statements));
  }

  async checkWriting(): Promise<void> {
    const [lists, versions] = [`${this.#schema}.lists`, `${this.#schema}.versions`];
    const [user] = await this.#read(
      (sql) => sql`
        select has_table_privilege(${lists}, 'insert')
          and has_table_privilege(${lists}, 'update')
          and has_table_privilege(${versions}, 'insert')
          and has_table_privilege(${versions}, 'update')
          and has_table_privilege(${versions}, 'delete') as may`,
    );
    if (user?.may) return;
    throw new StateError(
      `${this.name} refused: this user may not write the tables of schema ${this.#client.schema}`,
    );
  }

  async status(): Promise<string[]> {
    const start = performance.now();
    try {
      const [server] = await this.#read(
        (sql) => sql`
          select current_setting('server_version') as version,
            to_regclass(${`${this.#schema}.versions`}) is not null as tables,
            not pg_is_in_recovery() as writes`,
      );
      const { version, tables, writes } = server ?? {};
      const problems = [
        ...(tables ? [] : ['no tables for lists yet; create them with: agent-shell state init']),
        ...(writes ? [] : [STANDBY]),
      ];
      const ms = (performance.now() - start).toFixed(1);
      const schema = `schema ${this.#client.schema}`;
      return [[`PostgreSQL ${version}, ${schema}, ${ms} ms`, ...problems].join('; ')];
    } catch (error) {
      return [(error as Error).message];
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /**
   * True if a commit changed nothing because an earlier try of it was carried out. Reading its version back proves nothing:
   * a commit that was ended while it waited for a synchronous standby is there, and is lost with the server. But the WAL is
   * in order: once a later commit of ours is acknowledged, the standby has both.
   */
  async #isOurs(key: string, version: number, id: string, doubt: Doubt): Promise<boolean> {
    const { answer: kept } = await this.#client.run(
      (sql, _, versions) => sql`
        update ${versions} set id = ${id}
        where list = ${key} and version = ${version} and id = ${id} returning version`,
      doubt,
    );
    if (kept.length > 0) return true;
    const { answer: rows } = await this.#client.run(
      (sql, lists, versions) => sql`
        select version as newest, exists (
          select 1 from ${versions} where list = ${key} and version = ${version}
        ) as "isThere" from ${lists} where list = ${key}`,
      doubt,
    );
    const { isThere = false, newest = 0 } = rows[0] ?? {};
    if (isThere || Number(newest) < version) return false;
    throw changedTooOften(this.name);
  }

  async #read(statement: Statement): Promise<readonly Row[]> {
    return (await this.#client.run(statement)).answer;
  }

  /** Quoted for SQL. */
  get #schema(): string {
    return `"${this.#client.schema.replaceAll('"', '""')}"`;
  }
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
