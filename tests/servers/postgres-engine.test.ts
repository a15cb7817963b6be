import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { orElse } from '../../src/base/system/files.ts';
import type { AnyPlace } from '../../src/lists/place.ts';
import { ServerPlace } from '../../src/servers/server-storage.ts';
import { callCommand } from '../helpers/commands.ts';
import { closing, hasPostgres, PostgresServer } from '../helpers/engines.ts';
import { eventually } from '../helpers/eventually.ts';
import { cleanEnvironment } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { failed } from '../helpers/replies.ts';

// PostgreSQL with a synchronous standby. A commit that waits for it exists in the primary, and becomes visible when it
// stops waiting, for whatever reason. It is lost with the primary unless the standby has it.

const IS_LONG = process.env.TEST_MACHINES !== undefined;
const NOON = new Date('2026-05-01T12:00:00.000Z');
const LONGEST_MS = 10 * 60_000;

let primary: PostgresServer;
let standby: PostgresServer;

function placeOn(
  server: PostgresServer,
  timeoutMs: number,
  { other = server, key = 'a' } = {},
): AnyPlace<string> {
  const hosts = [...new Set([server, other])].map(({ port }) => `127.0.0.1:${port}`);
  const client = closing(server.client({ timeoutMs, hosts }));
  return new ServerPlace(async () => client, `todos/s/${key}`, { author: 'ann', history: 50 });
}

const WAITING = `select pid from pg_stat_activity where wait_event = 'SyncRep' limit 1`;

/** Undefined while the primary recovers from the loss of a process. */
const waiting = () => orElse(() => primary.sql(WAITING).trim(), undefined);

/** The process of a waiting commit. */
const waitingCommit = () =>
  eventually('a commit waits for the standby', () => Number(waiting()) || undefined);

/** The process of a waiting commit; undefined where a busy machine lets its time limit pass first. */
const waitingBefore = (end: Promise<unknown>) =>
  Promise.race([waitingCommit(), end.then(() => undefined)]);

const ENDINGS: [string, (pid: number) => void][] = [
  ['is cancelled', (pid) => void primary.sql(`select pg_cancel_backend(${pid})`)],
  ['is terminated', (pid) => void primary.sql(`select pg_terminate_backend(${pid})`)],
  ['is killed', (pid) => void process.kill(pid, 'SIGKILL')],
];

// One pair for all, each of which leaves it as it was, but for the last.
describe.runIf(hasPostgres)('a primary and its standby:', { timeout: LONGEST_MS }, () => {
  beforeAll(async () => {
    primary = await PostgresServer.start();
    standby = await PostgresServer.standbyOf(primary);
  });
  afterAll(() => {
    standby?.stop();
    primary?.stop();
  });

  test('a host that names both servers returns to the primary once it is back, and is notified again', async () => {
    const key = 'notified';
    const writing = placeOn(standby, 60_000, { other: primary, key });
    const watching = placeOn(primary, 60_000, { other: standby, key });
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
      const impatient = placeOn(primary, 2000, { other: standby, key });
      await expect(impatient.load()).rejects.toThrow(
        /a standby, which accepts no writes$|ECONNREFUSED/,
      );
      // Where an answer comes too late for the time limit, it is not known.
      const refusal = async () => {
        const said = await Promise.resolve(impatient.commit(9, 'x', NOON)).catch(String);
        return /; nothing was changed$/.test(String(said));
      };
      await eventually('a refusal in time', refusal);
      const later = writing.commit(2 * round - 1, `${content}, later`, NOON);
      primary.restart();
      expect(await later).toMatchObject({ version: 2 * round });
    }
  });

  test.for(IS_LONG ? ENDINGS : ENDINGS.slice(0, 1))(
    'a commit whose wait %s is done once the standby has it',
    async ([how, end]) => {
      const place = placeOn(primary, LONGEST_MS, { key: how });
      await place.commit(0, 'before', NOON);
      standby.kill();
      let isTold = false;
      const committing = Promise.resolve(place.commit(1, 'after', NOON)).finally(() => {
        isTold = true;
      });
      end(await waitingCommit());
      // It can be read, and the commit that confirms it waits in turn.
      await waitingCommit();
      expect(await placeOn(primary, LONGEST_MS, { key: how }).load()).toMatchObject({
        content: 'after',
      });
      expect(isTold).toBe(false);
      standby.restart();
      expect(await committing).toMatchObject({ version: 2, content: 'after' });
      standby.kill();
      const told = Promise.resolve(
        placeOn(primary, 5000, { key: `${how}, down` }).commit(0, 'after', NOON),
      ).catch((error: Error) => error.message);
      const pid = await waitingBefore(told);
      if (pid) end(pid);
      expect(await told).toMatch(/^not known whether the change was made: PostgreSQL at /);
      if (pid && how === 'is cancelled') {
        expect(await told).toContain('canceling wait for synchronous replication');
      }
      standby.restart();
      await eventually('nobody waits', () => waiting() === '');
    },
  );

  test('a claim that nobody can be sure of is told to one agent at most: exit 3; after the primary is lost another may have it, and what was told as done is there', async () => {
    const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(',');
    const cwd = temporaryDirectory();
    const run = (agent: string, [name = '', ...argv]: string[], timeout = LONGEST_MS / 1000) => {
      const env = cleanEnvironment({
        HOME: cwd,
        TODO_STATE_URL: `postgres://lists@${hosts}/postgres`,
        TODO_STATE_TIMEOUT: String(timeout),
        TODO_TEAM: 'release',
        TODO_AGENT: agent,
      });
      return callCommand(env, name, argv, { cwd });
    };
    await run('lead', ['TaskCreate', '--subject', 'Ship it']);
    standby.kill();
    const claiming = run('ann', ['TaskClaim', '--next'], 5);
    const pid = await waitingBefore(claiming);
    if (pid) primary.sql(`select pg_cancel_backend(${pid})`);
    expect(await claiming).toMatchObject(
      failed(expect.stringContaining('not known whether the change was made'), 3),
    );
    // It can be read and is ann's, which proves nothing.
    expect(await run('ann', ['TaskClaim', '1'], 1)).toMatchObject({ exitCode: 3, stdout: '' });
    primary.kill();
    standby.restart();
    standby.promote();
    const claimed = await run('bob', ['TaskClaim', '--next']);
    expect(claimed.stdout).toBe('Task #1 claimed by bob: Ship it\n');
    const lost = placeOn(standby, LONGEST_MS, { key: 'is cancelled' });
    expect(await lost.load()).toMatchObject({ content: 'after' });
  });
});
