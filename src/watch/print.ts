import { constants } from 'node:os';
import { EXIT_CODES } from '../command/agent-command.ts';
import { jsonLine } from '../json/json-value.ts';
import { plainReport, plainTaskReport } from '../panel/plain-report.ts';
import { safeText } from '../safe-text.ts';
import { sessionKey } from '../state/list-paths.ts';
import { damageNote } from '../state/place.ts';
import { StateError } from '../state/state-error.ts';
import { TASK_STEPS } from '../tasks/stored-tasks.ts';
import { NO_TASKS } from '../tasks/task.ts';
import { openTaskList, type TaskRow, type TaskStore, taskView } from '../tasks/task-store.ts';
import { writeWithoutWaiting } from '../terminal/full-screen.ts';
import { listJson } from '../todo/list-text.ts';
import type { TodoState } from '../todo/todo-version.ts';
import type { Follower } from './follow.ts';
import { watchedLists } from './sources.ts';
import type { WatchArguments } from './watch-arguments.ts';
import type { WatchedLists } from './watched-lists.ts';

const LONG_MS = 2 ** 31 - 1;

/** Prints each change of the lists or tasks, as a line of words or JSON, until a signal. Returns the exit code. */
export async function printChanges(options: WatchArguments): Promise<number> {
  writeWithoutWaiting(process.stdout);
  const { session } = options.list;
  const own = options.tasks && session !== undefined ? { TODO_SESSION: session } : {};
  const environment = { ...process.env, ...own };
  const watched = watchedLists(environment);
  const signals = endingSignals();
  try {
    return options.tasks
      ? await printTasks(options, watched, signals.exitCode)
      : await printLists(options, watched, signals.exitCode);
  } catch (error) {
    return sayTrouble(error);
  } finally {
    signals.ignore();
    await watched.close();
  }
}

/** Keeps the process alive until a terminating signal; `exitCode` is that signal's. */
export function endingSignals(): { exitCode: Promise<number>; ignore: () => void } {
  const keepAlive = setInterval(() => {}, LONG_MS);
  const exitCode = new Promise<number>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => resolve(128 + constants.signals[signal]));
    }
  });
  return { exitCode, ignore: () => clearInterval(keepAlive) };
}

async function printLists(
  { list, all, jsonl }: WatchArguments,
  watched: WatchedLists,
  ended: Promise<number>,
): Promise<number> {
  const name = watched.lists.name(list);
  // A list that is unreadable from the start is an error. One that becomes so may be fixed while we watch.
  let isStart = true;
  let told = '';
  let failAtStart = (_exitCode: number) => {};
  const failedAtStart = new Promise<number>((resolve) => {
    failAtStart = resolve;
  });
  const print = jsonl ? jsonPrinter(name.session) : wordsPrinter(all ? undefined : name.agent);
  const follower: Follower = {
    changed: (of, version) => {
      told = '';
      if (version.damage) sayTrouble(new StateError(damageNote(version) ?? ''));
      print(of, version);
    },
    failed: (error) => {
      // Report a server that stays away only once.
      if (String(error) === told) return;
      told = String(error);
      const exitCode = sayTrouble(error);
      if (isStart) failAtStart(exitCode);
    },
    reached: () => {
      isStart = false;
      told = '';
    },
  };
  // Without a harness session id, all of its sessions are meant.
  const isMeant = (agent: string) => agent === name.agent || agent.startsWith(`${name.agent}@`);
  const options = { start: 'newest', isMeant: all ? undefined : isMeant } as const;
  const end = watched.follow(sessionKey(name.session), follower, options);
  try {
    return await Promise.race([failedAtStart, ended]);
  } finally {
    end();
  }
}

function jsonPrinter(session: string): Follower['changed'] {
  return ({ agent }, version) => print(listJson(version, { session, agent }));
}

/** @param asked the agent that was asked for: its changes need no label. */
function wordsPrinter(asked: string | undefined): Follower['changed'] {
  const known = new Map<string, TodoState>();
  return ({ agent }, version) => {
    const before = known.get(agent) ?? { items: [], updatedAt: version.updatedAt };
    known.set(agent, version);
    const report = plainReport(before, version);
    const label = agent === asked ? '' : `${safeText(agent)}: `;
    if (report !== '') print(`${label}${report}\n`);
  };
}

async function printTasks(
  { taskList, jsonl }: WatchArguments,
  watched: WatchedLists,
  ended: Promise<number>,
): Promise<number> {
  const name = taskList ?? watched.lists.settings.taskList ?? watched.lists.teamSession();
  const store = openTaskList(watched.lists, name, undefined);
  await store.read();
  const tell = jsonl ? stepsPrinter(store) : taskWordsPrinter(store);
  const end = store.onChange(tell);
  tell();
  const exitCode = await ended;
  end();
  return exitCode;
}

function taskWordsPrinter(store: TaskStore): () => void {
  const source = taskView(store);
  let seen: readonly TaskRow[] = [];
  return () => {
    const rows = source.rows();
    const report = plainTaskReport(seen, rows);
    seen = rows;
    if (report !== '') print(`${report}\n`);
  };
}

/** Prints each change as JSON. The first line has everything; simultaneous changes share a line. */
function stepsPrinter(store: TaskStore): () => void {
  let seen = { version: 0, graph: NO_TASKS };
  return () => {
    try {
      const now = store.get();
      if (now.version === seen.version) return;
      const { changed, deleted } = TASK_STEPS.between(seen.graph, now.graph);
      seen = now;
      print(jsonLine({ version: now.version, changed, deleted }));
    } catch (error) {
      sayTrouble(error);
    }
  };
}

function print(text: string): void {
  process.stdout.write(text);
}

function sayTrouble(error: unknown): number {
  if (!(error instanceof StateError)) throw error;
  process.stderr.write(`agent-shell: ${safeText(error.message)}\n`);
  return EXIT_CODES.storageTrouble;
}
