import { readFileSync } from 'node:fs';
import type { Environment } from '../base/environment.ts';
import { orElse } from '../base/system/files.ts';
import { jobOf } from '../base/system/processes.ts';

/** The process id of the interactive agent-shell that set AGENT_SHELL_PROMPT, or 0. */
export function promptShell({ AGENT_SHELL_PROMPT: pid = '' }: Environment): number {
  return pid !== '' && isReplaced(pid) ? 0 : Number(pid);
}

/** True if another program replaced the shell, as `exec bash` does: only that program was started with the variable. */
function isReplaced(pid: string): boolean {
  const environment = orElse(() => readFileSync(`/proc/${pid}/environ`, 'latin1'), '');
  return environment.split('\0').includes(`AGENT_SHELL_PROMPT=${pid}`);
}

/**
 * Updates the panel at the prompt of an interactive agent-shell after a background job changed a list. A separate process
 * does it, so that nobody waits.
 */
export function tellPrompt(
  environment: Environment,
  agentShell: string,
  written: 'todos' | 'tasks',
): void {
  const { TODO_PANEL = 'auto', TERM = 'dumb' } = environment;
  if (['off', 'plain'].includes(TODO_PANEL) || TERM === 'dumb') return;
  const job = promptShell(environment) > 0 ? jobOf(process.pid) : undefined;
  if (job === undefined || job.group === job.foreground) return;
  const { spawn } = process.getBuiltinModule('node:child_process');
  const argv = [agentShell, 'prompt-panel', 'again', written];
  const child = spawn(process.execPath, argv, { stdio: 'ignore' });
  child.on('error', () => {}).unref();
}
