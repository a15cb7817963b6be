import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** What looks at other processes does it where Linux shows them. */
export const hasProc = existsSync('/proc/self/environ');

/** A process, and how it was started. */
export interface ProcessInfo {
  pid: number;
  command: string;
}

/** The living processes, but this one, that have `text` in their arguments or environment. */
export function processesWith(text: string): ProcessInfo[] {
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

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // gone meanwhile, or another user's
  }
}
