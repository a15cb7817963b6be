import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { CutOffCluster, canCutOff } from '../helpers/cut-off-cluster.ts';
import { EtcdCluster, hasEtcd, hasPostgres, PostgresServer } from '../helpers/engines.ts';

test.runIf(hasEtcd)('an etcd that does not start', async () => {
  await expect(EtcdCluster.start(1, ['--no-such-option'])).rejects.toThrow(
    'a member of etcd ended',
  );
  expect(readdirSync(tmpdir())).toEqual([]);
});

test.runIf(hasEtcd && canCutOff)('a cluster of which no member leads', async () => {
  await expect(CutOffCluster.start('--no-such-option', 500)).rejects.toThrow('a member leads');
  expect(readdirSync(tmpdir())).toEqual([]);
});

test.runIf(hasPostgres)('a standby whose primary has gone', async () => {
  const primary = await PostgresServer.start();
  primary.stop();
  await expect(PostgresServer.standbyOf(primary)).rejects.toThrow('pg_basebackup');
  expect(readdirSync(tmpdir())).toEqual([]);
});
