import { beforeAll, describe } from 'vitest';
import { useServers as handIn } from '../../src/lists/storage.ts';
import { ServerStorage } from '../../src/servers/server-storage.ts';
import {
  Etcd,
  EtcdCluster,
  hasEtcd,
  hasPostgres,
  Postgres,
  PostgresServer,
  type TestServer,
  uniqueName,
} from './engines.ts';
import { oncePerRun } from './once-per-run.ts';

handIn((options) => new ServerStorage(options));

// One etcd and one PostgreSQL for all tests of a run that do not stop or change them, started by the first test that needs
// them.

export interface RunningServers {
  readonly etcd?: { readonly endpoints: readonly string[] };
  readonly postgres?: { readonly port: number };
  readonly pids: readonly number[];
}

/** The tests of each file have their own prefix and database. */
export function useServers() {
  const servers = {} as { etcd: Etcd; postgres: Postgres };
  /** For tests on both: `describeOn(servers.each, (server) => …)`. */
  const each: [string, boolean, () => TestServer][] = [
    ['etcd', hasEtcd, () => servers.etcd],
    ['PostgreSQL', hasPostgres, () => servers.postgres],
  ];
  /** The first one installed, for tests that are the same on both. */
  const one = [each.find(([, isHere]) => isHere) ?? (each[0] as (typeof each)[number])];
  beforeAll(async () => {
    const { etcd, postgres } = await oncePerRun('servers', startServers);
    const name = uniqueName();
    if (etcd) servers.etcd = new Etcd(etcd.endpoints, name);
    if (postgres) {
      new Postgres(postgres.port, 'postgres').sql(`create database ${name}`);
      servers.postgres = new Postgres(postgres.port, name);
      await servers.postgres.makeTables();
    }
  });
  return Object.assign(servers, { each, one });
}

/** `tests` on each of these servers, skipped where it is missing. */
export function describeOn(
  each: ReturnType<typeof useServers>['each'],
  tests: (server: () => TestServer, name: string) => void,
): void {
  for (const [name, isHere, server] of each) {
    describe.runIf(isHere)(`on ${name}`, () => tests(server, name));
  }
}

async function startServers(folder: string): Promise<RunningServers> {
  const [etcd, postgres] = await Promise.all([
    hasEtcd ? EtcdCluster.start(1, [], undefined, folder) : undefined,
    hasPostgres ? PostgresServer.start(folder) : undefined,
  ]);
  const child = etcd?.members[0]?.process;
  child?.unref();
  return {
    ...(etcd && { etcd: { endpoints: etcd.endpoints } }),
    ...(postgres && { postgres: { port: postgres.port } }),
    pids: [child?.pid, postgres?.pid].filter((pid) => pid !== undefined),
  };
}
