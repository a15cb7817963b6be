import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentBashHandler, CommandResult } from '../command/agent-command.ts';
import type { Environment } from '../environment.ts';
import type { Ending } from './bash-reports.ts';
import { BashSupervisor } from './bash-supervisor.ts';
import { BrokenBashSigns } from './broken-bash.ts';
import { shortage } from './descriptors.ts';
import { NoPrivateFolder } from './private-folder.ts';
import type { RunOptions } from './run-options.ts';
import type { Home } from './session-home.ts';
import { SessionOutput } from './session-output.ts';
import { EXIT, TimeLimit } from './time-limit.ts';

/** Options of a session. */
export interface BashSessionOptions {
  /** The environment of the commands. Only PATH is changed. TMPDIR says where private files go. */
  env: Environment;
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

/** What a call of an agent command, alone on a line, would find in a shell. */
export interface CallerState {
  /** TODO_SESSION, TODO_AGENT, TODO_TEAM and TODO_TASK_LIST as the call would have them in its environment. */
  env: Readonly<Record<string, string | undefined>>;
  /**
   * Whether the call does the same without bash: nothing else has that name, and nothing is set that acts on commands,
   * as `set -e`, a trap, a trace, or a redirection of `exec`.
   */
  isPlain: boolean;
}

/**
 * One persistent bash: `cd`, variables, functions and options last from line to line.
 *
 * Output and error are separate and never trimmed; each keeps its first 64 MiB. What a background job writes between
 * two lines comes with the next one. When bash ends (`exit 3`), that is the line's exit code; after that, a timeout or
 * a cancel the next line gets a fresh bash in the last known directory. Bash starts with the first line.
 */
export class BashSession {
  readonly #options: BashSessionOptions;
  readonly #output: SessionOutput;
  readonly #bash: BashSupervisor;
  readonly #brokenSigns: BrokenBashSigns;
  #queue: Promise<unknown> = Promise.resolve();
  /** How many wait in it or run. */
  #running = 0;
  #disposed: Promise<void> | undefined;
  /** What there is to say of the line that runs, beside how it ended. */
  #note: string | undefined;
  #callerStates = new Map<string, CallerState>();

  /** `$?` at the start of the next line. */
  lastExitCode = 0;

  constructor(options: BashSessionOptions) {
    this.#options = options;
    this.#output = new SessionOutput(options);
    this.#bash = new BashSupervisor(options, this.#output);
    this.#brokenSigns = new BrokenBashSigns(options.env);
  }

  /** The session's directory, as bash last told it. */
  get cwd(): string {
    return this.#bash.cwd;
  }

  /** The process that is this bash now. */
  get pid(): number | undefined {
    return this.#bash.process?.pid;
  }

  /** Whether there is a bash now. There is none before the first line, and after one that ended it. */
  get isAlive(): boolean {
    return this.#bash.isAlive;
  }

  /** Runs one line, after those that were given before it. Rejects only after `dispose()`. */
  run(line: string, options: RunOptions = {}): Promise<CommandResult> {
    return this.#afterOthers(() => this.#run(line, options));
  }

  /** What a call of an agent command of this name would meet after the lines that were given so far. */
  callerState(name: string): CallerState | Promise<CallerState> {
    const known = this.#running === 0 ? this.#knownState(name) : undefined;
    return known ?? this.#afterOthers(() => this.#callerState(name));
  }

  /** Kills everything that runs, and leaves no process, socket or file behind. */
  dispose(): Promise<void> {
    this.#disposed ??= this.#bash.dispose();
    return this.#disposed;
  }

  #afterOthers<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    const ended = () => {
      this.#running -= 1;
    };
    this.#running += 1;
    this.#queue = result.then(ended, ended);
    return result;
  }

  async #run(line: string, options: RunOptions): Promise<CommandResult> {
    this.#refuseAfterDispose();
    if (line.includes('\0')) {
      return this.#ended(2, 'a command line cannot hold a NUL character');
    }
    if (options.signal?.aborted) {
      return this.#ended(EXIT.cancelled, 'cancelled before it began');
    }
    this.#callerStates.clear();
    try {
      return await this.#evaluate(line, options);
    } catch (error) {
      this.#refuseAfterDispose();
      // No private directory, a full disk, no more processes: the next line may fare better.
      const reason = shortage(error) ?? (error as Error).message;
      const isKept = error instanceof NoPrivateFolder && this.#bash.home?.folder.isThere;
      const restarted = this.isAlive && !isKept ? `; bash was restarted in ${this.cwd}` : '';
      if (!isKept) await this.#bash.end();
      return this.#ended(1, `the line was not run: ${reason}${restarted}`);
    }
  }

  #refuseAfterDispose(): void {
    if (this.#disposed) throw new Error('The bash session is disposed');
  }

  async #evaluate(line: string, options: RunOptions): Promise<CommandResult> {
    const limit = new TimeLimit(options);
    try {
      await this.#output.begin(options);
      let home = await this.#open();
      let ending: Ending;
      try {
        ending = await this.#evaluateIn(home, line, options, limit);
      } catch (error) {
        if (shortage(error)) throw error;
        // Its folder has no room any more, or cannot be written. Nothing of the line has reached bash.
        home = await this.#open(true);
        ending = await this.#evaluateIn(home, line, options, limit);
      }
      if (!limit.reached && this.#isNotBegun(ending)) {
        await this.#bash.end();
        this.#refuseAfterDispose();
        ending = await this.#evaluateIn(home, line, options, limit);
        if (!limit.reached && !ending.alive && ending.isBefore) {
          throw new Error(
            `${home.bash} ends with exit code ${ending.exitCode} before it reads a line`,
          );
        }
      }
      if (!limit.reached && this.#isUnread(ending)) {
        // What bash has in its memory is whole, so it may go on with files in another folder.
        home = await this.#open(true);
        ending = await this.#evaluateIn(home, line, options, limit);
        if (this.#isUnread(ending))
          throw new Error(`bash cannot read files in ${home.folder.path}`);
      }
      return await this.#conclude(home, line, ending, limit);
    } finally {
      limit.disarm();
      this.#output.end();
    }
  }

  /** Whether bash ended before the line: someone ended it, or it could not read our command, which it shows. */
  #isNotBegun(ending: Ending): boolean {
    if (ending.alive) return false;
    return ending.isBefore || this.#dropOurs();
  }

  /** Drops what bash shows of our last command, and tells whether there was any. */
  #dropOurs(): boolean {
    return this.#output.dropOurs(this.#bash.process?.mark ?? '');
  }

  /** Whether bash could not read the line, and so has done nothing but say so, which is dropped. */
  #isUnread({ alive, exitCode }: Ending): boolean {
    const { process } = this.#bash;
    return alive && process !== undefined && this.#output.dropUnread(process.lineFile, exitCode);
  }

  async #evaluateIn(
    home: Home,
    line: string,
    { stdin }: RunOptions,
    limit: TimeLimit,
  ): Promise<Ending> {
    const bash = this.#bash.start(home);
    limit.onReached = () => void bash.kill();
    return bash.evaluate(line, {
      lastExitCode: this.lastExitCode,
      stdin: writeStdin(home.folder.path, stdin),
    });
  }

  async #conclude(
    home: Home,
    line: string,
    ending: Ending,
    limit: TimeLimit,
  ): Promise<CommandResult> {
    if (ending.alive && !limit.reached) {
      this.#bash.cwd = ending.cwd;
      // With set -v bash shows the commands that it reads after an error that made it discard ours.
      if (this.#bash.process?.held.flags.includes('v')) this.#dropOurs();
      const isSuspect = this.#brokenSigns.isSuspect(line, this.#output);
      const note = isSuspect ? await this.#healed(home) : undefined;
      return this.#ended(ending.exitCode, note ?? ending.note);
    }
    await this.#bash.end();
    this.#brokenSigns.forget();
    const restarted = `bash was restarted in ${this.cwd}`;
    if (limit.reached) {
      return this.#ended(EXIT[limit.reached.reason], `${limit.reached.message}; ${restarted}`);
    }
    const reason = ending.alive ? undefined : ending.reason;
    const note = reason ? `${reason}; ${restarted}` : ending.note;
    return this.#ended(ending.exitCode, note);
  }

  /** Replaces a bash that an error has broken, and says so. */
  async #healed(home: Home): Promise<string | undefined> {
    if (!this.#bash.process?.isWhole) {
      // The line has removed the private folder. There is a new one with the next line.
      this.#brokenSigns.suspectAll();
      return undefined;
    }
    const broken = `bash was broken by an error inside "$(; it was restarted in ${this.cwd}`;
    try {
      const isHealed = await this.#bash.heal(home);
      return isHealed ? `${broken} with its variables, functions and options` : undefined;
    } catch {
      // Its files cannot be written. The line has run all the same.
      this.#brokenSigns.suspectAll();
      return this.isAlive ? undefined : broken;
    }
  }

  /** What a call would meet, where bash need not be asked. */
  #knownState(name: string): CallerState | undefined {
    this.#refuseAfterDispose();
    if (this.isAlive) return this.#callerStates.get(name);
    return { env: this.#options.env, isPlain: true };
  }

  async #callerState(name: string): Promise<CallerState> {
    const known = this.#knownState(name);
    const { home, process: bash } = this.#bash;
    if (known || !home || !bash) return known ?? { env: this.#options.env, isPlain: true };
    const answer = await bash.callerState(name);
    const { env, program, ownOutputs } = answer ?? { env: {}, program: '', ownOutputs: false };
    const { flags, traps } = bash.held;
    const isOurs = program === join(home.folder.path, 'bin', name);
    const isPlain = isOurs && ownOutputs && flags === '' && traps === '';
    this.#callerStates.set(name, { env, isPlain });
    return { env, isPlain };
  }

  async #open(inNewFolder = false): Promise<Home> {
    const { home, note } = await this.#bash.open(inNewFolder);
    this.#note = note ?? this.#note;
    return home;
  }

  #ended(exitCode: number, message?: string): CommandResult {
    this.lastExitCode = exitCode;
    const notes = [this.#note, message].filter(Boolean).join('; ');
    this.#note = undefined;
    return this.#output.take(exitCode, notes);
  }
}

function writeStdin(directory: string, stdin: string | undefined): string | undefined {
  if (stdin === undefined) {
    return undefined;
  }
  const file = join(directory, 'stdin');
  writeFileSync(file, stdin, { mode: 0o600 });
  return file;
}
