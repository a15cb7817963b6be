// Processes as seen in /proc, on Linux only.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export const hasProc = existsSync('/proc/self/schedstat');

/** Resident memory in MiB. */
export function residentMebibytes(pid) {
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

/** The process and all its descendants. */
export function treeOf(pid) {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

export function childrenOf(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}

/**
 * The seconds of a core that a process has used so far, in all its threads. Counted exactly: the ticks in `stat` count a
 * process that a timer wakes as if it had run for the whole tick.
 */
export function cpuSeconds(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = (thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return threads.reduce((total, thread) => total + nanoseconds(thread), 0) / 1e9;
}
