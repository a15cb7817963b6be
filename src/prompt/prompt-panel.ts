import { spawnSync } from 'node:child_process';
import { openSync, readlinkSync, writeSync } from 'node:fs';
import { WriteStream } from 'node:tty';
import type { Environment } from '../base/environment.ts';
import { quote } from '../base/line/quotes.ts';
import { orElse } from '../base/system/files.ts';
import { jobOf } from '../base/system/processes.ts';
import { isDriven } from '../screen/terminal/driven.ts';
import { pinned, repinned } from '../screen/terminal/rows.ts';
import { type PromptCommand, PromptLists } from './prompt-lists.ts';
import { promptShell } from './prompt-shell.ts';

export interface PromptQuestion {
  readonly environment: Environment;
  readonly directory: string;
  /** A descriptor of the prompt's terminal. */
  readonly terminal: number;
  /** `auto`: a panel below the prompt; `above`: a panel that stays as text; `plain`: words. */
  readonly mode: string;
  /** True if a command has run since the last prompt; if not, guidance was given already. */
  readonly hasRun: boolean;
  /** True if readline reads a line, for which it has turned echo off. */
  readonly isReading?: boolean;
  /** The heads of the lists last shown; then, if TODO_GUIDANCE is `all`, each command's exit code, line and heads after it. */
  readonly journal: readonly string[];
}

/** Returns shell assignments for the hook of an interactive shell to evaluate. */
export async function answerPrompt(question: PromptQuestion): Promise<string> {
  const { environment, directory, terminal, mode, hasRun, isReading, journal } = question;
  if (mode !== 'plain' && !isReading && isDriven(environment, terminal)) return '__todo_mode=off\n';
  const size = sizeOf(terminal);
  const lists = await PromptLists.open({ environment, directory, ...size });
  const commands: PromptCommand[] = [];
  for (let start = 1; start + 2 < journal.length; start += 3) {
    const [code, line = '', heads = ''] = journal.slice(start, start + 3);
    // Bash cannot see lists on a server, so their state after the last command comes from here.
    const isLatest = start + 3 === journal.length;
    const after = isLatest ? lists.heads : heads;
    commands.push({ line, exitCode: Number(code), ...lists.versionsIn(after) });
  }
  // People are only reminded if they set TODO_GUIDANCE=all themselves.
  const isGuided = hasRun && environment.TODO_GUIDANCE?.trim() === 'all';
  const said = isGuided ? lists.guidance(commands) : '';
  // What is said now would stand in the typed text.
  const news = isReading ? [] : await lists.newsOfTeam();
  const reminders = [...said.split('\n'), ...news].filter(Boolean).map(lists.theme.paint.faint);
  const before = lists.versionsIn(journal[0] ?? '');
  const shown = mode === 'plain' ? lists.report(before) : mode === 'above' ? lists.rows() : [];
  const frame = (...look: Parameters<PromptLists['rows']>) =>
    mode === 'auto' ? pinned(lists.rows(...look), size.rows) : '';
  const changes = lists.changedSince(before);
  const answer = {
    say: [...reminders, ...shown].map((line) => `${line}\r\n`).join(''),
    frame: frame(changes),
    settled: changes.fresh.size > 0 || changes.rewritten ? frame() : '',
    folded: lists.isDone ? frame(undefined, true) : '',
    heads: lists.heads,
  };
  await lists.close();
  return Object.entries(answer)
    .map(([name, value]) => `__todo_${name}=${quote(value)}\n`)
    .join('');
}

/**
 * Shows the lists below the prompt of the shell that started this process. Typed text stays as it is.
 *
 * @param written what a command has just written: that stands out.
 */
export async function showAtPrompt(
  environment: Environment,
  directory: string,
  written: 'todos' | 'tasks',
): Promise<void> {
  const pid = promptShell(environment);
  const shell = jobOf(pid);
  if (shell === undefined || shell.terminal !== jobOf(process.pid)?.terminal) return;
  const terminal = openSync('/dev/tty', 'r+');
  if (shell.group !== shell.foreground || !isReadingKeys(terminal)) return;
  const size = sizeOf(terminal);
  const own = directoryOf(pid) ?? directory;
  const lists = await PromptLists.open({ environment, directory: own, ...size });
  await lists.close();
  writeSync(terminal, repinned(lists.rows(lists.latestOf(written)), size.rows));
}

/** True if a line editor is using the terminal, as bash's does at its prompt. */
function isReadingKeys(terminal: number): boolean {
  const { stdout } = spawnSync('stty', ['-a'], { stdio: [terminal, 'pipe', 'ignore'] });
  const modes = stdout?.toString().split(/[\s;]+/) ?? [];
  // With tostop, writing in the background would stop this process.
  return modes.includes('-icanon') && modes.includes('-tostop');
}

/** The shell's current directory, if known: the job may have been started elsewhere. */
function directoryOf(pid: number): string | undefined {
  return orElse(() => readlinkSync(`/proc/${pid}/cwd`), undefined);
}

function sizeOf(terminal: number): { columns: number; rows: number } {
  const [columns, rows] = orElse(() => new WriteStream(terminal).getWindowSize(), [0, 0]);
  return { columns: columns || 80, rows: rows || 24 };
}
