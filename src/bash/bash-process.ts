import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { constants as os } from 'node:os';
import { BashChannels, type BashChannelsOptions, SCRIPT } from './bash-channels.ts';
import { BashReports, type Ending, type Evaluation } from './bash-reports.ts';
import {
  CALLER_FIELDS,
  callerCommand,
  type FoundCommand,
  type HeldSettings,
  MOVE_FIELDS,
  moveCommand,
  NOTHING_HELD,
  PROBE_FIELDS,
  parseFoundCommand,
  probeCommand,
  probeText,
  startCommand,
  startFileCommand,
} from './control-commands.ts';
import { leakedDescriptors, shortage, statusDescriptor } from './descriptors.ts';
import { isReading, killProcessTree } from './process-tree.ts';

/** `directory` is this process's own; it is gone after `kill()`. */
export interface BashProcessOptions extends Omit<BashChannelsOptions, 'isIdle' | 'onAsking'> {
  bash: string;
  cwd: string;
  /** What brings back the state of the bash before: a file of commands, and what was off when it was written. */
  restored?: { file: string; held: HeldSettings } | undefined;
}

/** Variables that bash is started without: what it would read, and functions that would come before what drives it. */
const NOT_FOR_BASH = {
  BASH_ENV: undefined,
  'BASH_FUNC_builtin%%': undefined,
  'BASH_FUNC_exec%%': undefined,
};

/**
 * One bash process that evaluates lines, one after the other.
 *
 * Bash runs a script, which is a FIFO: for each line it gets one short command. Bash reads a pipe byte by byte, so the
 * line itself comes from a file. It is evaluated at the top level, not in a loop or a sourced file, so `break`,
 * `return`, `exit` and error messages are as with `bash -c`. How it ended comes on its own descriptor, with a
 * nonce that only this line knows. Standard input is no part of this, so that nothing must be redirected around a
 * line: bash would keep the old descriptor at 10, where the user may open or close another.
 */
export class BashProcess {
  readonly #channels: BashChannels;
  readonly #statusFd = statusDescriptor();
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #reports: BashReports;
  #exitCode: number | undefined;
  /** The commands that bash had not read when it ended. */
  #unread = '';
  #startError: string | undefined;
  #killed: Promise<void> | undefined;

  constructor({ bash, cwd, restored, ...options }: BashProcessOptions) {
    const { env, directory } = options;
    this.#channels = new BashChannels({
      ...options,
      isIdle: (script) => this.pid !== undefined && isReading(this.pid, script),
      onAsking: (isAsked) => (isAsked ? this.#ref() : this.#unref()),
    });
    this.#reports = new BashReports({
      channels: this.#channels,
      statusFd: this.#statusFd,
      held: restored?.held ?? NOTHING_HELD,
      maySetMore: Boolean(env.BASH_ENV || env.SHELLOPTS),
      end: () =>
        this.#exitCode === undefined
          ? undefined
          : { exitCode: this.#exitCode, unread: this.#unread, startError: this.#startError },
    });
    const outputs: number[] = [];
    try {
      for (const file of this.#channels.outputs) outputs.push(openSync(file, constants.O_WRONLY));
      // detached: a session and its own process group, so that all of it can be ended.
      this.#child = spawn(bash, ['--norc', SCRIPT], {
        argv0: 'bash',
        cwd: directory,
        env: { ...env, ...NOT_FOR_BASH },
        detached: true,
        stdio: ['ignore', ...outputs],
      });
    } catch (error) {
      this.#channels.close();
      throw error;
    } finally {
      for (const fd of outputs) closeSync(fd);
    }
    this.#ended = new Promise((resolve) => {
      const onEnd = (exitCode: number) => {
        this.#exitCode = exitCode;
        this.#unread = this.#channels.unreadCommands();
        this.#channels.questions.end();
        resolve();
      };
      this.#child.once('error', (error: NodeJS.ErrnoException) => {
        const hint = shortage(error) ?? 'install bash, or put it on PATH';
        this.#startError = `${bash} cannot be started (${error.code}): ${hint}`;
        onEnd(127);
      });
      this.#child.once('exit', (code, signal) =>
        onEnd(code ?? 128 + os.signals[signal as NodeJS.Signals]),
      );
    });
    this.#channels.command(
      startCommand({
        cwd,
        oldDirectory: env.OLDPWD,
        status: this.#channels.status,
        statusFd: this.#statusFd,
        leaked: leakedDescriptors(),
        restore: restored?.file,
      }),
    );
    if (env.BASH_ENV) this.#channels.command(startFileCommand(env.BASH_ENV));
    this.#unref();
  }

  /** The process id, which is also that of the process group and the session; undefined if bash did not start. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The descriptor of its script: the script does not end while anyone holds this open. */
  get script(): number {
    return this.#channels.script;
  }

  get alive(): boolean {
    return this.#exitCode === undefined && this.#killed === undefined;
  }

  /** Whether the folder of its files is there. */
  get isWhole(): boolean {
    return this.#channels.isWhole;
  }

  /** A text that was in the last of our commands, and that no line can know. */
  get mark(): string {
    return this.#channels.questions.lastNonce;
  }

  /** The file that bash reads lines from. */
  get lineFile(): string {
    return this.#channels.line.path;
  }

  /** What the user has set that is off between two lines. */
  get held(): HeldSettings {
    return this.#reports.held;
  }

  /** Evaluates one line, which may hold newlines. The one before it must have ended. */
  evaluate(line: string, evaluation: Evaluation): Promise<Ending> {
    return this.#reports.evaluate(line, evaluation);
  }

  /** How bash stands before a call of an agent command; undefined if bash does not say. */
  async callerState(name: string): Promise<FoundCommand | undefined> {
    const fields = await this.#channels.ask(CALLER_FIELDS, (nonce) =>
      callerCommand(name, nonce, this.#statusFd, this.#channels.outputs),
    );
    return fields && parseFoundCommand(fields);
  }

  /**
   * Whether the memory of bash is as it should be, which an error inside `"$(` undoes in bash 5.2. If it is not, `file`
   * holds commands that bring back its state elsewhere, and this bash is only good for its end.
   */
  async isSound(file: string): Promise<boolean> {
    this.#channels.probe.write(probeText(file));
    const fields = await this.#channels.ask(PROBE_FIELDS, (nonce) =>
      probeCommand(this.#channels.probe.path, nonce, this.#statusFd),
    );
    return fields?.[0] === '0';
  }

  /**
   * Moves to another private folder: its files, and bash's PATH.
   *
   * @returns whether bash finds its commands there: a PATH that is read-only still leads to the folder before.
   */
  async move(from: string, to: string): Promise<boolean> {
    this.#channels.move(to);
    const path = await this.#channels.ask(MOVE_FIELDS, (nonce) =>
      moveCommand(from, to, nonce, this.#statusFd),
    );
    return path !== undefined && !path[0]?.includes(from);
  }

  /** Ends bash and everything it started that is still its own: asks first, then kills. */
  kill(): Promise<void> {
    this.#killed ??= this.#kill();
    return this.#killed;
  }

  async #kill(): Promise<void> {
    this.#child.ref();
    if (this.pid !== undefined) {
      await killProcessTree(this.pid, this.#channels.folders);
    }
    await this.#ended;
    this.#channels.close();
    try {
      rmSync(this.#channels.directory, { recursive: true, force: true });
    } catch {
      // It goes with the folder that it is in.
    }
  }

  #ref(): void {
    this.#child.ref();
    this.#channels.ref();
  }

  /** An idle bash does not keep the program from ending. */
  #unref(): void {
    this.#child.unref();
    this.#channels.unref();
  }
}
