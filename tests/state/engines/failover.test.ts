import { describe, expect, onTestFinished, test } from 'vitest';
import type { SharedPlace } from '../../../src/state/place.ts';
import { StateError } from '../../../src/state/state-error.ts';
import { EtcdCluster, hasEtcd } from '../../helpers/engines.ts';
import { eventually } from '../../helpers/eventually.ts';

// Three members of an etcd cluster; the leader dies or falls silent while several clients write one list. `npm run
// test:machines` sets TEST_MACHINES for a long form.

const IS_LONG = process.env.TEST_MACHINES !== undefined;
const WRITERS = 4;
const WRITES = IS_LONG ? 250 : 25;
const FAILURES = IS_LONG ? 3 : 1;
const KINDS: [NodeJS.Signals, string][] = [
  ['SIGKILL', 'is killed and comes back'],
  ['SIGSTOP', 'falls silent beyond an election'],
];
const NOON = new Date('2026-05-01T12:00:00.000Z');

async function startCluster(): Promise<EtcdCluster> {
  const cluster = await EtcdCluster.start(3);
  onTestFinished(() => cluster.stop());
  return cluster;
}

function placeOn(cluster: EtcdCluster, author: string, timeoutMs = 20_000): SharedPlace<string[]> {
  return cluster.place('todos/s/a', { author, history: WRITERS * WRITES * 2 }, { timeoutMs });
}

interface Written {
  readonly acknowledged: string[];
  /** Unknown outcomes: they may exist or not. */
  readonly open: string[];
}

/** Appends tokens; each exists once, whatever happens to the servers. */
async function write(
  place: SharedPlace<string[]>,
  name: string,
  progress: () => void,
): Promise<Written> {
  const acknowledged: string[] = [];
  const open: string[] = [];
  for (let count = 0; count < WRITES; count++) {
    const token = `${name}.${count}`;
    for (;;) {
      try {
        const newest = await place.load();
        const content = [...(newest?.content ?? []).slice(-20), token];
        if (!(await place.commit(newest?.version ?? 0, content, NOON))) continue;
        acknowledged.push(token);
      } catch (error) {
        if (!(error instanceof StateError)) throw error;
        if (!error.message.startsWith('not known')) continue;
        open.push(token);
      }
      progress();
      break;
    }
  }
  return { acknowledged, open };
}

/** The token of each version, oldest first. */
async function tokensOf(place: SharedPlace<string[]>): Promise<(string | undefined)[]> {
  return Array.from(await place.history())
    .reverse()
    .map(({ content }) => content.at(-1));
}

describe.runIf(hasEtcd)('four clients that write one list on three members', () => {
  test.for(KINDS)(
    'lose nothing that was acknowledged, and write nothing twice, while the leader (%s) %s',
    { timeout: 400_000 },
    async ([signal]) => {
      const cluster = await startCluster();
      const watcher = placeOn(cluster, 'watcher');
      let seen: string[] = [];
      const end = watcher.watch(async () => {
        seen = (await Promise.resolve(watcher.load()).catch(() => undefined))?.content ?? seen;
      });
      onTestFinished(end);
      let done = 0;
      const writing = Promise.all(
        Array.from({ length: WRITERS }, (_, index) =>
          write(placeOn(cluster, `w${index}`), `w${index}`, () => {
            done++;
          }),
        ),
      );
      for (let failure = 1; failure <= FAILURES; failure++) {
        const goal = (WRITERS * WRITES * failure) / (FAILURES + 1);
        await eventually('some have been written', () => done >= goal, 120_000);
        const leader = await cluster.leader();
        leader.process.kill(signal);
        const before = done;
        await eventually('writing goes on without it', () => done > before + 4, 120_000);
        if (signal === 'SIGKILL') leader.restart();
        else leader.process.kill('SIGCONT');
      }
      const written = await writing;
      const acknowledged = written.flatMap((each) => each.acknowledged);
      const open = written.flatMap((each) => each.open);
      const tokens = await tokensOf(placeOn(cluster, 'reader'));
      expect(new Set(tokens).size).toBe(tokens.length);
      expect(tokens).toEqual(expect.arrayContaining(acknowledged));
      expect(
        tokens.filter(
          (token) => !acknowledged.includes(token ?? '') && !open.includes(token ?? ''),
        ),
      ).toEqual([]);
      const last = tokens.at(-1);
      await eventually('the watcher has seen the last of it', () => seen.at(-1) === last, 30_000);
    },
  );
});
