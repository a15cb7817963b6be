// A process that changes one list at random: FOLDER-OR-URL AGENT SEED CHANGES LOG. It logs the start, the plan and the end of
// each change.
import { openSync, writeSync } from 'node:fs';
import { StateError } from '../../src/base/command/state-error.ts';
import { FilePlace } from '../../src/lists/file-place.ts';
import { type LogEntry, LogPlace } from '../../src/lists/log-place.ts';
import { ServerStorage } from '../../src/servers/server-storage.ts';
import { claimTask, releaseTasks } from '../../src/tasks/claims.ts';
import type { Refused } from '../../src/tasks/reasons.ts';
import { TASK_STEPS, type TaskStep } from '../../src/tasks/stored-tasks.ts';
import type { TaskGraph } from '../../src/tasks/task.ts';
import { createTasks } from '../../src/tasks/task-create.ts';
import type { TaskChanges } from '../../src/tasks/task-fields.ts';
import { TaskStore } from '../../src/tasks/task-store.ts';
import { updateTask } from '../../src/tasks/update-task.ts';
import { Random } from '../helpers/random.ts';
import { digest } from './linearizability.ts';

const [where = '', agent = '', seed = '', changes = '', log = ''] = process.argv.slice(2);
const KEEP_ALL = 1_000_000;
const random = new Random(Number(seed));
const descriptor = openSync(log, 'a');
const say = (line: object) => writeSync(descriptor, `${JSON.stringify(line)}\n`);
const now = () => Number(process.hrtime.bigint() / 1000n);

function open(author: string): TaskStore {
  const options = { author, history: KEEP_ALL };
  const entries = where.includes('://')
    ? new ServerStorage({ url: where, environment: process.env, timeoutMs: 5000 }).place<
        LogEntry<TaskStep>
      >('tasks/team', options)
    : new FilePlace<LogEntry<TaskStep>>({ folder: where, ...options });
  return new TaskStore(new LogPlace(entries, TASK_STEPS));
}

async function main(): Promise<void> {
  let name = seed;
  let store = open(name);
  for (let number = 0; number < Number(changes); number++) {
    const key = `${seed}.${number}`;
    say({ key, process: name, start: now() });
    try {
      const { version } = await store.change((graph, at) => {
        const planned = plan(graph, at);
        say({ key, from: digest(graph), to: digest('graph' in planned ? planned.graph : graph) });
        return planned;
      });
      say({ key, end: now(), version });
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      // It is not known whether it was made: as if this process had been killed, and another one went on.
      name = `${seed}, ${number + 1}`;
      store = open(name);
    }
  }
}

function plan(graph: TaskGraph, at: string): { readonly graph: TaskGraph } | Refused {
  const tasks = [...graph.tasks.values()];
  const mine = tasks.filter(({ owner, status }) => owner === agent && status === 'in_progress');
  const any = () => random.pick(tasks).id;
  const own = () => (mine.length > 0 ? random.pick(mine).id : any());
  const rules = { agent, checkBusy: false, force: false };
  const update = (taskId: number, fields: Omit<TaskChanges, 'taskId'>) =>
    updateTask(graph, { taskId, ...fields }, rules, at);
  const dice = random.below(100);
  if (dice < 30) return claimTask(graph, random.chance(0.5) ? 'next' : any(), rules, at);
  if (dice < 55) return update(own(), { status: 'completed' });
  if (dice < 65) return update(any(), { subject: `${agent} ${random.below(1e6)}` });
  if (dice < 75) return update(any(), { addBlockedBy: [any()] });
  if (dice < 80) return update(any(), { status: 'deleted' });
  if (dice < 92) return releaseTasks(graph, [own()], agent, at);
  return createTasks(graph, [{ subject: agent, blockedBy: [any()] }], at);
}

main().then(() => process.exit());
