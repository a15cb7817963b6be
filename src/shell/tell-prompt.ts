import { readFileSync } from 'node:fs';
import type { Environment } from '../environment.ts';
import { jobOf } from '../system/processes.ts';

/** The process id of the interactive agent-shell that set AGENT_SHELL_PROMPT, or 0. */
export function promptShell({ AGENT_SHELL_PROMPT: pid = '' }: Environment): number {
  return pid !== '' && isReplaced(pid) ? 0 : Number(pid);
}

/** Whether another program took its place, as in `exec bash`: that one was started with the variable. */
function isReplaced(pid: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    return environment.includes(`AGENT_SHELL_PROMPT=${pid}`);
  } catch {
    return false;
  }
}

/**
 * After a change of a list in the background of an interactive agent-shell, updates the panel at its prompt. A separate
 * process does it, so that nobody waits.
 */
export function tellPrompt(environment: Environment, agentShell: string): void {
  const { TODO_PANEL = 'auto', TERM = 'dumb' } = environment;
  if (['off', 'plain'].includes(TODO_PANEL) || TERM === 'dumb') return;
  const job = promptShell(environment) > 0 ? jobOf(process.pid) : undefined;
  if (job === undefined || job.group === job.foreground) return;
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(process.execPath, [agentShell, 'prompt-panel', 'again'], { stdio: 'ignore' });
  child.on('error', () => {}).unref();
}
