import { constants } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { exitCodeOf } from '../base/command/replies.ts';
import { StateError } from '../base/command/state-error.ts';
import { LONGEST_TIMER_MS } from '../base/command/time-limit.ts';
import { jsonLine } from '../base/json/fields.ts';
import { safeText } from '../base/safe-text.ts';
import { writeAll } from '../base/system/files.ts';
import { sessionKey } from '../lists/list-paths.ts';
import { agentName } from '../screen/panel/look.ts';
import { plainReport, plainTaskReport } from '../screen/panel/plain-report.ts';
import { canDraw } from '../screen/panel/theme.ts';
import { writeWithoutWaiting } from '../screen/terminal/full-screen.ts';
import { TASK_STEPS } from '../tasks/stored-tasks.ts';
import { NO_TASKS } from '../tasks/task.ts';
import { type TaskVersion, taskRows } from '../tasks/task-store.ts';
import { listJson } from '../todo/list-text.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import { type Follower, type Following, followLists, followTasks } from './follow.ts';
import helpPage from './watch.md';
import type { WatchArguments } from './watch-arguments.ts';
import { WatchedLists } from './watched-lists.ts';

/** How long open connections may delay the exit. */
const END_MS = 200;

/**
 * Shows lists as they change: in the viewer on a terminal, otherwise as lines, or as a page for browsers. Runs until the
 * user quits or a signal arrives. Returns the exit code.
 */
export async function watch(options: WatchArguments): Promise<number> {
  const exitCode = await show(options);
  setTimeout(() => process.exit(exitCode), END_MS).unref();
  return exitCode;
}

async function show(options: WatchArguments): Promise<number> {
  if (options.help) {
    writeAll(1, helpPage);
    return 0;
  }
  if (options.web) return (await import('./watch-web.ts')).watchWeb(options, endingSignals);
  const isViewer = canDraw(process.stdout, process.env) && !options.jsonl && !options.plain;
  return isViewer ? (await import('./viewer.ts')).runViewer(options) : printChanges(options);
}

/** Prints each change of the lists or tasks, as a line of words or JSON, until a signal. Returns the exit code. */
async function printChanges(options: WatchArguments): Promise<number> {
  writeWithoutWaiting(process.stdout);
  const { list, tasks, jsonl } = options;
  const own = tasks && list.session !== undefined ? { TODO_SESSION: list.session } : {};
  const watched = new WatchedLists({ ...process.env, ...own });
  const signals = endingSignals();
  try {
    if (tasks) {
      const print = jsonl ? printTaskSteps : printTaskWords;
      const start = (follower: Follower<TaskVersion>) =>
        followTasks(watched.storage, watched.teamKey(options.taskList), follower, 'newest');
      return await printEach(start, print, signals.exitCode);
    }
    const { session, agent } = watched.name(list);
    const print = jsonl ? jsonPrinter(session) : wordsPrinter(options.all ? undefined : agent);
    // Without a harness session id, all of its sessions are meant.
    const isMeant = (one: string) => options.all || one === agent || one.startsWith(`${agent}@`);
    const start = (follower: Follower<TodoVersion>) =>
      followLists(watched.storage, sessionKey(session), follower, 'newest', isMeant);
    return await printEach(start, print, signals.exitCode);
  } catch (error) {
    return sayTrouble(error);
  } finally {
    signals.ignore();
    await watched.close();
  }
}

/** Keeps the process alive until a terminating signal; `exitCode` is that signal's. */
function endingSignals() {
  const keepAlive = setInterval(() => {}, LONGEST_TIMER_MS);
  const exitCode = new Promise<number>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => resolve(128 + constants.signals[signal]));
    }
  });
  return { exitCode, ignore: () => clearInterval(keepAlive) };
}

async function printEach<V extends TodoVersion | TaskVersion>(
  follow: (follower: Follower<V>) => Following<V>,
  print: Follower<V>['changed'],
  ended: Promise<number>,
): Promise<number> {
  // Where no list is readable from the start, that is an error. One that becomes so may be fixed while we watch.
  let isStart = true;
  let told = '';
  let following: Following<V> | undefined;
  const failedAtStart = new Promise<number>((resolve) => {
    following = follow({
      changed: (list) => {
        isStart = false;
        const { damage } = list.versions[0];
        if (damage !== undefined) sayTrouble(new StateError(damage));
        print(list);
      },
      failed: (error) => {
        // Report servers that stay away only once; the reason is that of the one asked last.
        const trouble = error instanceof StateError && error.isOfReading ? 'servers' : `${error}`;
        if (trouble === told) return;
        told = trouble;
        const exitCode = sayTrouble(error);
        if (isStart) resolve(exitCode);
      },
      reached: () => {
        isStart = false;
        told = '';
      },
    });
  });
  try {
    return await Promise.race([failedAtStart, ended]);
  } finally {
    following?.end();
  }
}

function jsonPrinter(session: string): Follower<TodoVersion>['changed'] {
  return ({ agent, versions: [version] }) => print(listJson(version, { session, agent }));
}

/** @param asked the agent that was asked for: its changes need no label. */
function wordsPrinter(asked: string | undefined): Follower<TodoVersion>['changed'] {
  return ({ agent, versions: [version, before = { items: [] }] }) => {
    const report = plainReport(before, version);
    const label = agent === asked ? '' : `${safeText(agentName(agent))}: `;
    if (report !== '') print(`${label}${report}\n`);
  };
}

const printTaskWords: Follower<TaskVersion>['changed'] = ({ versions: [version, before] }) => {
  const report = plainTaskReport(taskRows(before?.graph ?? NO_TASKS), taskRows(version.graph));
  if (report !== '') print(`${report}\n`);
};

/** The first line has all tasks. */
const printTaskSteps: Follower<TaskVersion>['changed'] = ({ versions: [version, before] }) => {
  const old = before?.graph ?? NO_TASKS;
  const { changed: other, deleted } = TASK_STEPS.between(old, version.graph);
  // Tasks that are read again are other objects.
  const changed = other.filter((task) => !isDeepStrictEqual(task, old.tasks.get(task.id)));
  print(jsonLine({ version: version.version, changed, deleted }));
};

function print(text: string): void {
  process.stdout.write(text);
}

function sayTrouble(error: unknown): number {
  if (!(error instanceof StateError)) throw error;
  process.stderr.write(`agent-shell: ${safeText(error.message)}\n`);
  return exitCodeOf(error);
}
