import type { Environment } from '../environment.ts';
import { jobOf } from '../terminal/job.ts';

/** The interactive agent-shell that exported AGENT_SHELL_PROMPT: its process id and, while a title is set, `title`. */
export function promptShell({ AGENT_SHELL_PROMPT = '' }: Environment) {
  const [pid, title] = AGENT_SHELL_PROMPT.split(' ');
  return { pid: Number(pid), hasTitle: title === 'title' };
}

/**
 * After a change of a list: has it shown to whoever sits at the interactive shell that this process was started from,
 * unless that shell will look by itself. A process of its own does that, so that nobody waits for it.
 *
 * @param hasPrinted whether this process has written lines to the terminal: then the cursor is behind them, at the
 *   beginning of a row.
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
