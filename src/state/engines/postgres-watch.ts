import type { PostgresClient } from './postgres-client.ts';
import { type Sighting, VersionWatch } from './version-watch.ts';

/** How often to look where notifications arrive, and if a pooler swallows them. */
const LOOK_SELDOM_MS = 4000;
const LOOK_OFTEN_MS = 500;

/** Watches some lists: looks when the server tells of one of them, and now and then without a word from it. */
export function watchLists<Seen extends Sighting>(
  client: PostgresClient,
  options: {
    readonly isMeant: (key: string) => boolean;
    readonly newest: () => Promise<Seen>;
    readonly known: Seen;
    readonly listener: () => void;
  },
): { readonly watch: VersionWatch<Seen>; readonly end: () => void } {
  let isHeard = false;
  const watch = new VersionWatch({
    ...options,
    pauseMs: (found) => {
      if (found !== undefined) isHeard = found === 'asked';
      return isHeard ? LOOK_SELDOM_MS : LOOK_OFTEN_MS;
    },
  });
  const unlisten = client.listen((key) => {
    if (key === undefined || options.isMeant(key)) void watch.look(key !== undefined);
  });
  return {
    watch,
    end: () => {
      watch.end();
      unlisten();
    },
  };
}

/** The names of all lists below a prefix, in their order, with the newest version of each. */
export async function listsBelow(
  client: PostgresClient,
  prefix: string,
): Promise<{ key: string; version: number }[]> {
  const { answer: rows } = await client.run(
    (sql) => sql<{ list: string; version: string }[]>`
      select list, version from ${sql(client.schema)}.lists
      where left(list, ${prefix.length}) = ${prefix} order by list`,
  );
  return rows.map(({ list, version }) => ({ key: list, version: Number(version) }));
}

/** What tells one state of all lists below a prefix from another. */
export async function lastChangeBelow(client: PostgresClient, prefix: string): Promise<string> {
  const { answer: rows } = await client.run(
    (sql) => sql<{ state: string }[]>`
      select count(*) || ' with ' || coalesce(sum(version), 0) as state
      from ${sql(client.schema)}.lists where left(list, ${prefix.length}) = ${prefix}`,
  );
  return rows[0]?.state ?? '';
}
