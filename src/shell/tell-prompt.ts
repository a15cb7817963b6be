import type { Environment } from '../environment.ts';
import { jobOf } from '../terminal/job.ts';

/** The interactive agent-shell that set AGENT_SHELL_PROMPT: its process id, and whether it has set a title. */
export function promptShell({ AGENT_SHELL_PROMPT = '' }: Environment) {
  const [pid, title] = AGENT_SHELL_PROMPT.split(' ');
  return { pid: Number(pid), hasTitle: title === 'title' };
}

/**
 * After a change of a list, updates the interactive shell that this process was started from, unless that shell will check
 * by itself. A separate process does it, so that nobody waits.
 *
 * @param hasPrinted whether this process has printed lines on the terminal: then the cursor is at the start of a row.
 */
export function tellPrompt(
  environment: Environment,
  agentShell: string,
  hasPrinted: () => boolean,
): void {
  const { pid, hasTitle } = promptShell(environment);
  const { TODO_PANEL = 'auto', TERM = 'dumb' } = environment;
  if (['off', 'plain'].includes(TODO_PANEL) || TERM === 'dumb') return;
  const job = pid > 0 ? jobOf(process.pid) : undefined;
  if (job === undefined) return;
  const isInFront = job.group === job.foreground;
  if (isInFront && (job.parent === pid || !hasTitle)) return;
  const { spawn } = process.getBuiltinModule('node:child_process');
  const again = hasPrinted() ? ['again', 'printed'] : ['again'];
  const child = spawn(process.execPath, [agentShell, 'prompt-panel', ...again], {
    stdio: 'ignore',
  });
  child.on('error', () => {}).unref();
}
