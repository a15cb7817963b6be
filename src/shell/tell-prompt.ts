import { readFileSync } from 'node:fs';
import type { CommandResult } from '../command/agent-command.ts';
import type { Environment } from '../environment.ts';
import { ERASE_LINE_RIGHT } from '../terminal/escapes.ts';
import { jobOf } from '../terminal/job.ts';
import { isTerminal } from '../terminal/synchronous-io.ts';

/** The interactive agent-shell that set AGENT_SHELL_PROMPT: its process id, or 0, and whether it has set a title. */
export function promptShell({ AGENT_SHELL_PROMPT = '' }: Environment) {
  const [pid = '', title] = AGENT_SHELL_PROMPT.split(' ');
  return { pid: pid !== '' && isReplaced(pid) ? 0 : Number(pid), hasTitle: title === 'title' };
}

/** Whether another program took its place, as in `exec bash`: that one was started with the variable. */
function isReplaced(pid: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    return environment.some((entry) => entry.split(' ', 1)[0] === `AGENT_SHELL_PROMPT=${pid}`);
  } catch {
    return false;
  }
}

/** This process as a job of an interactive agent-shell that may show a panel. */
export interface JobAtPrompt {
  readonly isInBackground: boolean;
  /** Whether the shell will look at the lists by itself before a person could see that they have changed. */
  readonly isWaitedFor: boolean;
}

/** Undefined if this process is no such job. */
export function jobAtPrompt(environment: Environment): JobAtPrompt | undefined {
  const { TODO_PANEL = 'auto', TERM = 'dumb' } = environment;
  if (['off', 'plain'].includes(TODO_PANEL) || TERM === 'dumb') return undefined;
  const { pid, hasTitle } = promptShell(environment);
  const job = pid > 0 ? jobOf(process.pid) : undefined;
  if (job === undefined) return undefined;
  const isInBackground = job.group !== job.foreground;
  // The title shows the list while a command runs.
  const isWaitedFor = !isInBackground && (job.parent === pid || !hasTitle);
  return { isInBackground, isWaitedFor };
}

/** What a background job prints lands on the panel below the prompt. Each line erases the rest of its row. */
export function overPanel(job: JobAtPrompt | undefined, result: CommandResult): CommandResult {
  if (!job?.isInBackground) return result;
  const erasing = (descriptor: number, text: string) =>
    isTerminal(descriptor) ? text.replaceAll('\n', `${ERASE_LINE_RIGHT}\n`) : text;
  return { ...result, stdout: erasing(1, result.stdout), stderr: erasing(2, result.stderr) };
}

/**
 * After a change of a list, updates the interactive shell that this process was started from, unless that shell will check
 * by itself. A separate process does it, so that nobody waits.
 */
export function tellPrompt(job: JobAtPrompt | undefined, agentShell: string): void {
  if (job === undefined || job.isWaitedFor) return;
  const { spawn } = process.getBuiltinModule('node:child_process');
  // What was printed leaves the cursor at the start of a row.
  const again = isTerminal(1) ? ['again', 'printed'] : ['again'];
  const child = spawn(process.execPath, [agentShell, 'prompt-panel', ...again], {
    stdio: 'ignore',
  });
  child.on('error', () => {}).unref();
}
