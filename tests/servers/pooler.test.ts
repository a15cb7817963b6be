import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasPostgres } from '../helpers/engines.ts';
import { eventually } from '../helpers/eventually.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { isHere } from '../helpers/machine.ts';
import { freePorts } from '../helpers/ports.ts';
import { useServers } from '../helpers/servers.ts';

// With PgBouncer each transaction may get another connection, so no notification arrives.

const NOON = new Date('2026-05-01T12:00:00.000Z');
const PGBOUNCER = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find(existsSync);
const servers = useServers();

const canPool = hasPostgres && isHere('pgbouncer', PGBOUNCER !== undefined);

/** Hands out a connection for one transaction. */
async function startPooler(): Promise<number> {
  const [port = 0] = await freePorts(1);
  const folder = temporaryDirectory();
  chmodSync(folder, 0o755);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = user=lists host=127.0.0.1 port=${servers.postgres.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
`,
    { mode: 0o644 },
  );
  const asRoot = process.getuid?.() === 0;
  const [program = '', ...argv] = [
    ...(asRoot ? ['runuser', '-u', 'postgres', '--'] : []),
    PGBOUNCER ?? '',
    '-q',
    file,
  ];
  const pooler: ChildProcess = spawn(program, argv, { stdio: 'ignore', cwd: '/' });
  onTestFinished(() => void pooler.kill('SIGTERM'));
  return port;
}

test.runIf(canPool)('through a pooler commits are the same, and polling finds them', async () => {
  const port = await startPooler();
  const open = (author: string) =>
    servers.postgres.place<string>('todos/pooled', { author, history: 50 }, { port });
  const [ann, bob] = [open('ann'), open('bob')];
  await eventually('the pooler answers', () => ann.history().catch(() => false));
  const seen: (number | undefined)[] = [];
  // The last look may be under way when the connection is closed at the end.
  const look = () => bob.load().then((newest) => seen.push(newest?.version));
  onTestFinished(bob.watch(() => void look().catch(() => {})));
  for (let base = 0; base < 20; base++) {
    const both = await Promise.all([ann.commit(base, 'a', NOON), bob.commit(base, 'b', NOON)]);
    expect(both.filter((version) => version !== undefined)).toHaveLength(1);
  }
  await ann.commit(20, 'the last', NOON);
  await eventually('it is heard of', () => seen.at(-1) === 21, 30_000);
  expect((await bob.history()).map(({ version }) => version)).toEqual(
    Array.from({ length: 21 }, (_, index) => 21 - index),
  );
});
