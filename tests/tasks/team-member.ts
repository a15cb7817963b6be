// A process that changes one list at random: FOLDER-OR-URL AGENT SEED OPERATIONS LOG. It logs the start and the end of each
// operation.
import { openSync, writeSync } from 'node:fs';
import { FilePlace } from '../../src/state/file-place.ts';
import { type LogEntry, LogPlace } from '../../src/state/log-place.ts';
import type { SharedPlace } from '../../src/state/place.ts';
import { ServerLists } from '../../src/state/server-lists.ts';
import { StateError } from '../../src/state/state-error.ts';
import { TASK_STEPS, type TaskStep } from '../../src/tasks/stored-tasks.ts';
import type { Task } from '../../src/tasks/task.ts';
import { TaskStore } from '../../src/tasks/task-store.ts';
import { Random } from '../helpers/random.ts';
import { type Operation, plan } from './linearizability.ts';

const [where = '', agent = '', seed = '', operations = '', log = ''] = process.argv.slice(2);
/** Another one after each operation of which it is not known whether it was made, as if another process went on. */
let name = seed;
const KEEP_ALL = 1_000_000;
const random = new Random(Number(seed));
const descriptor = openSync(log, 'a');
const say = (line: object) => writeSync(descriptor, `${JSON.stringify(line)}\n`);
const now = () => Number(process.hrtime.bigint() / 1000n);

async function openEntries(): Promise<SharedPlace<LogEntry<TaskStep>>> {
  const options = { author: name, history: KEEP_ALL };
  if (!where.includes('://')) return new FilePlace({ folder: where, ...options });
  const lists = new ServerLists({ url: where, environment: process.env, timeoutMs: 5000 });
  return lists.place('tasks/team', options);
}

async function main(): Promise<void> {
  const open = async () => new TaskStore(new LogPlace(await openEntries(), TASK_STEPS));
  let store = await open();
  for (let number = 0; number < Number(operations); number++) {
    const { graph } = await whileItAnswers(() => store.read());
    const tasks = [...graph.tasks.values()];
    const operation = choose(tasks);
    say({ key: `${seed}.${number}`, process: name, agent, operation, start: now() });
    // An uncertain outcome is logged as an operation without an end, like one of a killed process.
    const outcome = await store
      .change((newest, at) => plan(newest, operation, agent, at))
      .catch((error) => {
        if (!(error instanceof StateError)) throw error;
      });
    if (outcome === undefined) {
      name = `${seed}, ${number + 1}`;
      store = await open();
      continue;
    }
    const refused = 'refused' in outcome ? outcome.refused.map(({ code }) => code) : undefined;
    say({ key: `${seed}.${number}`, end: now(), version: outcome.version, refused });
  }
}

async function whileItAnswers<T>(read: () => T | Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
    }
  }
}

function choose(tasks: readonly Task[]): Operation {
  const any = () => random.pick(tasks).id;
  const mine = tasks.filter(({ owner, status }) => owner === agent && status === 'in_progress');
  const own = () => (mine.length > 0 ? random.pick(mine).id : any());
  const dice = random.below(100);
  if (dice < 30) return { kind: 'claim', id: random.chance(0.5) ? 'next' : any() };
  if (dice < 55) return { kind: 'complete', id: own() };
  if (dice < 65) return { kind: 'rename', id: any(), subject: `${agent} ${random.below(1e6)}` };
  if (dice < 75) return { kind: 'link', id: any(), blocker: any() };
  if (dice < 80) return { kind: 'delete', id: any() };
  if (dice < 92) return { kind: 'release', id: own() };
  return { kind: 'create', blockers: [any()] };
}

main().then(() => process.exit());
