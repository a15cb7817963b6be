import { StateError } from '../state-error.ts';
import type { PostgresClient } from './postgres-client.ts';

/**
 * Makes the tables for lists where they are not there yet. Asked for by `agent-shell state init` only: nothing else
 * makes anything in a database that it was merely pointed at.
 */
export async function initPostgres(client: PostgresClient): Promise<void> {
  const run = (statement: (schema: string) => string) =>
    client.run((sql) => sql.unsafe(statement(quoted(client.schema))));
  await run((schema) => `create schema if not exists ${schema}`);
  await run(
    (schema) => `create table if not exists ${schema}.lists (
      list text primary key, version bigint not null)`,
  );
  await run(
    (schema) => `create table if not exists ${schema}.versions (
      list text not null, version bigint not null, id text not null, value bytea not null,
      primary key (list, version))`,
  );
  await run(
    (
      schema,
    ) => `create or replace function ${schema}.tell_of_list() returns trigger language plpgsql as
      $$ begin perform pg_notify(${literal(client.schema)}, new.list); return null; end $$`,
  );
  await run((schema) => `drop trigger if exists tell_of_list on ${schema}.lists`);
  await run(
    (schema) => `create trigger tell_of_list after insert or update on ${schema}.lists
      for each row execute function ${schema}.tell_of_list()`,
  );
}

/** @throws StateError where this user may not write lists. */
export async function checkWriting(client: PostgresClient): Promise<void> {
  const table = (name: string) => `${quoted(client.schema)}.${name}`;
  const { rows } = await client.run(
    (sql) => sql<{ may: boolean }[]>`
      select has_table_privilege(${table('lists')}, 'insert')
        and has_table_privilege(${table('lists')}, 'update')
        and has_table_privilege(${table('versions')}, 'insert')
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
