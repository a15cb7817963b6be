import { existsSync, readdirSync, readFileSync } from 'node:fs';

// How long a process may take to clean up after itself before it is killed, and to be gone when it is killed.
const GRACE_MS = 500;
const POLL_MS = 5;

const hasProc = existsSync('/proc/self/stat');

/**
 * Ends a session of processes: TERM first, KILL half a second later for what is still there.
 *
 * Where /proc tells, that is all of the session and its descendants, also those that `set -m` or setsid took out of
 * the leader's process group; elsewhere it is that group.
 *
 * @param leader the process id of the session's leader, which leads its first process group too.
 */
export function killProcessTree(leader: number): Promise<void> {
  const sessions = new Set([leader]);
  return end(() => findMembers(sessions), leader);
}

/**
 * Ends in the same way what was started with `text` in its environment, wherever it has gone since: in a session of its
 * own, its parent gone, nothing else tells where it came from. Nobody where there is no /proc.
 */
export function killInheritors(text: string): Promise<void> {
  return end(() =>
    readProcesses().filter(({ pid }) => read(`/proc/${pid}/environ`).includes(text)),
  );
}

async function end(find: () => ProcessInfo[], leader?: number): Promise<void> {
  const group = leader === undefined ? [] : [-leader];
  const isAlive = () => find().length > 0 || (!hasProc && group.some(isGroupAlive));
  // The group gets it as a whole, and nobody twice: a trap would clean up twice.
  const others = find().filter((found) => found.group !== leader);
  signalAll([...group, ...others.map(({ pid }) => pid)], 'SIGTERM');
  for (const deadline = performance.now() + GRACE_MS; isAlive(); await poll()) {
    if (performance.now() > deadline) break;
  }
  // What a process has started just before it was killed is found in the next round.
  for (const deadline = performance.now() + GRACE_MS; isAlive(); await poll()) {
    if (performance.now() > deadline) break;
    signalAll([...group, ...find().map(({ pid }) => pid)], 'SIGKILL');
  }
}

function poll(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
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

/**
 * The processes of these sessions, their descendants, and all that is in a session with one of those. Adds these
 * sessions: when its parent is gone, nothing else tells any more where a process came from. Empty where there is no /proc.
 */
function findMembers(sessions: Set<number>): ProcessInfo[] {
  const processes = readProcesses();
  const members = new Set<number>();
  for (let known = -1; known < members.size; ) {
    known = members.size;
    for (const { pid, parent, session } of processes) {
      if (sessions.has(session) || members.has(parent)) {
        members.add(pid);
        sessions.add(session);
      }
    }
  }
  return processes.filter(({ pid }) => members.has(pid));
}

function isGroupAlive(target: number): boolean {
  try {
    return process.kill(target, 0);
  } catch {
    return false;
  }
}

interface ProcessInfo {
  pid: number;
  parent: number;
  group: number;
  session: number;
}

/** All processes but zombies, which no signal can end. */
function readProcesses(): ProcessInfo[] {
  const processes: ProcessInfo[] = [];
  for (const name of list('/proc')) {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : '';
    // pid (comm) state ppid pgrp session ...; comm may hold blanks and parentheses.
    const [state, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state && state !== 'Z' && state !== 'X') {
      processes.push({
        pid: Number(name),
        parent: Number(parent),
        group: Number(group),
        session: Number(session),
      });
    }
  }
  return processes;
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
