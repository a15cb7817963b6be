import { spawn, spawnSync } from 'node:child_process';
import { openSync, readlinkSync, writeSync } from 'node:fs';
import { WriteStream } from 'node:tty';
import type { Environment } from '../environment.ts';
import { quote } from '../line/quote.ts';
import { FRESH_MS } from '../panel/recent-changes.ts';
import { drawBelow, eraseBelow, NEW_ROW } from '../terminal/below.ts';
import { BEGIN_FRAME, END_FRAME, ERASE_BELOW, ERASE_LINE_RIGHT } from '../terminal/escapes.ts';
import { jobOf } from '../terminal/job.ts';
import type { PromptCommand } from './prompt-guidance.ts';
import { PromptLists } from './prompt-lists.ts';
import { promptShell } from './tell-prompt.ts';

/** A request from the hook of an interactive shell. */
export interface PromptQuestion {
  readonly environment: Environment;
  readonly directory: string;
  /** A descriptor of the prompt's terminal. */
  readonly terminal: number;
  /** `auto`: a panel below the prompt; `above`: a panel that stays as text; `plain`: words. */
  readonly mode: string;
  readonly promptRows: number;
  /** Whether a command has run since the last prompt; if not, guidance has already spoken. */
  readonly hasRun: boolean;
  /** The heads of the lists last shown; then, for each command, its exit code, its line and the heads after it. */
  readonly journal: readonly string[];
}

/** Answers the hook of an interactive shell with assignments to evaluate. */
export async function answerPrompt(question: PromptQuestion): Promise<string> {
  const { environment, directory, terminal, mode, promptRows, hasRun, journal } = question;
  const lists = await PromptLists.open({ environment, directory, ...sizeOf(terminal) });
  const isOnServer = Boolean(environment.TODO_STATE_URL);
  const commands: PromptCommand[] = [];
  for (let start = 1; start + 2 < journal.length; start += 3) {
    const [code, line = '', heads = ''] = journal.slice(start, start + 3);
    // Bash cannot see lists on a server, so their state after the last command comes from here.
    const isLatest = start + 5 >= journal.length;
    const after = isOnServer && isLatest && hasRun ? lists.heads : heads;
    commands.push({ line, exitCode: Number(code), ...lists.versionsIn(after) });
  }
  const { said, due } = await lists.guidance(commands);
  const news = await lists.newsOfTeam();
  const reminders = [...(hasRun ? said : []), ...news]
    .flatMap((text) => text.split('\n'))
    .map(lists.theme.paint.faint);
  const isBelow = mode === 'auto';
  const shown = isBelow
    ? []
    : mode === 'plain'
      ? lists.report(lists.versionsIn(journal[0] ?? ''))
      : lists.rows();
  const fresh = isBelow ? lists.changedSince(lists.versionsIn(journal[0] ?? '')) : undefined;
  if (fresh?.size) settleLater(lists.heads);
  const answer = {
    say: [...reminders, ...shown].map((line) => `${line}\r\n`).join(''),
    frame: isBelow ? frame(lists.rows(promptRows, { fresh }), promptRows) : '',
    settled: fresh?.size ? frame(lists.rows(promptRows), promptRows) : '',
    folded:
      isBelow && lists.isDone ? frame(lists.rows(promptRows, { isFolded: true }), promptRows) : '',
    title: isBelow ? lists.title : '',
    due: String(due),
    heads: isOnServer ? lists.heads : '',
  };
  await lists.close();
  return Object.entries(answer)
    .map(([name, value]) => `__todo_${name}=${quote(value)}\n`)
    .join('');
}

/** Draws a panel below a prompt that is about to be written, replacing everything there. */
function frame(rows: readonly string[], promptRows: number): string {
  if (rows.length === 0) return '';
  const drawn = drawBelow(rows, { enter: NEW_ROW }, NEW_ROW, promptRows - 1);
  return BEGIN_FRAME + ERASE_BELOW + drawn + END_FRAME;
}

/**
 * Shows the current lists in the interactive shell that this process was started from: in the panel below its prompt or,
 * while a command runs, in the terminal's title. Typed text stays as it is.
 *
 * @param settled draws the panel without highlights, unless the lists no longer have these heads.
 * @param hasPrinted whether lines were just printed over the panel, so that the cursor is at the start of one of its rows.
 */
export async function showAtPrompt(
  environment: Environment,
  directory: string,
  { settled, hasPrinted = false }: { settled?: string; hasPrinted?: boolean } = {},
): Promise<void> {
  const { pid, hasTitle } = promptShell(environment);
  const shell = jobOf(pid);
  if (shell === undefined || shell.terminal !== jobOf(process.pid)?.terminal) return;
  const terminal = openSync('/dev/tty', 'r+');
  const isRunning = shell.group !== shell.foreground;
  if (isRunning ? !hasTitle || settled !== undefined : !isReadingKeys(terminal)) return;
  const place = { environment, directory: directoryOf(pid) ?? directory };
  const lists = await PromptLists.open({ ...place, ...sizeOf(terminal) });
  await lists.close();
  if (settled !== undefined && settled !== lists.heads) return;
  if (isRunning) {
    if (lists.title !== '') writeSync(terminal, `\x1b]2;${lists.title}\x07`);
    return;
  }
  const fresh = settled === undefined ? lists.justChanged : undefined;
  if (fresh?.size) settleLater(lists.heads);
  const rows = lists.rows(1, { fresh });
  const drawn = rows.length > 0 ? drawBelow(rows, { enter: NEW_ROW }, NEW_ROW) : eraseBelow();
  const lineEnd = hasPrinted ? ERASE_LINE_RIGHT : '';
  writeSync(terminal, BEGIN_FRAME + lineEnd + drawn + END_FRAME);
}

/** Redraws the panel when changes no longer stand out, from a separate process: the shell itself is idle. */
function settleLater(heads: string): void {
  const again = [process.execPath, process.argv[1] ?? '', 'prompt-panel', 'settle', heads];
  // Ignore signals from keys: they are meant for others, and nobody would continue this after a stop.
  const script = `trap '' INT QUIT TSTP; sleep ${FRESH_MS / 1000}; exec "$@"`;
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...again], { stdio: 'ignore' });
  child.on('error', () => {}).unref();
}

/** Whether a line editor is using the terminal, as bash's does at its prompt. */
function isReadingKeys(terminal: number): boolean {
  const { stdout } = spawnSync('stty', ['-a'], { stdio: [terminal, 'pipe', 'ignore'] });
  const modes = stdout?.toString().split(/[\s;]+/) ?? [];
  // With tostop, writing in the background would stop this process.
  return modes.includes('-icanon') && modes.includes('-tostop');
}

/** The shell's current directory, if the system tells: the job may have been started elsewhere. */
function directoryOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function sizeOf(terminal: number): { columns: number; rows: number } {
  try {
    const [columns, rows] = new WriteStream(terminal).getWindowSize();
    return { columns: columns || 80, rows: rows || 24 };
  } catch {
    return { columns: 80, rows: 24 };
  }
}
