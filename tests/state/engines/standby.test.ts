import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SharedPlace } from '../../../src/state/place.ts';
import { closing, hasPostgres, PostgresServer, postgresPlace } from '../../helpers/engines.ts';
import { eventually } from '../../helpers/eventually.ts';
import { cleanEnvironment, executable, startProgram } from '../../helpers/executables.ts';
import { temporaryDirectory } from '../../helpers/files.ts';

// PostgreSQL with a synchronous standby. A commit that waits for it exists in the primary, and becomes visible when it
// stops waiting, for whatever reason. It is lost with the primary unless the standby has it.

const IS_LONG = process.env.TEST_MACHINES !== undefined;
const NOON = new Date('2026-05-01T12:00:00.000Z');
const LONGEST_MS = 10 * 60_000;

interface Pair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
}

async function startPair(): Promise<Pair> {
  const primary = await PostgresServer.start();
  onTestFinished(() => primary.stop());
  const standby = await PostgresServer.standbyOf(primary);
  onTestFinished(() => standby.stop());
  return { primary, standby };
}

function placeOn(server: PostgresServer, timeoutMs: number, other = server): SharedPlace<string> {
  const hosts = [...new Set([server, other])].map(({ port }) => `127.0.0.1:${port}`);
  const client = closing(server.client({ timeoutMs, hosts }));
  return postgresPlace(client, 'todos/s/a', { author: 'ann', history: 50 });
}

const WAITING = `select pid from pg_stat_activity where wait_event = 'SyncRep' limit 1`;

/** The process of a waiting commit. */
function waitingCommit({ primary }: Pair): Promise<number> {
  const look = () => {
    try {
      return Number(primary.sql(WAITING)) || undefined;
    } catch {
      // The primary recovers from the loss of a process.
      return undefined;
    }
  };
  return eventually('a commit waits for the standby', look);
}

const ENDINGS: [string, (primary: PostgresServer, pid: number) => void][] = [
  ['is cancelled', (primary, pid) => void primary.sql(`select pg_cancel_backend(${pid})`)],
  ['is terminated', (primary, pid) => void primary.sql(`select pg_terminate_backend(${pid})`)],
  ['is killed', (_, pid) => void process.kill(pid, 'SIGKILL')],
];

describe.runIf(hasPostgres)('a commit whose wait for the standby', () => {
  test.for(IS_LONG ? ENDINGS : ENDINGS.slice(0, 1))(
    '%s is told as done once the standby has it, and is there when the primary is gone',
    { timeout: LONGEST_MS },
    async ([, end]) => {
      const pair = await startPair();
      const place = placeOn(pair.primary, LONGEST_MS);
      await place.commit(0, 'before', NOON);
      pair.standby.kill();
      let isTold = false;
      const committing = Promise.resolve(place.commit(1, 'after', NOON)).finally(() => {
        isTold = true;
      });
      end(pair.primary, await waitingCommit(pair));
      // It can be read, and the commit that confirms it waits in turn.
      await waitingCommit(pair);
      expect(await placeOn(pair.primary, LONGEST_MS).load()).toMatchObject({ content: 'after' });
      expect(isTold).toBe(false);
      pair.standby.restart();
      expect(await committing).toMatchObject({ version: 2, content: 'after' });
      pair.primary.kill();
      pair.standby.promote();
      expect(await placeOn(pair.standby, LONGEST_MS).load()).toMatchObject({ content: 'after' });
    },
  );

  test.for(IS_LONG ? ENDINGS : ENDINGS.slice(0, 1))(
    '%s, with the standby down for good, is told as not known, with the reason',
    { timeout: LONGEST_MS },
    async ([how, end]) => {
      const pair = await startPair();
      await placeOn(pair.primary, LONGEST_MS).commit(0, 'before', NOON);
      pair.standby.kill();
      const told = Promise.resolve(placeOn(pair.primary, 5000).commit(1, 'after', NOON)).catch(
        (error: Error) => error.message,
      );
      end(pair.primary, await waitingCommit(pair));
      expect(await told).toMatch(/^not known whether the change was made: PostgreSQL at /);
      if (how === 'is cancelled') {
        expect(await told).toContain('canceling wait for synchronous replication');
      }
    },
  );
});

test.runIf(hasPostgres)(
  'a host that names both servers returns to the primary once it is back, and is notified again',
  async () => {
    const { primary, standby } = await startPair();
    const writing = placeOn(standby, 60_000, primary);
    const watching = placeOn(primary, 60_000, standby);
    let seen: string | undefined;
    const look = () =>
      void Promise.resolve(watching.load()).then(
        (version) => (seen = version?.content),
        () => {},
      );
    onTestFinished(watching.watch(look));
    for (let round = 1; round <= (IS_LONG ? 3 : 1); round++) {
      const content = `round ${round}`;
      expect(await writing.commit(2 * round - 2, content, NOON)).toMatchObject({ content });
      await eventually('the watcher has heard of it', () => seen === content);
      primary.kill();
      const impatient = placeOn(primary, 2000, standby);
      await expect(impatient.load()).rejects.toThrow(
        /a standby, which accepts no writes$|ECONNREFUSED/,
      );
      await expect(impatient.commit(9, 'x', NOON)).rejects.toThrow(/; nothing was changed$/);
      const waiting = writing.commit(2 * round - 1, `${content}, later`, NOON);
      primary.restart();
      expect(await waiting).toMatchObject({ version: 2 * round });
    }
  },
  LONGEST_MS,
);

test.runIf(hasPostgres)(
  'a claim that nobody can be sure of is told to one agent at most: exit 3, and after the primary is lost, another may have it',
  async () => {
    const pair = await startPair();
    const { primary, standby } = pair;
    const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(',');
    const cwd = temporaryDirectory();
    const run = (agent: string, ...argv: string[]) => {
      const env = cleanEnvironment({
        HOME: cwd,
        TODO_STATE_URL: `postgres://lists@${hosts}/postgres`,
        TODO_STATE_TIMEOUT: '5',
        TODO_TEAM: 'release',
        TODO_AGENT: agent,
      });
      const [command = '', ...rest] = argv;
      const program = join(dirname(executable('todo-write')), command);
      return startProgram(program, rest, { cwd, env }).ended;
    };
    expect(await run('lead', 'TaskCreate', '--subject', 'Ship it')).toMatchObject({ exitCode: 0 });
    standby.kill();
    const claiming = run('ann', 'TaskClaim', '--next');
    primary.sql(`select pg_cancel_backend(${await waitingCommit(pair)})`);
    expect(await claiming).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr: expect.stringContaining('not known whether the change was made'),
    });
    // It can be read and is ann's, which proves nothing.
    expect(await run('ann', 'TaskClaim', '1')).toMatchObject({ exitCode: 3, stdout: '' });
    primary.kill();
    standby.restart();
    standby.promote();
    expect(await run('bob', 'TaskClaim', '--next')).toMatchObject({
      exitCode: 0,
      stdout: 'Task #1 claimed by bob: Ship it\n',
    });
  },
  LONGEST_MS,
);
