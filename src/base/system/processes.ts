import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { orElse } from './files.ts';

const GRACE_MS = 500;
const PROCESS_POLL_MS = 5;

/** A process in /proc. */
interface ProcessInfo {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** As the system names it; 0 or a sign such as `?` if there is none. */
  readonly terminal: number | string;
  /** The foreground process group of its terminal. */
  readonly foreground: number;
  /** Start time in clock ticks. */
  readonly start: number;
}

type Processes = Map<number, ProcessInfo>;
type Five = [number, number, number, number, number];

function processInfo(pid: number): ProcessInfo | undefined {
  const stat = orElse(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '');
  // pid (comm) state ppid pgrp session ...; comm may contain blanks and parentheses.
  const [state, ...numbers] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 20);
  const [parent, group, session, terminal, foreground] = numbers.map(Number) as Five;
  const start = Number(numbers[18]);
  return state ? { state, parent, group, session, terminal, foreground, start } : undefined;
}

export type Job = Pick<ProcessInfo, 'parent' | 'group' | 'terminal' | 'foreground'>;

/** The start time of a process in clock ticks, which with its id is unique. Undefined without /proc. */
export function startOf(pid: number): number | undefined {
  return processInfo(pid)?.start;
}

/** Undefined if the process does not exist or has no terminal. */
export function jobOf(pid: number): Job | undefined {
  const job = process.platform === 'linux' ? processInfo(pid) : jobFromPs(pid);
  const isOnTerminal = job && job.group > 0 && !['0', '?', '??', '-'].includes(`${job.terminal}`);
  return isOnTerminal ? job : undefined;
}

function jobFromPs(pid: number): Job {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const fields = ['-o', 'ppid=', '-o', 'pgid=', '-o', 'tpgid=', '-o', 'tty='];
  const { stdout } = spawnSync('ps', [...fields, '-p', String(pid)], { encoding: 'utf8' });
  const [parent, group, foreground, terminal = '?'] = (stdout ?? '').trim().split(/\s+/);
  return { parent: Number(parent), group: Number(group), foreground: Number(foreground), terminal };
}

/** How to recognize orphans of a session. */
export interface Traces {
  /** Part of the environment that they were started with. */
  readonly environment: string;
  /** True if only one of them can have this file open. */
  readonly isTheirs: (openFile: string) => boolean;
}

/**
 * Ends a session of processes: TERM, then KILL after half a second.
 *
 * With /proc, that is the whole session and its descendants, also those that `set -m` or setsid moved out of the leader's
 * process group; without it, only that group.
 *
 * @param leader the session leader's process id.
 * @param start when the leader started. Once its whole session has ended, another process may get its id.
 * @param traces recognizes orphans, as of `(setsid sleep 999 &)`.
 */
export async function killProcessTree(
  leader: number,
  start: number | undefined,
  traces: Traces,
): Promise<void> {
  const isOurs = () => [undefined, start].includes(startOf(leader));
  const older = new Set<string>();
  const find = () =>
    liveMembers(isOurs() ? leader : undefined, traces, readProcesses(start ?? 0, older));
  const signal = (pids: readonly number[], name: NodeJS.Signals) => {
    for (const target of isOurs() ? [-leader, ...pids] : pids) {
      orElse(() => process.kill(target, name), false);
    }
  };
  // Before the signal: orphans are harder to recognize.
  let members = find();
  // Signal the group as a whole and nobody twice: a trap would clean up twice.
  signal(
    [...members.keys()].filter((pid) => members.get(pid)?.group !== leader),
    'SIGTERM',
  );
  const deadline = performance.now() + GRACE_MS;
  while (isAlive(leader, members) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, PROCESS_POLL_MS));
    // Reading /proc is expensive, so only once the known ones are gone: there may be new ones.
    if (!isAlive(leader, members)) members = find();
  }
  const last = members.size > 0 ? find() : members;
  const alive = [...members].filter(([pid, info]) => startOf(pid) === info.start);
  signal([...alive.map(([pid]) => pid), ...last.keys()], 'SIGKILL');
}

/** Child processes that have not been waited for; undefined if unknown, as without /proc. */
export function childrenOf(pid: number | undefined): ReadonlySet<number> | undefined {
  if (pid === undefined) return new Set();
  const file = `/proc/${pid}/task/${pid}/children`;
  const children = orElse(() => readFileSync(file, 'utf8'), undefined);
  return children === undefined ? undefined : new Set(children.match(/\d+/g)?.map(Number));
}

/**
 * True if `pid` is `leader` or its descendant, except through the children that it had before. False in doubt: for orphans,
 * and without /proc for all but the leader.
 */
export function isStartedSince(
  before: ReadonlySet<number> | undefined,
  pid: number,
  leader: number | undefined,
): boolean {
  if (pid === leader || before === undefined) return pid === leader;
  const parent = processInfo(pid)?.parent ?? 0;
  return parent === leader
    ? !before.has(pid)
    : parent > 1 && isStartedSince(before, parent, leader);
}

/** Without /proc, any of the leader's group. */
function isAlive(leader: number, members: Processes): boolean {
  if (processInfo(process.pid) === undefined) return orElse(() => process.kill(-leader, 0), false);
  return [...members].some(([pid, { start }]) => {
    const now = processInfo(pid);
    return now?.start === start && !isDead(now);
  });
}

/** The session's processes, their descendants in other sessions, and their orphans. Empty without /proc. */
function liveMembers(leader: number | undefined, traces: Traces, processes: Processes): Processes {
  const members: Processes = new Map();
  const adopters = ancestors();
  for (const [pid, info] of processes) {
    const mayBeOrphan = info.session !== leader && adopters.has(info.parent);
    if (mayBeOrphan && pid !== process.pid && hasTrace(pid, traces)) members.set(pid, info);
  }
  for (let size = -1; size < members.size; ) {
    size = members.size;
    for (const [pid, info] of processes) {
      if (info.session === leader || members.has(info.parent)) members.set(pid, info);
    }
  }
  return members;
}

/** This process and its ancestors: the kernel gives orphans to one of them. */
function ancestors(): Set<number> {
  const found = new Set([1]);
  let pid: number | undefined = process.pid;
  while (pid !== undefined && !found.has(pid)) {
    found.add(pid);
    pid = processInfo(pid)?.parent;
  }
  return found;
}

function hasTrace(pid: number, { environment, isTheirs }: Traces): boolean {
  const folder = `/proc/${pid}`;
  return (
    orElse(() => readFileSync(`${folder}/environ`, 'utf8'), '').includes(environment) ||
    orElse(() => readdirSync(`${folder}/fd`), []).some((fd) =>
      isTheirs(orElse(() => readlinkSync(`${folder}/fd/${fd}`), '')),
    )
  );
}

/** The living processes. @param older gets those from before that time, which are not read again. */
function readProcesses(since: number, older: Set<string>): Processes {
  const processes: Processes = new Map();
  for (const name of orElse(() => readdirSync('/proc'), [])) {
    const info = /^\d+$/.test(name) && !older.has(name) ? processInfo(Number(name)) : undefined;
    if (info && info.start < since) older.add(name);
    else if (info && !isDead(info)) processes.set(Number(name), info);
  }
  return processes;
}

const isDead = ({ state }: ProcessInfo) => state === 'Z' || state === 'X';
