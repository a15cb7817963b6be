import { readFileSync } from 'node:fs';
import type { CommandResult } from '../command/agent-command.ts';
import type { Environment } from '../environment.ts';
import { isTerminal } from '../system/standard-io.ts';
import { ERASE_LINE_RIGHT } from '../terminal/escapes.ts';
import { jobOf } from '../terminal/job.ts';

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

/** Whether this process runs in the background of an interactive agent-shell that may show a panel. */
export function isBehindPrompt(environment: Environment): boolean {
  const { TODO_PANEL = 'auto', TERM = 'dumb' } = environment;
  if (['off', 'plain'].includes(TODO_PANEL) || TERM === 'dumb') return false;
  const job = promptShell(environment) > 0 ? jobOf(process.pid) : undefined;
  return job !== undefined && job.group !== job.foreground;
}

/** What a background job prints lands on the panel below the prompt. Each line erases the rest of its row. */
export function overPanel(result: CommandResult): CommandResult {
  const erasing = (descriptor: number, text: string) =>
    isTerminal(descriptor) ? text.replaceAll('\n', `${ERASE_LINE_RIGHT}\n`) : text;
  return { ...result, stdout: erasing(1, result.stdout), stderr: erasing(2, result.stderr) };
}

/** Updates the panel of the interactive shell in whose background a list has changed. A separate process does it. */
export function tellPrompt(agentShell: string): void {
  const { spawn } = process.getBuiltinModule('node:child_process');
  // What was printed leaves the cursor at the start of a row.
  const again = isTerminal(1) ? ['again', 'printed'] : ['again'];
  const child = spawn(process.execPath, [agentShell, 'prompt-panel', ...again], {
    stdio: 'ignore',
  });
  child.on('error', () => {}).unref();
}
