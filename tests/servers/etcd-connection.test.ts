import { expect, onTestFinished, test } from 'vitest';
import { EtcdConnection } from '../../src/servers/etcd-connection.ts';
import { CutOffCluster, canCutOff } from '../helpers/cut-off-cluster.ts';
import { hasEtcd } from '../helpers/engines.ts';
import { eventually } from '../helpers/eventually.ts';
import { cleanEnvironment, executable, startProgram } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { http, portThat } from './false-server.ts';

test('a connection whose login is refused is over, though its server would keep it', async () => {
  const refusal = http('{"error":"etcdserver: authentication failed","code":3}', 400);
  const address = `127.0.0.1:${await portThat(() => () => refusal)}`;
  const user = { name: 'ann', password: 'x' };
  const connection = new EtcdConnection(address, { tls: undefined, user });
  await expect(connection.ready).rejects.toThrow('authentication failed');
  expect(connection.hasEnded).toBe(true);
});

// A real network partition: packets vanish, and nobody is told.

/** The promise of docs/machines.md to watchers. A busy machine takes longer for everything. */
const LONGEST_SILENCE_MS = process.env.TEST_MACHINES ? 10_000 : 60_000;

test.runIf(hasEtcd && canCutOff)('a leader cut off writes nothing, then catches up', async () => {
  const cluster = await CutOffCluster.start();
  onTestFinished(() => cluster.stop());
  const cwd = temporaryDirectory();
  // The others have to elect a leader first.
  const patience = (at: number | undefined) => (at === undefined ? '30' : '3');
  const start = (at: number | undefined, url: string, ...argv: string[]) => {
    const env = cleanEnvironment({
      HOME: cwd,
      TODO_STATE_URL: url,
      TODO_STATE_TIMEOUT: patience(at),
      TODO_SESSION: 'release',
    });
    const [program = '', ...rest] = cluster.within(at, ...argv);
    return startProgram(program, rest, { cwd, env });
  };
  const list = (content: string) =>
    JSON.stringify({ todos: [{ content, activeForm: content, status: 'pending' }] });
  const write = (at: number | undefined, url: string, content: string) =>
    start(at, url, executable('todo-write'), list(content)).ended;

  const watch = (at: number | undefined) => {
    const { lines } = start(at, cluster.url(), executable('agent-shell'), 'watch', '--jsonl');
    return () => JSON.parse(lines().at(-1) ?? '{}').version;
  };

  const leader = cluster.leader() ?? 0;
  const [inside, outside] = [leader, undefined];
  const [seenInside, seenOutside] = [watch(inside), watch(outside)];
  expect(await write(outside, cluster.url(), 'before')).toMatchObject({ exitCode: 0 });
  await eventually('both see it', () => seenInside() === 1 && seenOutside() === 1);

  cluster.unplug(leader);
  const [alone, others] = await Promise.all([
    write(inside, cluster.url([leader]), 'on the wrong side'),
    write(outside, cluster.url(), 'on the right side'),
  ]);
  expect(alone).toMatchObject({ stdout: '', exitCode: 3 });
  expect(alone.stderr).toMatch(/^Error: Cannot update the list\n- .* 10\.77\.0\.\d:2379: /);
  expect(others).toMatchObject({ exitCode: 0 });
  await eventually('who can see it does', () => seenOutside() === 2, LONGEST_SILENCE_MS);

  cluster.plugIn(leader);
  await eventually('the other one does, too', () => seenInside() === 2);
  // The member may still be rejoining the cluster.
  const read = await eventually('it can be read there', async () => {
    const ended = await start(inside, cluster.url([leader]), executable('todo-read')).ended;
    return ended.exitCode === 0 && ended;
  });
  expect(read).toMatchObject({ stdout: '[ ] on the right side\n\n(0/1 completed)\n' });
  expect(await write(inside, cluster.url([leader]), 'after')).toMatchObject({ exitCode: 0 });
  await eventually('both see it', () => seenInside() === 3 && seenOutside() === 3);
});
