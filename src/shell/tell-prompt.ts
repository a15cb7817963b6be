import type { CommandResult } from '../command/agent-command.ts';
import type { Environment } from '../environment.ts';
import { ERASE_LINE_RIGHT } from '../terminal/escapes.ts';
import { jobOf } from '../terminal/job.ts';
import { isTerminal } from '../terminal/synchronous-io.ts';

/** The interactive agent-shell that set AGENT_SHELL_PROMPT: its process id, and whether it has set a title. */
export function promptShell({ AGENT_SHELL_PROMPT = '' }: Environment) {
  const [pid, title] = AGENT_SHELL_PROMPT.split(' ');
  return { pid: Number(pid), hasTitle: title === 'title' };
}

/** This process as a job of an interactive agent-shell that may show a panel; undefined if it is none. */
function jobAtPrompt(environment: Environment) {
  const { TODO_PANEL = 'auto', TERM = 'dumb' } = environment;
  if (['off', 'plain'].includes(TODO_PANEL) || TERM === 'dumb') return undefined;
  return promptShell(environment).pid > 0 ? jobOf(process.pid) : undefined;
}

/** What a background job prints lands on the panel below the prompt. Each line erases the rest of its row. */
export function overPanel(environment: Environment, result: CommandResult): CommandResult {
  const job = jobAtPrompt(environment);
  if (job === undefined || job.group === job.foreground) return result;
  const erasing = (descriptor: number, text: string) =>
    isTerminal(descriptor) ? text.replaceAll('\n', `${ERASE_LINE_RIGHT}\n`) : text;
  return { ...result, stdout: erasing(1, result.stdout), stderr: erasing(2, result.stderr) };
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
  const job = jobAtPrompt(environment);
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
