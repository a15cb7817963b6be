import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { TodoHome } from '../../src/todo/todo-home.ts';
import { items } from '../guidance/agent-session.ts';
import { AGENT_SHELL } from './agent-shell.ts';
import { bashIsSince, ENV } from './bash.ts';
import { eventually } from './eventually.ts';
import { temporaryDirectory } from './files.ts';
import { hasProc } from './processes.ts';
import { hasTmux, TmuxTerminal } from './tmux.ts';

export const PROMPT = 'p> ';

/** Older bashes have no PS0: the panel is above the prompt there. */
export const hasPanelBelow = hasTmux && bashIsSince(4, 4);

export interface PersonsShellOptions {
  columns?: number;
  rows?: number;
  /** Files of the home directory. */
  home?: Readonly<Record<string, string>>;
  /** The list at the start, as `items` reads it: writing it at the prompt takes two starts of Node. */
  list?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** For agent-shell, in shell syntax. */
  argv?: string;
  /** Keeps a history in a file; then end the shell before the test ends. */
  history?: boolean;
  /** Started from a bash, to see what it leaves behind. */
  fromBash?: boolean;
  /** Whether the screen shows a prompt that is not PROMPT. */
  isAtPrompt?: (screen: string) => boolean;
  /** A concurrent test's own. */
  onTestFinished?: typeof onTestFinished;
}

/** An interactive agent-shell on a real terminal, with its own home directory and work tree. */
export class PersonsShell extends TmuxTerminal {
  readonly home: string;
  readonly project: string;

  static async start(options: PersonsShellOptions = {}): Promise<PersonsShell> {
    const { onTestFinished: finished = onTestFinished } = options;
    const home = temporaryDirectory(finished);
    const project = join(home, 'project');
    mkdirSync(join(project, '.git'), { recursive: true });
    const files = { '.bashrc': `PS1='${PROMPT}'\n`, ...options.home };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
    const { list, env } = options;
    if (list) new TodoHome({ HOME: home, ...env }, project).open({}).update(items(...list));
    const shell = new PersonsShell(home, project, options);
    if (list) await shell.until('the list', (text) => PANEL.test(text));
    await shell.until('a prompt', options.isAtPrompt ?? isAtPrompt);
    return shell;
  }

  private constructor(home: string, project: string, options: PersonsShellOptions) {
    const { columns, rows, argv = '', history, fromBash, onTestFinished: finished } = options;
    const env = { ...ENV, HOME: home, ...options.env };
    const variables = Object.entries(history ? env : { ...env, HISTFILE: '' });
    const assignments = variables.map(([name, value]) => `${name}='${value}'`).join(' ');
    const agentShell = `env -i TERM="$TERM" TMUX="$TMUX" ${assignments} '${AGENT_SHELL}' ${argv}`;
    const outer = `PS1='outer> ' bash --norc`;
    super(fromBash ? outer : `exec ${agentShell}`, { columns, rows, cwd: project, finished });
    this.home = home;
    this.project = project;
    if (fromBash) this.enter(agentShell);
  }

  /** Without the empty rows between the prompt and the panel at the bottom. */
  override screen(): string {
    return withoutGap(super.screen());
  }

  override rows(...options: string[]): string {
    return withoutGap(super.rows(...options));
  }

  /** Waits for an empty prompt. */
  untilPrompt(): Promise<string> {
    return this.until('a prompt', isAtPrompt);
  }

  /** Enters a line, and waits for the next prompt. Returns the output. */
  async run(line: string): Promise<string> {
    const entered = `${PROMPT}${line}\n`;
    const before = this.all().split(entered).length;
    let output = '';
    this.enter(line);
    const isOver = (all: string) => {
      const parts = all.split(entered);
      output = parts.at(-1) ?? '';
      return parts.length > before && isAtPrompt(output);
    };
    await this.until('the prompt after it', isOver, () => this.all());
    return output.replace(AT_PROMPT, '');
  }

  /** Presses Ctrl-C at the prompt, once bash waits for a key: just before, any bash misses a signal. */
  async interrupt(): Promise<void> {
    const waits = () => readFileSync(`/proc/${this.pid}/stat`, 'utf8').includes(') S ');
    if (hasProc) await eventually('bash waits for a key', waits);
    this.press('C-c');
  }

  /** Waits until a bash waits for a key and draws no panel: it forgets a signal that comes while its trap for that ends. */
  async untilIdle(pid = this.pid): Promise<void> {
    const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
    const isIdle = () => read('stat').includes(') S ') && read(`task/${pid}/children`) === '';
    if (hasProc) await eventually('bash waits for a key alone', isIdle);
  }

  /** Writes a list, as `items` reads it, and waits until the panel shows it. */
  async write(...lines: readonly string[]): Promise<void> {
    this.enter(writeLine(...lines));
    await this.untilPanel(({ length }) => length === lines.length + 2);
  }

  /** Waits until a panel is right below an empty prompt, with rows that satisfy `isSo`. */
  async untilPanel(isSo: (rows: readonly string[]) => boolean = () => true): Promise<string[]> {
    const screen = await this.until('a panel below the prompt', (text) => {
      const rows = panelBelow(text);
      return rows.length > 0 && isSo(rows);
    });
    return panelBelow(screen);
  }
}

/** The line that writes a list by way of a file, so that it fits in a row. */
export function writeLine(...lines: readonly string[]): string {
  return `TodoWrite '${JSON.stringify({ todos: items(...lines) })}'`;
}

/** The panel at the bottom, with or without a box, and the empty rows above it. */
const PANEL = /\n+(?=(?:[┌│└+|✓●○].*\n?)+$)/;
const withoutGap = (text: string) => text.replace(PANEL, '\n');

/** Only a panel follows the last prompt. */
const AT_PROMPT = /(^|\n)p> *(\n[┌│└✓●○].*)*$/;
const isAtPrompt = (text: string) => AT_PROMPT.test(text);

function panelBelow(screen: string): string[] {
  const [, panel = ''] = /\np> *((?:\n[┌│└].*)+)$/.exec(`\n${screen}`) ?? [];
  return panel.split('\n').slice(1);
}

export const panels = (text: string): number => text.split('─ Tasks ─').length - 1;
