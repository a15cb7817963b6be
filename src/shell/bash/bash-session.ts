import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { AgentBashHandler, CommandResult } from '../../base/command/agent-command.ts';
import type { Environment } from '../../base/environment.ts';
import { mustHave } from '../../base/given.ts';
import { BashProcess } from './bash-process.ts';
import { asksInVain, type LastCommand } from './last-command.ts';
import { shortage } from './private-folder.ts';
import { EXIT, type LimitReached, LineTime, type RunOptions } from './run-options.ts';
import { SessionOutput } from './session-output.ts';

const SENT_ELSEWHERE = '`exec` has redirected the output';
const LAST_UNKNOWN =
  '`$_` and PIPESTATUS of the previous line are not known: use them in the line itself';

/** Options of a session. */
export interface BashSessionOptions {
  /** The environment of the commands. Only PATH is changed. Private files go to TMPDIR. */
  env: Environment;
  /** Where the session starts. */
  cwd: string;
  /** The agent commands of this bash, by name. One that is added later exists from the next line on. */
  handlers?: ReadonlyMap<string, AgentBashHandler>;
  /** Merges stderr into stdout, in the order in which both were written: for a terminal. */
  mergeStderr?: boolean;
  /** Called with all output as it comes, byte for byte, also between lines. A chunk's memory is reused afterwards. */
  onStdout?: (chunk: Buffer) => void;
  onStderr?: (chunk: Buffer) => void;
}

/** The state of a shell that a call of an agent command, alone on a line, would find. */
export interface CallerState {
  /** TODO_SESSION, TODO_AGENT, TODO_TEAM and TODO_TASK_LIST, as far as they are exported. */
  env: Readonly<Record<string, string | undefined>>;
  /**
   * True if the call does the same without bash: no function, alias or program has that name, and no `set -e`, trap, trace or
   * redirection by `exec` is in effect.
   */
  isPlain: boolean;
}

/**
 * One persistent bash: `cd`, variables, functions and options last from line to line.
 *
 * Output and error are separate and never trimmed; each keeps its first 64 MiB. Output of a background job between two lines
 * comes with the next one. When a line ends bash (`exit 3`), that is its exit code; after that, a timeout or a cancel, the next
 * line gets a fresh bash in the last known directory, and the result says so. When bash ended between two lines, the next one
 * is not run: exit code 1. Bash starts with the first line.
 */
export class BashSession {
  readonly #options: BashSessionOptions;
  readonly #temporary: string;
  readonly #output: SessionOutput;
  #bash: BashProcess | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #queued = 0;
  #disposed: Promise<void> | undefined;
  /** The limit of the running line. */
  #limit: LineTime | undefined;
  #callerStates = new Map<string, CallerState>();

  /** The last directory that bash reported. The next bash starts there. */
  cwd: string;
  #lastExitCode = 0;
  #last: LastCommand | undefined;

  constructor(options: BashSessionOptions) {
    mustHave('BashSession', options, 'env', 'cwd');
    this.#options = options;
    this.#output = new SessionOutput(options);
    this.cwd = resolve(options.cwd);
    this.#temporary = resolve(this.cwd, options.env.TMPDIR || '/tmp');
  }

  /** `$?` at the start of the next line. */
  get lastExitCode(): number {
    return this.#lastExitCode;
  }

  set lastExitCode(exitCode: number) {
    this.#lastExitCode = exitCode;
    this.#last = { statuses: [exitCode] };
  }

  /** The process id of bash; undefined if none runs. */
  get pid(): number | undefined {
    return this.#bash?.pid;
  }

  /** False before the first line, and after a line that ended bash. */
  get isAlive(): boolean {
    return this.#bash !== undefined && this.#bash.end === undefined;
  }

  /** Runs one line; lines run in the order of the calls. Rejects only after `dispose()`. */
  run(line: string, options: RunOptions = {}): Promise<CommandResult> {
    return this.#afterOthers(() => this.#run(line, options));
  }

  /** The state that a call of this agent command would find after the lines given so far. */
  callerState(name: string): CallerState | Promise<CallerState> {
    const known = this.#queued === 0 ? this.#knownState(name) : undefined;
    return known ?? this.#afterOthers(() => this.#callerState(name));
  }

  /** Kills bash and its descendants, and removes its private files. */
  dispose(): Promise<void> {
    this.#disposed ??= (async () => {
      this.#limit?.cancel('cancelled: the session was disposed');
      await this.#endBash();
    })();
    return this.#disposed;
  }

  #afterOthers<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    const ended = () => {
      this.#queued -= 1;
    };
    this.#queued += 1;
    this.#queue = result.then(ended, ended);
    return result;
  }

  async #run(line: string, options: RunOptions): Promise<CommandResult> {
    this.#refuseAfterDispose();
    if (line.includes('\0')) {
      return this.#result(2, 'a command line cannot hold a NUL character');
    }
    if (options.signal?.aborted) {
      return this.#result(EXIT.cancelled, 'cancelled before it began');
    }
    this.#callerStates.clear();
    const limit = new LineTime(options);
    this.#limit = limit;
    try {
      await this.#output.begin(options, limit);
      const loss = await this.#loss();
      if (limit.reached) return await this.#ended(limit.reached);
      if (loss) return this.#notBegun(loss);
      return await this.#evaluate(line, options, limit);
    } catch (error) {
      // No private directory, a full disk, no more processes: the next line may succeed.
      return this.#notRun(shortage(error, this.#bash?.home.path) ?? (error as Error).message);
    } finally {
      limit.disarm();
      this.#limit = undefined;
      this.#output.end();
    }
  }

  #refuseAfterDispose(): void {
    if (this.#disposed) throw new Error('The bash session is disposed');
  }

  #start(): BashProcess {
    const { cwd } = this;
    this.cwd = nearestDirectory(cwd);
    if (this.cwd !== cwd) throw new Error(`no folder ${cwd}; the next line starts in ${this.cwd}`);
    const { onStdout, onStderr } = this.#output;
    const temporary = this.#temporary;
    return new BashProcess({ ...this.#options, temporary, cwd, onStdout, onStderr });
  }

  /** Gives up a bash that has ended or lost its files. Returns undefined if bash can go on. */
  async #loss(): Promise<string | undefined> {
    const bash = this.#bash;
    if (bash === undefined || (!bash.end && bash.home.isWhole)) return undefined;
    const loss = bash.end ? `ended (${bash.end.how})` : `lost its files in ${bash.home.path}`;
    await this.#endBash();
    return `bash had ${loss}`;
  }

  async #endBash(): Promise<void> {
    await this.#bash?.kill();
    this.#bash = undefined;
    this.#last = undefined;
    this.cwd = nearestDirectory(this.cwd);
  }

  async #evaluate(line: string, { stdin }: RunOptions, limit: LineTime): Promise<CommandResult> {
    const isNew = this.#bash === undefined;
    this.#bash ??= this.#start();
    const bash = this.#bash;
    limit.onReached = () => void bash.kill();
    const { lastExitCode } = this;
    const ending = await bash.evaluate({ line, lastExitCode, last: this.#last, stdin });
    if (limit.reached) return await this.#ended(limit.reached);
    if ('cwd' in ending) {
      this.cwd = ending.cwd ?? this.cwd;
      const unknown = asksInVain(line, this.#last) ? LAST_UNKNOWN : undefined;
      const result = this.#result(ending.exitCode, ending.isHeard ? unknown : SENT_ELSEWHERE);
      this.#last = ending.last;
      return result;
    }
    await this.#endBash();
    const { exitCode, how, hasBegun, isHidden, startError } = ending;
    if (startError) return this.#result(exitCode, startError);
    if (!hasBegun && !isNew) return this.#notBegun(`bash had ended (${how})`);
    if (!hasBegun) {
      const cause = this.#options.env.BASH_ENV ? ', with what BASH_ENV set,' : '';
      return this.#notRun(`${bash.home.bash}${cause} ends with ${how} before it reads a line`);
    }
    const signal = how.startsWith('SIG') ? ` (${how})` : '';
    const cause = isHidden ? ' (its `builtin` is hidden or disabled)' : signal;
    return this.#result(
      exitCode,
      `bash ended${cause}; the next line starts in a fresh bash in ${this.cwd}`,
    );
  }

  async #ended({ reason, message }: LimitReached): Promise<CommandResult> {
    await this.#endBash();
    const restarted = this.#disposed ? '' : `; bash was restarted in ${this.cwd}`;
    return this.#result(EXIT[reason], `${message}${restarted}`);
  }

  #notBegun(loss: string): CommandResult {
    return this.#result(
      1,
      `${loss} before this line; it was restarted in ${this.cwd} without its variables, functions and options, and the line was not run`,
    );
  }

  #notRun(reason: string): CommandResult {
    return this.#result(1, `the line was not run: ${reason}`);
  }

  /** Returns undefined if bash must be asked. */
  #knownState(name: string): CallerState | undefined {
    this.#refuseAfterDispose();
    const bash = this.#bash;
    if (bash === undefined) return { env: this.#options.env, isPlain: true };
    // Not plain, so the call takes the way of a line, whose result reports that bash has ended.
    return bash.end ? { env: {}, isPlain: false } : this.#callerStates.get(name);
  }

  async #callerState(name: string): Promise<CallerState> {
    const known = this.#knownState(name);
    const bash = this.#bash;
    if (known || !bash) return known ?? { env: {}, isPlain: false };
    const answer = await bash.callerState(name);
    const { env, program, ownOutputs } = answer ?? { env: {}, program: '', ownOutputs: false };
    const { flags, aliases, traps } = bash.held;
    const isOurs = program === bash.home.scriptOf(name);
    const isPlain = isOurs && ownOutputs && flags === '' && traps === '' && !aliases;
    this.#callerStates.set(name, { env, isPlain });
    return { env, isPlain };
  }

  #result(exitCode: number, note?: string): CommandResult {
    this.lastExitCode = exitCode;
    return this.#output.take(exitCode, note);
  }
}

/** The directory, or its nearest ancestor that exists and can be entered. */
function nearestDirectory(directory: string): string {
  return existsSync(`${directory}/.`) ? directory : nearestDirectory(dirname(directory));
}
