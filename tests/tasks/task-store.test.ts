import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FilePlace } from '../../src/lists/file-place.ts';
import { type LogEntry, LogPlace } from '../../src/lists/log-place.ts';
import { type AnyPlace, MemoryPlace } from '../../src/lists/place.ts';
import { ServerStorage } from '../../src/servers/server-storage.ts';
import { TASK_STEPS, type TaskStep } from '../../src/tasks/stored-tasks.ts';
import { type Task, type TaskGraph, withTasks } from '../../src/tasks/task.ts';
import { TaskStore, taskView } from '../../src/tasks/task-store.ts';
import { bundled } from '../helpers/bundle.ts';
import { EtcdCluster, hasEtcd, hasPostgres, PostgresServer } from '../helpers/engines.ts';
import { eventually } from '../helpers/eventually.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { Random, testSeed } from '../helpers/random.ts';
import { contradictions, digest, type Logged } from './linearizability.ts';
import { AT, claimed, graphOf } from './tasks.ts';

/** `npm run test:machines` sets it: only that kills servers, too. */
const IS_LONG = process.env.TEST_MACHINES !== undefined;
const PROCESSES_PER_AGENT = 2;
/** Of the last process of each agent; in the long run, enough for three disturbances. */
const OPERATIONS = IS_LONG ? 60 : 10;
const MORE_THAN_IT_GETS_TO = 1_000_000;
const LONGEST_LIFE_MS = 400;
const KEEP_ALL = 1_000_000;

interface Team {
  /** A folder or a URL. */
  readonly where: string;
  readonly entries: AnyPlace<LogEntry<TaskStep>>;
  readonly agents: number;
  readonly tasks: number;
  /** Disturbs the servers while the team works. */
  readonly disturb?: (committed: () => Promise<number>) => Promise<void>;
}

function onServer(url: string): Pick<Team, 'where' | 'entries'> {
  const storage = new ServerStorage({ url, environment: {}, timeoutMs: 20_000 });
  onTestFinished(() => storage.close());
  const options = { author: 'test', history: KEEP_ALL };
  return { where: url, entries: storage.place<LogEntry<TaskStep>>('tasks/team', options) };
}

/** True if the last line of a member's log is not the end of a change. */
function isWorking(log: string): boolean {
  return existsSync(log) && !/(^|"version":\d+\}\n)$/.test(readFileSync(log, 'utf8'));
}

/** A team works at random and its processes are killed at random; then its history is checked. */
async function judge({ where, entries, agents, tasks, disturb }: Team): Promise<void> {
  const seed = testSeed();
  const random = new Random(seed);
  const script = await bundled(join(import.meta.dirname, 'team-member.ts'));
  const logs = temporaryDirectory();
  const place = new LogPlace(entries, TASK_STEPS);
  await place.commit(0, start(tasks), new Date());

  let last = 0;
  const work = async (agent: string) => {
    for (let process = 0; process < PROCESSES_PER_AGENT; process++) {
      const name = String(++last);
      const isLast = process === PROCESSES_PER_AGENT - 1;
      const operations = isLast ? OPERATIONS : MORE_THAN_IT_GETS_TO;
      const argv = [script, where, agent, name, String(operations), join(logs, name)];
      const member = spawn(globalThis.process.execPath, argv, { stdio: 'inherit' });
      const ended = once(member, 'exit');
      if (!isLast) {
        await setTimeout(random.next() * LONGEST_LIFE_MS);
        await eventually('it is in the middle of an operation', () => isWorking(join(logs, name)));
        member.kill('SIGKILL');
      }
      await ended;
    }
  };
  const working = Promise.all(
    Array.from({ length: agents }, (_, index) => work(`agent-${index + 1}`)),
  );
  await disturb?.(async () => (await entries.load())?.version ?? 0);
  await working;

  const versions = [...(await new LogPlace(entries, TASK_STEPS).history())].reverse();
  expect(versions.map(({ version }) => version)).toEqual(versions.map((_, index) => index + 1));
  const logged = readdirSync(logs).flatMap((name) => readLog(join(logs, name)));
  expect(contradictions(logged, versions), `TEST_SEED=${seed}`).toEqual([]);
  // Both happened: kills in the middle, and work that went on.
  expect(logged.filter(({ end }) => end === undefined).length).toBeGreaterThan(0);
  expect(versions.length).toBeGreaterThan(agents * 4);
}

test('many processes and tasks, kill -9 at random: the result is as if they had run one after the other', async () => {
  const folder = join(temporaryDirectory(), 'tasks', 'team');
  const entries = new FilePlace<LogEntry<TaskStep>>({ folder, author: 'test', history: KEEP_ALL });
  await judge({ where: folder, entries, agents: IS_LONG ? 16 : 5, tasks: 500 });
}, 120_000);

const whileServersFail = () => {
  test.runIf(hasEtcd)('three members of etcd, whose leaders die or fall silent', async () => {
    const cluster = await EtcdCluster.start(3);
    onTestFinished(() => cluster.stop());
    const disturb = async (committed: () => Promise<number>) => {
      for (let time = 0; time < 3; time++) {
        const before = await committed();
        await eventually('it goes on', async () => (await committed()) > before + 5, 60_000);
        for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
          const leader = await cluster.leader();
          leader.process.kill(signal);
          const isAnother = async () => (await cluster.leader()).endpoint !== leader.endpoint;
          await eventually('another one leads', isAnother, 60_000);
          if (signal === 'SIGKILL') leader.restart();
          else leader.process.kill('SIGCONT');
        }
      }
    };
    await judge({ ...onServer(cluster.url), agents: 8, tasks: 100, disturb });
  });

  test.runIf(hasPostgres)('PostgreSQL, whose synchronous standby takes over', async () => {
    const primary = await PostgresServer.start();
    onTestFinished(() => primary.stop());
    const standby = await PostgresServer.standbyOf(primary);
    onTestFinished(() => standby.stop());
    const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(',');
    const disturb = async (committed: () => Promise<number>) => {
      await eventually('it goes on', async () => (await committed()) > 5, 60_000);
      primary.kill();
      standby.promote();
    };
    const url = `postgres://lists@${hosts}/postgres`;
    await judge({ ...onServer(url), agents: 8, tasks: 100, disturb });
  });
};
if (IS_LONG) describe('while servers fail', { timeout: 240_000 }, whileServersFail);

test('the judge of the history finds planted faults', () => {
  const first = graphOf('One', { subject: 'Two', blockedBy: [1] });
  const [one, other] = [claimed(first, 1, 'a'), claimed(first, 1, 'b')];
  const half = withTasks(one, [{ ...(one.tasks.get(1) as Task), blocks: [] }]);
  const log = (process: string, version: number, to: TaskGraph, start = 10): Logged => ({
    ...{ key: `${process}.0`, process, start, end: start + 5, version },
    ...{ from: digest(first), to: digest(to) },
  });
  const check = (logged: Logged[], ...later: [by: string, content: TaskGraph][]) =>
    contradictions(
      logged,
      [['test', first] as const, ...later].map(([by, content], index) => ({
        ...{ version: index + 1, at: new Date(AT), by, content },
      })),
    );
  const claim = log('a', 2, one);
  expect(check([claim], ['a', one])).toEqual([]);
  for (const [fault, found] of Object.entries({
    double: check([claim, log('b', 3, other)], ['a', one], ['b', other]),
    lost: check([{ ...claim, version: 1 }]),
    stale: check([claim, log('b', 1, first, 20)], ['a', one]),
    invented: check([], ['a', one]),
    half: check([claim], ['a', half]),
  })) {
    expect([fault, found]).not.toEqual([fault, []]);
  }
});

/** Every third task waits for one before it. */
function start(tasks: number): TaskGraph {
  return graphOf(
    ...Array.from({ length: tasks }, (_, index) =>
      index % 3 === 2 ? { subject: 'start', blockedBy: [index - 1] } : 'start',
    ),
  );
}

/** Pairs the two lines of each operation. A line cut by a kill does not count. */
function readLog(path: string): Logged[] {
  const operations = new Map<string, Logged>();
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const said: Logged = JSON.parse(line);
    operations.set(said.key, { ...operations.get(said.key), ...said });
  }
  return [...operations.values()];
}

test('a list that can no longer be read stays as last seen', () => {
  const place = new MemoryPlace<TaskGraph>();
  place.load = () => {
    throw new Error('the disk is gone');
  };
  expect(taskView(new TaskStore(place)).rows()).toEqual([]);
});
