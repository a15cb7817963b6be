import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isHere } from './machine.ts';

/** What looks at other processes does it where Linux shows them. */
export const hasProc = isHere('/proc', existsSync('/proc/self/environ'));

/** A process, and how it was started. */
export interface ProcessInfo {
  pid: number;
  command: string;
}

/** The living processes, but this one, that have `text` in their arguments or environment. */
export function processesWith(text: string): ProcessInfo[] {
  if (!hasProc) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({
      pid: Number(name),
      command: read(name, 'cmdline').replaceAll('\0', ' ').trim(),
      environment: read(name, 'environ'),
    }))
    .filter(({ command, environment }) => `${command}\0${environment}`.includes(text))
    .map(({ pid, command }) => ({ pid, command }));
}

/** Kills all of them. One may end by itself meanwhile. */
export function killProcessesWith(text: string): void {
  for (const { pid } of processesWith(text)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

export function isAlive(pid: number): boolean {
  if (hasProc) {
    // A zombie is dead, although a signal still finds it.
    const stat = read(String(pid), 'stat');
    return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** What a process has used so far, where Linux shows it. */
export function usageOf(pid: number): { cpuMs: number; writtenBytes: number } {
  const stat = read(String(pid), 'stat');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14);
  const [, written] = /^wchar: (\d+)/m.exec(read(String(pid), 'io')) ?? [];
  // A tick is a hundredth of a second on every machine that there is.
  return { cpuMs: 10 * (Number(user) + Number(system)), writtenBytes: Number(written) };
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // gone meanwhile, or another user's
  }
}
