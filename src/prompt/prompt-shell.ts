import { readFileSync } from 'node:fs';
import type { SeenLine } from '../base/command/agent-command.ts';
import type { Environment } from '../base/environment.ts';
import { orElse, readOwnFile } from '../base/system/files.ts';
import { jobOf } from '../base/system/processes.ts';
import { Journal, seenLines } from '../harness/hook/journal.ts';
import { harnessSession, hookFolder, promptFile } from '../lists/list-paths.ts';
import type { TodoLists } from '../todo/todo-lists.ts';

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
export function tellPrompt(environment: Environment, agentShell: string): void {
  const { TODO_PANEL = 'auto', TERM = 'dumb' } = environment;
  if (['off', 'plain'].includes(TODO_PANEL) || TERM === 'dumb') return;
  const job = promptShell(environment) > 0 ? jobOf(process.pid) : undefined;
  if (job === undefined || job.group === job.foreground) return;
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(process.execPath, [agentShell, 'prompt-panel', 'again'], { stdio: 'ignore' });
  child.on('error', () => {}).unref();
}

/** The lines that ran before a command on PATH, as seen by agent-shell's prompt and a harness's hook. */
export function seenOutside(lists: TodoLists, environment: Environment): readonly SeenLine[] {
  const pid = promptShell(environment);
  const byHook = () => {
    const journal = new Journal(lists.checked(hookFolder(lists.folder, lists.name({}))));
    return seenLines(journal.read(), harnessSession(environment));
  };
  const atPrompt = () =>
    seenAtPrompt(readOwnFile(lists.checked(promptFile(lists.folder, pid))).toString());
  // A file that cannot be read proves nothing.
  return [...orElse(byHook, []), ...(pid > 0 ? orElse(atPrompt, []) : [])].sort(
    (a, b) => +a.at - +b.at,
  );
}

/** For each line the times of the prompts before and after it in microseconds, its exit code and its text. */
function seenAtPrompt(text: string): SeenLine[] {
  const fields = text.split('\0');
  const lines: SeenLine[] = [];
  for (let start = 0; start + 4 < fields.length; start += 4) {
    const [from, at, exitCode, line = ''] = fields.slice(start, start + 4);
    lines.push({ line, exitCode: Number(exitCode), from: timeOf(from), at: timeOf(at) });
  }
  return lines;
}

function timeOf(microseconds: string | undefined): Date {
  return new Date(Math.floor(Number(microseconds) / 1000));
}
