import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

// How long a process may take to clean up after itself before it is killed.
const GRACE_MS = 500;
const POLL_MS = 5;

/**
 * Ends a session of processes: TERM first, KILL half a second later for what is still there.
 *
 * Where /proc tells, that is all of the session and its descendants, also those that `set -m` or setsid took out of
 * the leader's process group; elsewhere it is that group. Those whose parents are gone, as that of `(setsid sleep 999 &)`, are
 * known by the session's private folder: it is on their PATH, or its FIFOs are their outputs.
 *
 * @param leader the process id of the session's leader, which leads its first process group too.
 * @param folder the session's private folder.
 */
export async function killProcessTree(leader: number, folder: string): Promise<void> {
  // Members are looked up first: when their parents are gone, less tells that they belonged here.
  let members = liveMembers(leader, folder);
  // The group gets the signal as a whole, and no process gets it twice: a trap would clean up twice.
  const others = [...members.keys()].filter((pid) => members.get(pid)?.group !== leader);
  signalAll([-leader, ...others], 'SIGTERM');
  const deadline = performance.now() + GRACE_MS;
  while (isAlive(leader, members) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    // To look at all processes costs more than at those that were there. When they are gone, there may be new ones.
    if (!isAlive(leader, members)) members = liveMembers(leader, folder);
  }
  const last = members.size > 0 ? liveMembers(leader, folder) : members;
  signalAll([-leader, ...members.keys(), ...last.keys()], 'SIGKILL');
}

/** The processes that this one has started and not waited for; undefined if that cannot be known, as without /proc. */
export function childrenOf(pid: number | undefined): ReadonlySet<number> | undefined {
  if (pid === undefined) return new Set();
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return new Set(children.split(' ').filter(Boolean).map(Number));
  } catch {
    return undefined;
  }
}

/**
 * Whether `pid` is the process `leader` or was started by it, directly or not, other than by the children that it had before.
 * False in doubt: for a process whose parents are gone, and without /proc for all but the leader.
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

function signalAll(targets: readonly number[], signal: NodeJS.Signals): void {
  for (const target of targets) {
    try {
      process.kill(target, signal);
    } catch {
      // gone already
    }
  }
}

/** Whether any of them is there; without /proc, any of the leader's group. */
function isAlive(leader: number, members: ReadonlyMap<number, ProcessInfo>): boolean {
  if (processInfo(process.pid) === undefined) return isGroupAlive(leader);
  return [...members].some(([pid, { start }]) => {
    const now = processInfo(pid);
    return now?.start === start && !isDead(now);
  });
}

function isGroupAlive(leader: number): boolean {
  try {
    return process.kill(-leader, 0);
  } catch {
    return false;
  }
}

/** The session's processes, their descendants in other sessions, and their orphans. Empty if there is no /proc. */
function liveMembers(leader: number, folder: string): Map<number, ProcessInfo> {
  const processes = readProcesses();
  const members = new Map<number, ProcessInfo>();
  const since = processes.get(leader)?.start ?? 0;
  const adopters = ancestors(processes);
  for (const [pid, info] of processes) {
    const mayBeOrphan =
      info.session !== leader &&
      info.start >= since &&
      adopters.has(info.parent) &&
      pid !== process.pid;
    if (mayBeOrphan && belongsTo(pid, folder)) members.set(pid, info);
  }
  for (let grown = true; grown; ) {
    grown = false;
    for (const [pid, info] of processes) {
      if (!members.has(pid) && (info.session === leader || members.has(info.parent))) {
        members.set(pid, info);
        grown = true;
      }
    }
  }
  return members;
}

/** This process and those above it: the kernel gives one of them every process here whose parent is gone. */
function ancestors(processes: ReadonlyMap<number, ProcessInfo>): Set<number> {
  const found = new Set([1]);
  let pid: number | undefined = process.pid;
  while (pid !== undefined && !found.has(pid)) {
    found.add(pid);
    pid = processes.get(pid)?.parent;
  }
  return found;
}

/** Whether a process has got its environment or its outputs from the session with this private folder. */
function belongsTo(pid: number, folder: string): boolean {
  if (read(`/proc/${pid}/environ`).includes(`${folder}/bin`)) return true;
  return list(`/proc/${pid}/fd`).some((fd) => {
    const target = link(`/proc/${pid}/fd/${fd}`);
    if (!target.startsWith(`${folder}/`)) return false;
    // Bash's own FIFOs, not the slots: who only calls an agent command may be anybody.
    return /^\/\d+\/(?:out|err)(?: \(deleted\))?$/.test(target.slice(folder.length));
  });
}

interface ProcessInfo {
  /** When it began, in ticks of the system's clock. */
  start: number;
  state: string;
  parent: number;
  group: number;
  session: number;
}

/** All processes except zombies, which no signal can end. */
function readProcesses(): Map<number, ProcessInfo> {
  const processes = new Map<number, ProcessInfo>();
  for (const name of list('/proc')) {
    const pid = Number(name);
    const info = Number.isInteger(pid) ? processInfo(pid) : undefined;
    if (info && !isDead(info)) processes.set(pid, info);
  }
  return processes;
}

const isDead = ({ state }: ProcessInfo) => state === 'Z' || state === 'X';

function processInfo(pid: number): ProcessInfo | undefined {
  // pid (comm) state ppid pgrp session ...; comm may hold blanks and parentheses.
  const stat = read(`/proc/${pid}/stat`);
  const [state, ...numbers] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 20);
  const [parent = 0, group = 0, session = 0] = numbers.map(Number);
  return state ? { state, parent, group, session, start: Number(numbers[18]) } : undefined;
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
