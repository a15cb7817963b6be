import { readFileSync } from 'node:fs';

/** A process's job and terminal. */
export interface Job {
  readonly parent: number;
  /** Its process group. */
  readonly group: number;
  /** The terminal's foreground group: the shell's own while it is at its prompt. */
  readonly foreground: number;
  readonly terminal: string;
}

const FIELDS = ['ppid=', 'pgid=', 'tpgid=', 'tty='];

/** Undefined if the process does not exist or has no terminal. */
export function jobOf(pid: number): Job | undefined {
  try {
    const [parent, group, foreground, terminal = '?'] = statOf(pid);
    const isOnTerminal = !['0', '?', '??', '-'].includes(terminal);
    if (!isOnTerminal || !(Number(group) > 0)) return undefined;
    return {
      parent: Number(parent),
      group: Number(group),
      foreground: Number(foreground),
      terminal,
    };
  } catch {
    return undefined;
  }
}

/** The parent, the group, the foreground group, and the terminal. */
function statOf(pid: number): string[] {
  if (process.platform === 'linux') {
    // The program's name, in parentheses, may contain anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    const [, parent = '', group = '', , terminal = '', foreground = ''] = fields;
    return [parent, group, foreground, terminal];
  }
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const options = FIELDS.flatMap((field) => ['-o', field]);
  const { stdout } = spawnSync('ps', [...options, '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim().split(/\s+/);
}
