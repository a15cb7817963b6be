import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Settings, type SettingsSource, settingsOfCalls } from '../base/settings/settings.ts';
import type { ListName } from '../lists/list-paths.ts';
import type { Awaitable } from '../lists/maybe-async.ts';
import { DEFAULT_AGENT } from '../lists/place.ts';
import { type TaskContext, teamOf } from '../tasks/task-context.ts';
import { TaskStore } from '../tasks/task-store.ts';
import { TodoHome } from '../todo/todo-home.ts';
import type { TodoSource } from '../todo/todo-source.ts';
import { type TodoList, todoStore } from '../todo/todo-store.ts';

export interface ShellList {
  readonly source: TodoSource;
  /** The default list; reading it may fail. */
  readonly shared: TodoList;
  /** For the task commands; in memory, too, unless a list in files is named. */
  readonly tasks: TaskContext;
  readonly settings: SettingsSource;
  /** True if the list belongs to a subagent. */
  readonly isSubagent: () => Awaitable<boolean>;
  readonly close: () => Promise<void>;
}

/**
 * The list in memory or, if a session is named, that session's list in files. A caller that names another list gets it from
 * files.
 *
 * @param named the shell's own options. They are put into this process's environment, so that all programs inside the shell
 *   use the same list.
 * @param id of the session, which releases its tasks at its end.
 */
export function shellList(named: Partial<ListName>, id?: string): ShellList {
  if (named.session !== undefined) process.env.TODO_SESSION = named.session;
  if (named.agent !== undefined) process.env.TODO_AGENT = named.agent;
  const calls = settingsOfCalls(process.env, process.cwd);
  const files = new TodoHome(process.env, process.cwd(), calls());
  const own = files.settings;
  const settings: SettingsSource = (call) => files.warned(calls(call));
  const close = () => files.close();
  const isInMemory = own.session === undefined;
  const team = teamOf(files, { settings, session: id });
  if (!isInMemory) {
    const list = files.open({});
    const isSubagent = () => files.isOfSubagent(list);
    return { source: files.open, shared: list, tasks: team, settings, isSubagent, close };
  }
  const unnamed = new TaskStore();
  const open: TaskContext['open'] = (list, of) =>
    (list ?? of.taskList ?? of.session) === undefined ? unnamed : team.open(list, of);
  const source: TodoSource = (name, of) => {
    if ((name.session ?? of.session) !== undefined) return files.open(name, of);
    const isOwn = (name.agent ?? of.agent ?? DEFAULT_AGENT) === (own.agent ?? DEFAULT_AGENT);
    return isOwn ? todoStore : { problem: OTHER_AGENT };
  };
  const tasks = { ...team, open };
  return { source, shared: todoStore, tasks, settings, isSubagent: () => false, close };
}

const OTHER_AGENT =
  'this shell keeps one list, in memory, and no other agent has one in it; name a session too, with TODO_SESSION or --session';

/**
 * Waits for the end of its standard input, which only the session holds open. Then it releases the tasks in the session's
 * own list, and in each list named by a line of the input.
 */
const WAIT = `trap "" INT TERM HUP
release=$1
shift 2
while IFS= read -r list; do set -- "$@" "$list"; done
for list; do "$release" --begun --list "$list"; done
exec "$release" --begun`;

export interface ReleaseAtExit {
  /** Adds a list, besides the session's own, in which to release tasks. */
  readonly alsoIn: (list: string) => void;
  /** Releases the tasks, and resolves when that is done. */
  readonly end: () => Promise<void>;
}

/**
 * Releases the tasks that an agent has begun in a session when the session ends, however it ends: a small shell waits for
 * the end of a pipe that only this process holds open. Tasks that were assigned to the agent stay its own; so do those that
 * it begins in its next session, perhaps before that shell is done.
 *
 * @param id the session's id in its tasks.
 */
export function releaseAtExit(settings: Settings, id: string): ReleaseAtExit {
  const { agent, session, taskList, releaseAtExit: isWanted = agent !== undefined } = settings;
  // A list in memory ends with its session.
  const isKept = session !== undefined || taskList !== undefined;
  if (!isWanted || !isKept) return { alsoIn: () => {}, end: async () => {} };
  const bin = dirname(realpathSync(process.argv[1] ?? ''));
  const release = join(bin, 'commands', 'TaskRelease');
  const waiting = spawn('/bin/sh', ['-c', WAIT, 'sh', release, '--begun'], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // Names the list, even if it is gone by then.
    cwd: process.cwd(),
    env: { ...process.env, AGENT_SHELL_SESSION: id },
  });
  const ended = new Promise<void>((resolve) => waiting.once('close', () => resolve()));
  waiting.on('error', () => {});
  waiting.stdin.on('error', () => {});
  waiting.unref();
  (waiting.stdin as unknown as { unref?: () => void }).unref?.();
  const told = new Set([taskList ?? session]);
  return {
    alsoIn: (list) => {
      if (told.has(list) || list.includes('\n')) return;
      told.add(list);
      waiting.stdin.write(`${list}\n`);
    },
    end: () => {
      waiting.ref();
      waiting.stdin.end();
      return ended;
    },
  };
}
