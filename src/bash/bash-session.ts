import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentBashHandler, CommandResult } from '../command/agent-command.ts';
import { AgentCommandHost, type RawArguments } from './agent-commands.ts';
import { BashProcess, type Ending } from './bash-process.ts';
import { writeEditors } from './editors.ts';
import { findBash } from './find-program.ts';
import { OutputCapture } from './output-capture.ts';
import { PrivateFolder } from './private-folder.ts';
import { Watchdog } from './watchdog.ts';

/** What a session is made of. */
export interface BashSessionOptions {
  /** The environment of the commands. Only PATH is changed. TMPDIR says where private files go. */
  env: Readonly<Record<string, string | undefined>>;
  /** Where the session starts. */
  cwd: string;
  /** The agent commands that exist in this bash, by name. One that is added later is there from the next line on. */
  handlers?: ReadonlyMap<string, AgentBashHandler>;
  /** Puts stderr into stdout, in the order in which both were written: for a terminal. */
  mergeStderr?: boolean;
  /** Hear all output when it comes, byte for byte, also between lines. A chunk's memory is used again afterwards. */
  onStdout?: (chunk: Buffer) => void;
  onStderr?: (chunk: Buffer) => void;
}

/** How one line is run. */
export interface RunOptions {
  /** What the line reads on its standard input; /dev/null unless given. */
  stdin?: string | undefined;
  /** After so many milliseconds the line is killed. No limit unless given. */
  timeoutMs?: number | undefined;
  /** Kills the line when it is aborted. */
  signal?: AbortSignal | undefined;
  /** What follows the name of an agent command on this line as it was typed, for a handler that bash's reading fails. */
  raw?: RawArguments | undefined;
}

const TIMEOUT_EXIT_CODE = 124;
const CANCEL_EXIT_CODE = 130;

/**
 * One persistent bash: `cd`, variables, functions and options last from line to line.
 *
 * Output and error are separate and never trimmed; each keeps its first 64 MiB. What a background job writes between
 * two lines comes with the next one. When bash ends (`exit 3`), that is the line's exit code; after that, a timeout or
 * a cancel the next line gets a fresh bash in the last known directory. Bash starts with the first line.
 */
export class BashSession {
  readonly #options: BashSessionOptions;
  readonly #stdout = new OutputCapture();
  readonly #stderr = new OutputCapture();
  #home: Home | undefined;
  /** Those before it, of which something was missing. */
  readonly #left: Home[] = [];
  #process: BashProcess | undefined;
  #watchdog: Watchdog | undefined;
  #processCount = 0;
  #cwd: string;
  #queue: Promise<unknown> = Promise.resolve();
  #disposed: Promise<void> | undefined;

  /** `$?` at the start of the next line. */
  lastExitCode = 0;

  constructor(options: BashSessionOptions) {
    this.#options = options;
    this.#cwd = options.cwd;
  }

  /** The session's directory, as bash last told it. */
  get cwd(): string {
    return this.#cwd;
  }

  /** Whether there is a bash now. There is none before the first line, and after one that ended it. */
  get isAlive(): boolean {
    return this.#process?.alive ?? false;
  }

  /** Runs one line, after those that were given before it. Rejects only after `dispose()`. */
  run(line: string, options: RunOptions = {}): Promise<CommandResult> {
    const result = this.#queue.then(() => this.#run(line, options));
    this.#queue = result.catch(() => {});
    return result;
  }

  /** Kills what runs, and leaves no process, socket or file behind. */
  dispose(): Promise<void> {
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  async #run(line: string, options: RunOptions): Promise<CommandResult> {
    if (this.#disposed) {
      throw new Error('The bash session is disposed');
    }
    if (line.includes('\0')) {
      return this.#ended(2, 'a command line cannot hold a NUL character');
    }
    if (options.signal?.aborted) {
      return this.#ended(CANCEL_EXIT_CODE, 'cancelled before it began');
    }
    try {
      return await this.#evaluate(line, options);
    } catch (error) {
      // No private directory, a full disk, no more processes: the next line may fare better.
      await this.#process?.kill();
      this.#process = undefined;
      return this.#ended(1, `the line was not run: ${(error as Error).message}`);
    }
  }

  async #evaluate(line: string, options: RunOptions): Promise<CommandResult> {
    const home = this.#open();
    const bash = this.#ready(home);
    home.host.rawArguments = options.raw;
    const stop = this.#stopper(bash, options);
    let ending: Ending;
    try {
      ending = await bash.evaluate(line, {
        lastExitCode: this.lastExitCode,
        stdin: writeStdin(home.folder.path, options.stdin),
      });
    } finally {
      stop.disarm();
    }
    if (ending.alive && !stop.reason) {
      this.#cwd = ending.cwd;
      return this.#ended(ending.exitCode);
    }
    await bash.kill();
    this.#process = undefined;
    const restarted = `bash was restarted in ${this.#cwd}`;
    switch (stop.reason) {
      case 'timeout':
        return this.#ended(
          TIMEOUT_EXIT_CODE,
          `timed out after ${options.timeoutMs} ms; ${restarted}`,
        );
      case 'cancel':
        return this.#ended(CANCEL_EXIT_CODE, `cancelled; ${restarted}`);
      default:
        return this.#ended(ending.exitCode);
    }
  }

  /** Makes the result of a line, with one line of our own on stderr where there is something to say. */
  #ended(exitCode: number, message?: string): CommandResult {
    this.lastExitCode = exitCode;
    const stdout = this.#stdout.take();
    const stderr = this.#stderr.take();
    const lineBreak = stderr === '' || stderr.endsWith('\n') ? '' : '\n';
    return {
      stdout,
      stderr: message ? `${stderr}${lineBreak}agent-shell: ${message}\n` : stderr,
      exitCode,
    };
  }

  /** Where the session's private files are: in a new folder, if someone has removed any of the one before. */
  #open(): Home {
    const earlier = this.#home;
    const bash = this.#process?.alive ? this.#process : undefined;
    if (earlier?.folder.isThere && earlier.host.isWhole && (bash?.isWhole ?? true)) {
      return earlier;
    }
    const home = this.#makeHome();
    this.#home = home;
    if (earlier) {
      earlier.host.retire();
      this.#left.push(earlier);
      if (bash) {
        bash.move(earlier.folder.path, home.folder.path);
        this.#watch(home, bash);
      }
    }
    return home;
  }

  #makeHome(): Home {
    const { env, cwd, handlers } = this.#options;
    const bash = findBash(env);
    const folder = PrivateFolder.make(env, cwd);
    try {
      const directory = folder.path;
      const host = new AgentCommandHost({ directory, bash, env, handlers: handlers ?? new Map() });
      writeEditors(join(directory, 'bin'), bash, env);
      return { bash, folder, host };
    } catch (error) {
      folder.remove();
      throw error;
    }
  }

  /** A living bash, and the scripts of all agent commands. */
  #ready(home: Home): BashProcess {
    const { bash, folder, host } = home;
    host.writeScripts();
    if (this.#process?.alive) {
      return this.#process;
    }
    this.#cwd = nearestDirectory(this.#cwd);
    this.#processCount += 1;
    this.#process = new BashProcess({
      bash,
      env: host.environment(this.#options.env),
      cwd: this.#cwd,
      directory: join(folder.path, String(this.#processCount)),
      mergeStderr: this.#options.mergeStderr ?? false,
      onStdout: (chunk) => {
        this.#stdout.add(chunk);
        this.#options.onStdout?.(chunk);
      },
      onStderr: (chunk) => {
        this.#stderr.add(chunk);
        this.#options.onStderr?.(chunk);
      },
    });
    this.#watch(home, this.#process);
    return this.#process;
  }

  #watch({ bash, folder }: Home, { pid: leader, script }: BashProcess): void {
    const earlier = this.#watchdog;
    const path = this.#options.env.PATH ?? '';
    this.#watchdog = new Watchdog({ bash, path, directory: folder.path, leader, script });
    void earlier?.dismiss();
  }

  #stopper(bash: BashProcess, { timeoutMs, signal }: RunOptions) {
    const stopper = {
      reason: undefined as 'timeout' | 'cancel' | undefined,
      disarm: () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      },
    };
    const stop = (reason: 'timeout' | 'cancel') => {
      stopper.reason ??= reason;
      void bash.kill();
    };
    const onAbort = () => stop('cancel');
    const timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs, 'timeout');
    signal?.addEventListener('abort', onAbort);
    return stopper;
  }

  async #dispose(): Promise<void> {
    await this.#process?.kill();
    for (const { folder, host } of [...this.#left, ...(this.#home ? [this.#home] : [])]) {
      host.dispose();
      folder.remove();
    }
    await this.#watchdog?.dismiss();
  }
}

interface Home {
  bash: string;
  folder: PrivateFolder;
  host: AgentCommandHost;
}

function writeStdin(directory: string, stdin: string | undefined): string | undefined {
  if (stdin === undefined) {
    return undefined;
  }
  const file = join(directory, 'stdin');
  writeFileSync(file, stdin, { mode: 0o600 });
  return file;
}

/** The directory itself, or the nearest one above it that still exists. */
function nearestDirectory(directory: string): string {
  return existsSync(directory) ? directory : nearestDirectory(dirname(directory));
}
