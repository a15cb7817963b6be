import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

// How long a process may take to clean up after itself before it is killed.
const GRACE_MS = 500;
const POLL_MS = 5;

/**
 * Ends a session of processes: TERM first, KILL half a second later for what is still there.
 *
 * Where /proc tells, that is all of the session and its descendants, also those that `set -m` or setsid took out of
 * the leader's process group; elsewhere it is that group.
 *
 * @param leader the process id of the session's leader, which leads its first process group too.
 */
export async function killProcessTree(leader: number): Promise<void> {
  // Members are looked up first: when their parents are gone, nothing tells any more that they belonged here.
  const members = liveMembers(leader);
  // The group gets it as a whole, and nobody twice: a trap would clean up twice.
  const groups = readProcesses();
  const others = [...members].filter((pid) => groups.get(pid)?.group !== leader);
  signalAll([-leader, ...others], 'SIGTERM');
  const deadline = performance.now() + GRACE_MS;
  while (isAlive(leader, members) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  signalAll([-leader, ...members, ...liveMembers(leader)], 'SIGKILL');
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

function isAlive(leader: number, members: ReadonlySet<number>): boolean {
  const processes = readProcesses();
  if (processes.size === 0) {
    return isGroupAlive(leader);
  }
  return [...processes].some(([pid, { session }]) => session === leader || members.has(pid));
}

function isGroupAlive(leader: number): boolean {
  try {
    return process.kill(-leader, 0);
  } catch {
    return false;
  }
}

/** The session's processes and their descendants in other sessions. Empty where there is no /proc. */
function liveMembers(leader: number): Set<number> {
  const processes = readProcesses();
  const members = new Set<number>();
  for (let grown = true; grown; ) {
    grown = false;
    for (const [pid, { parent, session }] of processes) {
      if (!members.has(pid) && (session === leader || members.has(parent))) {
        members.add(pid);
        grown = true;
      }
    }
  }
  return members;
}

interface ProcessInfo {
  state: string;
  parent: number;
  group: number;
  session: number;
}

/** All processes but zombies, which no signal can end. */
function readProcesses(): Map<number, ProcessInfo> {
  const processes = new Map<number, ProcessInfo>();
  for (const name of list('/proc')) {
    const pid = Number(name);
    const info = Number.isInteger(pid) ? processInfo(pid) : undefined;
    if (info && info.state !== 'Z' && info.state !== 'X') processes.set(pid, info);
  }
  return processes;
}

function processInfo(pid: number): ProcessInfo | undefined {
  // pid (comm) state ppid pgrp session ...; comm may hold blanks and parentheses.
  const stat = read(`/proc/${pid}/stat`);
  const [state, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state
    ? { state, parent: Number(parent), group: Number(group), session: Number(session) }
    : undefined;
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

/** Whether a process waits for what comes next in a file that it has read to its end. False where there is no /proc. */
export function isReading(pid: number, path: string): boolean {
  // number of the system call, its first argument, ...; "running" for one that is not blocked.
  const [, fd] = /^\d+ 0x([0-9a-f]+) /.exec(read(`/proc/${pid}/syscall`)) ?? [];
  if (fd === undefined || processInfo(pid)?.state !== 'S') return false;
  try {
    const target = readlinkSync(`/proc/${pid}/fd/${Number.parseInt(fd, 16)}`);
    return target === path || target === `${path} (deleted)`;
  } catch {
    return false;
  }
}
