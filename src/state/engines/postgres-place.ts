import type { Sql } from 'postgres';
import {
  type ContentCheck,
  type HistoryRange,
  newId,
  type SharedPlace,
  type Version,
} from '../place.ts';
import { notKnown } from '../state-error.ts';
import type { PostgresClient } from './postgres-client.ts';
import { watchLists } from './postgres-watch.ts';
import type { Doubt } from './servers.ts';
import { encodeContent, readVersions, versionOf } from './stored-content.ts';
import type { VersionWatch } from './version-watch.ts';

export interface PostgresPlaceOptions {
  readonly client: PostgresClient;
  /** The name of the list in its table. */
  readonly key: string;
  readonly author: string;
  /** How many versions to keep, the newest included. */
  readonly history: number;
  /** What is wrong with a content that somebody else may have written. */
  readonly check?: ContentCheck | undefined;
}

interface Row {
  readonly version: string;
  readonly value: Buffer;
}

/**
 * A list in PostgreSQL: a row for each version, and one that says which is the newest.
 *
 * A commit is one statement that moves this row from the base to the next number. PostgreSQL looks at the row again
 * once it has its lock, so of several writers one succeeds, however long another was held up. Each version has an ID, by
 * which a commit whose answer was lost knows itself when it is sent again.
 */
export class PostgresPlace<T> implements SharedPlace<T> {
  readonly #client: PostgresClient;
  readonly #key: string;
  readonly isFar = true;
  readonly author: string;
  readonly #history: number;
  readonly #check: ContentCheck | undefined;
  readonly #watches = new Set<VersionWatch<number>>();
  /** The newest version that was read or written here. */
  #known = 0;

  constructor({ client, key, author, history, check }: PostgresPlaceOptions) {
    this.#client = client;
    this.#key = key;
    this.author = author;
    this.#history = history;
    this.#check = check;
  }

  async load(): Promise<Version<T> | undefined> {
    const [newest] = await this.history({ newest: 1 });
    this.#known = newest?.version ?? 0;
    return newest;
  }

  history(range?: HistoryRange): Promise<Version<T>[]> {
    return readVersions(
      (part) => this.#rows(part),
      (row) => this.#decode(row),
      range,
    );
  }

  async #rows({ newest, from = 1 }: HistoryRange): Promise<readonly Row[]> {
    const { answer: rows } = await this.#client.run(
      (sql) => sql<Row[]>`
        select v.version, v.value from ${this.#table(sql, 'lists')} l
        join ${this.#table(sql, 'versions')} v using (list)
        where list = ${this.#key} and v.version between ${from} and l.version
        order by v.version desc
        ${newest === undefined ? sql`` : sql`limit ${newest}`}`,
    );
    return rows;
  }

  async commit(base: number, content: T, at: Date): Promise<Version<T> | undefined> {
    if (!Number.isSafeInteger(base) || base < 0) return undefined;
    const id = newId();
    const value = encodeContent({ id, at: at.toISOString(), by: this.author, content });
    const next = base + 1;
    const { answer: rows, doubt } = await this.#client.run(
      (sql) => sql`
        with head as (${this.#moveHead(sql, base)}), put as (
          insert into ${this.#table(sql, 'versions')} (list, version, id, value)
          select ${this.#key}, version, ${id}, ${value} from head
        ), prune as (
          delete from ${this.#table(sql, 'versions')}
          where list = ${this.#key} and version <= ${next - this.#history}
          and exists (select 1 from head)
        ) select version from head`,
      'change',
    );
    const isMade = rows.length > 0 || (doubt && (await this.#isOurs(next, id, doubt)));
    if (!isMade) return undefined;
    this.#known = next;
    for (const watch of [...this.#watches]) watch.committed(next);
    return { version: next, at, by: this.author, content };
  }

  watch(listener: () => void): () => void {
    const { watch, end } = watchLists(this.#client, {
      isMeant: (key) => key === this.#key,
      newest: () => this.#newest(),
      known: this.#known,
      listener,
    });
    this.#watches.add(watch);
    return () => {
      this.#watches.delete(watch);
      end();
    };
  }

  #moveHead(sql: Sql, base: number) {
    const lists = this.#table(sql, 'lists');
    return base === 0
      ? sql`insert into ${lists} (list, version) values (${this.#key}, 1)
            on conflict (list) do nothing returning version`
      : sql`update ${lists} set version = ${base + 1}
            where list = ${this.#key} and version = ${base} returning version`;
  }

  /**
   * Whether a commit that changed nothing did so because an earlier try of it was carried out. That its version can be read
   * proves nothing: a commit that was ended while it waited for a synchronous standby is there, and is lost with the server.
   * But the log of changes is in order: once a later one of ours is acknowledged, the standby has both.
   */
  async #isOurs(version: number, id: string, doubt: Doubt): Promise<boolean> {
    const { answer: kept } = await this.#client.run(
      (sql) => sql`
        update ${this.#table(sql, 'versions')} set id = ${id}
        where list = ${this.#key} and version = ${version} and id = ${id} returning version`,
      doubt,
    );
    if (kept.length > 0) return true;
    const { answer: rows } = await this.#client.run(
      (sql) => sql<{ isThere: boolean; newest: string }[]>`
        select version as newest, exists (
          select 1 from ${this.#table(sql, 'versions')} where list = ${this.#key} and version = ${version}
        ) as "isThere" from ${this.#table(sql, 'lists')} where list = ${this.#key}`,
      doubt,
    );
    const { isThere = false, newest = 0 } = rows[0] ?? {};
    if (isThere || Number(newest) < version) return false;
    throw notKnown(
      `${this.#client.name} did not answer, and others have changed the list too often since`,
    );
  }

  async #newest(): Promise<number> {
    const { answer: rows } = await this.#client.run(
      (sql) => sql<{ version: string }[]>`
        select version from ${this.#table(sql, 'lists')} where list = ${this.#key}`,
    );
    return Number(rows[0]?.version ?? 0);
  }

  #decode({ version, value }: Row): Version<T> {
    return versionOf(Number(version), value, `${this.#client.name}: ${this.#key}`, this.#check);
  }

  #table(sql: Sql, name: 'lists' | 'versions') {
    return sql`${sql(this.#client.schema)}.${sql(name)}`;
  }
}
