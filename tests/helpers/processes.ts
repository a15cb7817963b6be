import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { orElse } from '../../src/base/system/files.ts';
import { eventually } from './eventually.ts';
import { isHere } from './machine.ts';

/** Linux only: looking at other processes. */
export const hasProc = isHere('/proc', existsSync('/proc/self/environ'));

/** Living processes, except this one, with `text` in their arguments or environment. */
export function processesWith(text: string): { pid: number; command: string }[] {
  if (!hasProc) return [];
  const isOther = (name: string) => /^\d+$/.test(name) && Number(name) !== process.pid;
  return readdirSync('/proc')
    .filter(isOther)
    .map((name) => ({ pid: Number(name), command: commandOf(name) }))
    .filter(
      ({ pid, command }) => command && `${command}\0${read(`${pid}`, 'environ')}`.includes(text),
    );
}

export function killProcessesWith(text: string): void {
  for (const { pid } of processesWith(text)) {
    orElse(() => process.kill(pid, 'SIGKILL'), false);
  }
}

export function isAlive(pid: number): boolean {
  if (hasProc) {
    // A signal still finds a zombie.
    const stat = read(String(pid), 'stat');
    return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  }
  return orElse(() => process.kill(pid, 0), false);
}

/** Signals a bash until it is gone: just before it waits for input it misses a signal that it handles, up to the next one. */
export async function endBash(pid: number, signal: NodeJS.Signals): Promise<void> {
  process.kill(pid, signal);
  const isGone = () => !isAlive(pid) || orElse(() => !process.kill(pid, signal), true);
  await eventually('bash is gone', isGone);
}

/** Stops a process and all its threads: they may run until the one that gets the signal does. */
export async function pause({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) throw new Error('it did not start');
  process.kill(pid, 'SIGSTOP');
  if (!hasProc) return;
  const stands = (thread: string) => / T /.test(read(`${pid}/task/${thread}`, 'stat'));
  // One that still runs may begin or end another.
  await eventually('it stands', () => readdirSync(`/proc/${pid}/task`).every(stands));
}

/** The removed files in a folder that this process still has open. */
export function openButRemoved(folder: string): string[] {
  if (!hasProc) return [];
  const paths = readdirSync('/proc/self/fd').map((fd) =>
    // The folder of this look has been closed.
    orElse(() => readlinkSync(`/proc/self/fd/${fd}`), ''),
  );
  return paths.filter((path) => path.startsWith(folder) && path.endsWith(' (deleted)'));
}

/** The CPU time and the bytes written of a process so far. */
export function usageOf(pid: number): { cpuMs: number; writtenBytes: number } {
  const stat = read(String(pid), 'stat');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14);
  const [, written] = /^wchar: (\d+)/m.exec(read(String(pid), 'io')) ?? [];
  // A tick is a hundredth of a second on every known machine.
  return { cpuMs: 10 * (Number(user) + Number(system)), writtenBytes: Number(written) };
}

/** Empty for threads of the kernel and for zombies, which run no program, and for a moment while a program begins. */
function commandOf(pid: string): string {
  const isOfProgram = () => orElse(() => readlinkSync(`/proc/${pid}/exe`) !== '', false);
  for (let looks = 1; ; looks += 1) {
    const command = read(pid, 'cmdline').replaceAll('\0', ' ').trim();
    if (command !== '' || looks === 20_000 || !isOfProgram()) return command;
  }
}

function read(pid: string, file: string): string {
  // It may be gone, or another user's.
  return orElse(() => readFileSync(`/proc/${pid}/${file}`, 'utf8'), '');
}
