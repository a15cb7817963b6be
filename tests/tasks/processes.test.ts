import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FilePlace } from '../../src/state/file-place.ts';
import { type LogEntry, LogPlace } from '../../src/state/log-place.ts';
import { NO_TASKS, type TaskGraph, withTasks } from '../../src/tasks/task.ts';
import { TASK_STEPS, type TaskStep } from '../../src/tasks/task-steps.ts';
import { bundle } from '../helpers/bundle.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { Random, testSeed } from '../helpers/random.ts';
import { comparable, contradictions, type Logged, Model, type Stored } from './linearizability.ts';
import { graphOf } from './tasks.ts';

const AGENTS = 16;
const TASKS = 500;
const PROCESSES_PER_AGENT = 2;
const OPERATIONS = 15;
const MORE_THAN_IT_GETS_TO = 1_000_000;
const LONGEST_LIFE_MS = 1200;
const KEEP_ALL = 1_000_000;

test('16 processes, 500 tasks, kill -9 at random: what came of it is what one after the other would have', async () => {
  const seed = testSeed();
  const random = new Random(seed);
  const script = bundle(join(import.meta.dirname, 'team-member.ts'));
  const folder = join(temporaryDirectory(), 'tasks', 'team');
  const logs = temporaryDirectory();
  const entries = new FilePlace<LogEntry<TaskStep>>({ folder, author: 'test', history: KEEP_ALL });
  const place = new LogPlace(entries, TASK_STEPS);
  place.commit(0, start(), new Date());

  let last = 0;
  const work = async (agent: string) => {
    for (let process = 0; process < PROCESSES_PER_AGENT; process++) {
      const name = String(++last);
      const isLast = process === PROCESSES_PER_AGENT - 1;
      const operations = isLast ? OPERATIONS : MORE_THAN_IT_GETS_TO;
      const argv = [script, folder, agent, name, String(operations), join(logs, name)];
      const member = spawn(globalThis.process.execPath, argv, { stdio: 'inherit' });
      const ended = once(member, 'exit');
      if (!isLast) {
        // Not before it has begun to work.
        while (!existsSync(join(logs, name))) await setTimeout(20);
        await setTimeout(random.next() * LONGEST_LIFE_MS);
        member.kill('SIGKILL');
      }
      await ended;
    }
  };
  await Promise.all(Array.from({ length: AGENTS }, (_, index) => work(`agent-${index + 1}`)));

  const history = [...entries.history()].reverse();
  expect(history.map(({ version }) => version)).toEqual(history.map((_, index) => index + 1));
  const logged = readdirSync(logs).flatMap((name) => readLog(join(logs, name)));
  const steps = stepsOf(history.map(({ content }) => content));
  const stored: Stored[] = steps.slice(1).map((step, index) => ({
    ...step,
    version: index + 2,
    by: history[index + 1]?.by ?? '',
  }));
  const model = modelOf(start());
  expect(contradictions(logged, stored, model, 1), `TEST_SEED=${seed}`).toEqual([]);

  const { content } = (await place.load()) ?? { content: NO_TASKS };
  expect([...content.tasks.values()].map(comparable)).toEqual(
    [...model.tasks.keys()].map((id) => model.task(id)),
  );
  expect(content.nextId).toBe(model.nextId);
  expectNewIds(history.map(({ content: { step } }) => step));
  // Both halves of the test happened: kills in the middle, and work that went on.
  expect(logged.filter(({ end }) => end === undefined).length).toBeGreaterThan(0);
  expect(logged.filter(({ version, refused }) => version && !refused).length).toBeGreaterThan(100);
}, 120_000);

test('the check finds what it is there for', () => {
  const model = () => modelOf(graphOf('One', { subject: 'Two', blockedBy: [1] }));
  const claim = (process: string, version: number, start: number): Logged => ({
    key: `${process}.0`,
    process,
    agent: `agent-${process}`,
    operation: { kind: 'claim', id: 1 },
    start,
    end: start + 5,
    version,
  });
  const claimedBy = (process: string, version: number): Stored => ({
    version,
    by: process,
    deleted: [],
    changed: [
      {
        id: 1,
        subject: 'One',
        status: 'in_progress',
        owner: `agent-${process}`,
        blocks: [2],
        blockedBy: [],
      },
    ],
  });
  const check = (logged: Logged[], stored: Stored[]) => contradictions(logged, stored, model(), 2);
  expect(check([claim('a', 3, 10)], [claimedBy('a', 3)])).toEqual([]);
  // A double claim, a lost one, one from the past, one that nobody made, half a dependency.
  expect(
    check([claim('a', 3, 10), claim('b', 4, 10)], [claimedBy('a', 3), claimedBy('b', 4)]),
  ).not.toEqual([]);
  expect(check([claim('a', 2, 10)], [])).not.toEqual([]);
  const refused = { ...claim('b', 2, 20), refused: ['blocked'] };
  expect(check([claim('a', 3, 10), refused], [claimedBy('a', 3)])).not.toEqual([]);
  expect(check([], [claimedBy('a', 3)])).not.toEqual([]);
  const [half] = [claimedBy('a', 3)].map((step) => ({
    ...step,
    changed: step.changed.map((task) => ({ ...task, blocks: [] })),
  }));
  expect(check([claim('a', 3, 10)], half ? [half] : [])).not.toEqual([]);
});

/** Every third task waits for one before it. */
function start(): TaskGraph {
  return graphOf(
    ...Array.from({ length: TASKS }, (_, index) =>
      index % 3 === 2 ? { subject: 'start', blockedBy: [index - 1] } : 'start',
    ),
  );
}

function modelOf(graph: TaskGraph): Model {
  const model = new Model();
  for (const { subject, blockedBy } of graph.tasks.values()) model.create(subject, blockedBy);
  return model;
}

/** Each version as a step, those too that were stored whole. */
function stepsOf(entries: readonly LogEntry<TaskStep>[]): TaskStep[] {
  let graph = NO_TASKS;
  return entries.map(({ isWhole, step }) => {
    const after = TASK_STEPS.apply(isWhole ? NO_TASKS : graph, [step]);
    const before = new Map(
      [...graph.tasks.values()].map((task) => [JSON.stringify(task), task] as const),
    );
    const same = withTasks(
      after,
      [...after.tasks.values()].map((task) => before.get(JSON.stringify(task)) ?? task),
    );
    const made = TASK_STEPS.between(graph, isWhole ? same : after);
    graph = isWhole ? same : after;
    return made;
  });
}

/** That no id was given twice. */
function expectNewIds(steps: readonly TaskStep[]): void {
  const gone = new Set<number>();
  for (const { changed, deleted } of steps) {
    expect(changed.filter(({ id }) => gone.has(id))).toEqual([]);
    for (const id of deleted) gone.add(id);
  }
}

/** Both lines of an operation together. A line that a kill has cut is none. */
function readLog(path: string): Logged[] {
  const operations = new Map<string, Logged>();
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    const said: Logged = JSON.parse(line);
    operations.set(said.key, { ...operations.get(said.key), ...said });
  }
  return [...operations.values()];
}
