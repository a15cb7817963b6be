// What Linux tells of a process in /proc. Other systems have no such files.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

export const hasProc = existsSync('/proc/self/status');

/** The memory that a process has in RAM now, in MiB. */
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

/** The seconds of a core that a process has used so far, in user and kernel. */
export function cpuSeconds(pid) {
  // The name, in brackets, may hold blanks; utime and stime are the 12th and 13th field after it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond();
}

function ticksPerSecond() {
  return Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout);
}
