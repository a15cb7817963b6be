import { StateError } from '../state-error.ts';
import type { PostgresClient } from './postgres-client.ts';

/** Any number that no other program is likely to lock. */
const INIT = 7_463_827_311;

/**
 * Makes the tables for lists where they are not there yet. Asked for by `agent-shell state init` only: nothing else
 * makes anything in a database that it was merely pointed at. Several that do so at once wait for each other.
 */
export async function initPostgres(client: PostgresClient): Promise<void> {
  const schema = quoted(client.schema);
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
      $$ begin perform pg_notify(${literal(client.schema)}, new.list); return null; end $$;
    drop trigger if exists tell_of_list on ${schema}.lists;
    create trigger tell_of_list after insert or update on ${schema}.lists
      for each row execute function ${schema}.tell_of_list()`;
  await client.run((sql) => sql.unsafe(statements));
}

/** @throws StateError where this user may not write lists. */
export async function checkWriting(client: PostgresClient): Promise<void> {
  const table = (name: string) => `${quoted(client.schema)}.${name}`;
  const { answer: rows } = await client.run(
    (sql) => sql<{ may: boolean }[]>`
      select has_table_privilege(${table('lists')}, 'insert')
        and has_table_privilege(${table('lists')}, 'update')
        and has_table_privilege(${table('versions')}, 'insert')
        and has_table_privilege(${table('versions')}, 'update')
        and has_table_privilege(${table('versions')}, 'delete') as may`,
  );
  if (!rows[0]?.may) {
    throw new StateError(
      `${client.name} refused: this user may not write the tables of schema ${client.schema}`,
    );
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
