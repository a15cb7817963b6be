import { expect, onTestFinished, test } from 'vitest';
import { EtcdCluster, hasEtcd, hasPostgres, PostgresServer } from '../../helpers/engines.ts';
import { eventually } from '../../helpers/eventually.ts';
import { ClaimingTeam } from './claiming-team.ts';

// Agents claim tasks with the real commands while servers die. `npm run test:machines` sets TEST_MACHINES for a long form.

const IS_LONG = process.env.TEST_MACHINES !== undefined;
const TASKS = IS_LONG ? 2000 : 16;
const AGENTS = IS_LONG ? 8 : 4;
const KILLS = IS_LONG ? 3 : 1;
const LONGEST_MS = 30 * 60_000;

// A team of processes on three members, without the commands, is in tests/tasks/processes.test.ts.
if (IS_LONG)
  test.runIf(hasEtcd)(
    'claims on three members of etcd, whose leader is killed: each task has one owner, who was told so',
    async () => {
      const cluster = await EtcdCluster.start(3);
      onTestFinished(() => cluster.stop());
      const team = new ClaimingTeam(cluster.url);
      await team.create(TASKS);
      const claiming = team.claimAll(AGENTS);
      for (let kill = 1; kill <= KILLS; kill++) {
        const goal = (TASKS * kill) / (KILLS + 1);
        await eventually('some have been claimed', () => team.claimed >= goal, LONGEST_MS);
        const leader = await cluster.leader();
        leader.process.kill('SIGKILL');
        const before = team.claimed;
        await eventually(
          'it goes on without it',
          () => team.claimed >= Math.min(before + 5, TASKS),
          LONGEST_MS,
        );
        leader.restart();
      }
      await claiming;
      await team.judge(TASKS);
    },
    LONGEST_MS,
  );

test.runIf(hasPostgres)(
  'the same on PostgreSQL with a synchronous standby, which takes over when the primary is killed',
  async () => {
    const primary = await PostgresServer.start();
    onTestFinished(() => primary.stop());
    const standby = await PostgresServer.standbyOf(primary);
    onTestFinished(() => standby.stop());
    const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(',');
    const team = new ClaimingTeam(`postgres://lists@${hosts}/postgres`);
    await team.create(TASKS);
    const claiming = team.claimAll(AGENTS);
    await eventually('some have been claimed', () => team.claimed >= TASKS / 2, LONGEST_MS);
    primary.kill();
    standby.promote();
    await claiming;
    expect(team.claimed).toBeGreaterThan(TASKS / 2);
    await team.judge(TASKS);
  },
  LONGEST_MS,
);
