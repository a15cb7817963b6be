import { homedir } from 'node:os';
import { basename } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { BashSession, type RunOptions } from '../bash/bash-session.ts';
import { checkSyntax } from '../bash/check-syntax.ts';
import { findBash } from '../bash/find-program.ts';
import {
  type AgentBashHandler,
  type CommandResult,
  CommandType,
} from '../command/agent-command.ts';
import type { Guide } from '../guidance/guide.ts';
import { type PanelMode, TaskPanel } from '../panel/task-panel.ts';
import { themeFor } from '../panel/theme.ts';
import { BashRouter } from '../router/bash-router.ts';
import { safeText } from '../safe-text.ts';
import { PromptOutput } from '../terminal/prompt-output.ts';
import { HeldLines } from './held-lines.ts';
import type { ShownLists } from './show-changes.ts';

const CONTINUATION_PROMPT = '> ';
const HISTORY_SIZE = 1000;

export interface ReplOptions {
  handlers: readonly AgentBashHandler[];
  guide: Guide;
  shown: ShownLists;
  panelMode: PanelMode;
}

/** Runs the interactive shell on this process's terminal until the user leaves it. Gives its exit code. */
export function runInteractive(options: ReplOptions): Promise<number> {
  return new Repl(options).run();
}

/**
 * A prompt over one BashSession, with the task panel below.
 *
 * The line editor reads keys all the time. While a command runs it is not shown: what is typed then appears at the
 * next prompt, and Ctrl-C goes to the command.
 */
class Repl {
  readonly #panel: TaskPanel;
  readonly #session: BashSession;
  readonly #router: BashRouter;
  readonly #output: PromptOutput;
  readonly #editor: Interface;
  readonly #backgroundOutput = new HeldLines((lines) => this.#interrupt(lines));
  /** Lines entered and not yet run; those that were typed while another one ran have not been shown. */
  readonly #entered: { line: string; isShown: boolean }[] = [];
  /** The first lines of a command that goes on. */
  #unfinished = '';
  #running: AbortController | undefined;
  #isWorking = false;
  #isClosed = false;
  #hasLeft = false;
  #leave: (exitCode: number) => void = () => {};

  constructor({ handlers, guide, shown, panelMode }: ReplOptions) {
    this.#panel = new TaskPanel({
      ...shown,
      stream: process.stdout,
      env: process.env,
      mode: panelMode,
    });
    let session: BashSession | undefined;
    this.#router = new BashRouter({
      handlers,
      guide,
      shell: (all) => {
        session = new ShownSession({
          env: process.env,
          cwd: process.cwd(),
          handlers: all,
          mergeStderr: true,
          onStdout: (chunk) => this.#onOutput(chunk),
        });
        return session;
      },
    });
    this.#session = session as unknown as BashSession;
    this.#output = new PromptOutput(this.#panel.screen);
    this.#editor = createInterface({
      input: process.stdin,
      output: this.#output,
      terminal: process.stdout.isTTY === true,
      historySize: HISTORY_SIZE,
    });
    this.#output.editor = this.#editor;
  }

  async run(): Promise<number> {
    const left = new Promise<number>((resolve) => {
      this.#leave = (exitCode) => {
        this.#hasLeft = true;
        resolve(exitCode);
      };
    });
    this.#editor.on('line', (line) => {
      this.#entered.push({ line, isShown: !this.#isWorking });
      void this.#work();
    });
    this.#editor.on('SIGINT', () => this.#onInterrupt());
    this.#editor.on('SIGTSTP', () => this.#suspend());
    this.#editor.on('close', () => {
      this.#isClosed = true;
      if (!this.#isWorking) this.#leave(this.#session.lastExitCode);
    });
    process.stdout.on('resize', () => this.#output.resize());
    const stopListening = this.#onSignals();
    if (process.env.TMUX && this.#panel.isLive) this.#panel.screen.startAtBottom();
    this.#prompt();
    try {
      return await left;
    } finally {
      await this.#close();
      stopListening();
    }
  }

  /** Runs what was entered, one line after the other, then shows the prompt again. */
  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#output.isMuted = true;
    for (let next = this.#entered.shift(); next; next = this.#entered.shift()) {
      if (this.#hasLeft) return;
      if (!next.isShown) this.#panel.write(`${this.#promptText()}${next.line}\n`);
      const command = this.#unfinished + next.line;
      if (await this.#isUnfinished(command)) {
        this.#unfinished = `${command}\n`;
        continue;
      }
      this.#unfinished = '';
      const hasEnded = command.trim() !== '' && (await this.#runCommand(command));
      if (hasEnded) {
        this.#leave(this.#session.lastExitCode);
        return;
      }
    }
    if (this.#hasLeft) return;
    this.#isWorking = false;
    this.#output.isMuted = false;
    if (this.#isClosed) this.#leave(this.#session.lastExitCode);
    else this.#prompt();
  }

  /** Whether the shell ended with the command, as `exit` makes it. */
  async #runCommand(command: string): Promise<boolean> {
    const isNative = this.#router.identifyCommandType(command) === CommandType.NATIVE_SHELL_COMMAND;
    const running = new AbortController();
    this.#running = running;
    this.#backgroundOutput.flush();
    this.#panel.commandStarted();
    const result = await this.#router.route(command, { signal: running.signal });
    const { stdout, stderr, reminders = [] } = result;
    this.#running = undefined;
    this.#panel.screen.endCommand();
    this.#panel.screen.startLine();
    this.#panel.write(stderr + stdout);
    const { pending: dim } = themeFor(process.stdout, process.env).paint;
    const lines = reminders.flatMap((reminder) => reminder.split('\n'));
    if (lines.length > 0) this.#panel.write(lines.map((line) => `${dim(line)}\n`).join(''));
    return isNative && !running.signal.aborted && !this.#session.isAlive;
  }

  async #isUnfinished(command: string): Promise<boolean> {
    if (
      command.trim() === '' ||
      this.#router.identifyCommandType(command) !== CommandType.NATIVE_SHELL_COMMAND
    ) {
      return false;
    }
    const endsInBackslash = /(?:^|[^\\])(?:\\\\)*\\$/.test(command);
    return endsInBackslash || (await checkSyntax(findBash(process.env), command)) === 'incomplete';
  }

  #prompt(): void {
    this.#editor.setPrompt(this.#promptText());
    this.#editor.prompt(true);
  }

  #promptText(): string {
    if (this.#unfinished !== '') return CONTINUATION_PROMPT;
    const { cwd } = this.#session;
    return `${safeText(cwd === homedir() ? '~' : basename(cwd) || '/')} $ `;
  }

  #onOutput(chunk: Buffer): void {
    if (this.#isWorking) this.#panel.write(chunk);
    else this.#backgroundOutput.push(chunk);
  }

  /** Shows what a background job printed above the prompt and the input. */
  #interrupt(lines: Buffer): void {
    if (this.#isWorking) {
      this.#panel.write(lines);
      return;
    }
    this.#output.clear();
    this.#panel.write(lines);
    this.#panel.screen.startLine();
    this.#editor.prompt(true);
  }

  #onInterrupt(): void {
    if (this.#isWorking) {
      this.#running?.abort();
      return;
    }
    this.#unfinished = '';
    this.#output.write('^C\r\n');
    this.#editor.write(null, { ctrl: true, name: 'e' });
    this.#editor.write(null, { ctrl: true, name: 'u' });
    this.#prompt();
  }

  #suspend(): void {
    this.#panel.screen.hide();
    process.stdin.setRawMode?.(false);
    process.once('SIGCONT', () => {
      process.stdin.setRawMode?.(true);
      this.#panel.screen.redraw();
      if (!this.#isWorking) this.#prompt();
    });
    process.kill(process.pid, 'SIGSTOP');
  }

  /** Leaves in order on a signal, and on an error of our own. Gives the function that ends the listening. */
  #onSignals(): () => void {
    const listeners: Record<string, (error: Error) => void> = {
      SIGINT: () => (this.#running ? this.#running.abort() : this.#leave(130)),
      SIGTERM: () => this.#leave(143),
      SIGHUP: () => this.#leave(129),
      SIGTSTP: () => this.#suspend(),
      uncaughtException: (error) => {
        // One while leaving, as when the terminal is gone, must not lead back here.
        if (this.#hasLeft) process.exit(1);
        this.#panel.write(`agent-shell: internal error: ${error.stack}\n`);
        this.#leave(1);
      },
    };
    for (const [event, listener] of Object.entries(listeners)) process.on(event, listener);
    return () => {
      for (const [event, listener] of Object.entries(listeners)) process.off(event, listener);
    };
  }

  async #close(): Promise<void> {
    this.#running?.abort();
    this.#isWorking = true;
    try {
      this.#editor.close();
    } catch {
      // The terminal whose modes it would bring back is gone.
    }
    this.#backgroundOutput.flush();
    this.#panel.screen.endCommand();
    this.#panel.screen.startLine();
    this.#panel.dispose();
    await this.#router.dispose();
  }
}

/** A session whose output is shown as it comes, and so is no part of its results: what remains is lines of our own. */
class ShownSession extends BashSession {
  override async run(line: string, options?: RunOptions): Promise<CommandResult> {
    return { ...(await super.run(line, options)), stdout: '' };
  }
}
