import { spawn, spawnSync } from 'node:child_process';
import { openSync, readlinkSync, writeSync } from 'node:fs';
import { WriteStream } from 'node:tty';
import { quote } from '../bash/shell-words.ts';
import type { Environment } from '../environment.ts';
import { FRESH_MS } from '../panel/recent-changes.ts';
import { drawBelow, eraseBelow, NEW_ROW } from '../terminal/below.ts';
import { BEGIN_FRAME, END_FRAME, ERASE_BELOW, ERASE_LINE_RIGHT } from '../terminal/escapes.ts';
import { jobOf } from '../terminal/job.ts';
import { type PromptCommand, PromptLists } from './prompt-lists.ts';
import { promptShell } from './tell-prompt.ts';

/** What the hook of an interactive shell asks. */
export interface PromptQuestion {
  readonly environment: Environment;
  readonly directory: string;
  /** A descriptor of the terminal that the prompt is on. */
  readonly terminal: number;
  /** `auto`: a panel below the prompt; `above`: a panel that stays as text; `plain`: words. */
  readonly mode: string;
  readonly promptRows: number;
  /** Whether a command has run since the last prompt; else guidance has spoken before. */
  readonly hasRun: boolean;
  /** The heads of the lists that were shown last, then of each command at this prompt its exit code, its line
   * and the heads after it. */
  readonly journal: readonly string[];
}

/** Answers the hook of an interactive shell, in assignments for it to evaluate. */
export async function answerPrompt(question: PromptQuestion): Promise<string> {
  const { environment, directory, terminal, mode, promptRows, hasRun, journal } = question;
  const lists = await PromptLists.open({ environment, directory, ...sizeOf(terminal) });
  const isOnServer = Boolean(environment.TODO_STATE_URL);
  const commands: PromptCommand[] = [];
  for (let start = 1; start + 2 < journal.length; start += 3) {
    const [code, line = '', heads = ''] = journal.slice(start, start + 3);
    // Of a server only we can tell how its lists are after the last command.
    const isLatest = start + 5 >= journal.length;
    const after = isOnServer && isLatest && hasRun ? lists.heads : heads;
    commands.push({ line, exitCode: Number(code), ...lists.versionsIn(after) });
  }
  const { said, due } = await lists.guidance(commands);
  const { lines: news, renewal } = await lists.newsOfTeam();
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
    renewal: String(renewal ?? ''),
    heads: isOnServer ? lists.heads : '',
  };
  await lists.close();
  return Object.entries(answer)
    .map(([name, value]) => `__todo_${name}=${quote(value)}\n`)
    .join('');
}

/** What draws a panel below a prompt that is about to be written, instead of everything that is there. */
function frame(rows: readonly string[], promptRows: number): string {
  if (rows.length === 0) return '';
  const drawn = drawBelow(rows, { enter: NEW_ROW }, NEW_ROW, promptRows - 1);
  return BEGIN_FRAME + ERASE_BELOW + drawn + END_FRAME;
}

/**
 * Shows the lists as they now are to whoever sits at the interactive shell that this process was started from: in the
 * panel below its prompt or, while a command runs, in the terminal's title. What is being typed stays as it is.
 *
 * @param settled the heads of the lists whose changes have been seen; nothing is shown if they have changed again.
 * @param hasPrinted whether lines were just printed over the panel, so that the cursor is at the beginning of a row of it.
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

/** What has changed stands out for a moment only. An idle shell wakes for nothing, so a process of its own draws it again then. */
function settleLater(heads: string): void {
  const again = [process.execPath, process.argv[1] ?? '', 'prompt-panel', 'settle', heads];
  // The keys that make signals are for others, and without them a stop would last.
  const script = `trap '' INT QUIT TSTP; sleep ${FRESH_MS / 1000}; exec "$@"`;
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...again], { stdio: 'ignore' });
  child.on('error', () => {}).unref();
}

/** Whether a line editor has the terminal, as bash's does at its prompt and no other part of the shell. */
function isReadingKeys(terminal: number): boolean {
  const { stdout } = spawnSync('stty', ['-a'], { stdio: [terminal, 'pipe', 'ignore'] });
  const modes = stdout?.toString().split(/[\s;]+/) ?? [];
  // With tostop, who writes in the background is stopped.
  return modes.includes('-icanon') && modes.includes('-tostop');
}

/** Where the system tells of it, since a job may have been started elsewhere. */
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
