import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { constants as os } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '../environment.ts';
import {
  CALLER_FIELDS,
  callerCommand,
  evaluateCommand,
  type FoundCommand,
  type HeldSettings,
  MOVE_FIELDS,
  moveCommand,
  NOTHING_HELD,
  PROBE_FIELDS,
  parseFoundCommand,
  parseReport,
  preludeCommand,
  preludeText,
  probeCommand,
  probeText,
  REPORT_FIELDS,
  reportCommand,
  startCommand,
  startFileCommand,
} from './control-commands.ts';
import {
  ALLOW_MORE_FILES,
  isShortOfFiles,
  leakedDescriptors,
  statusDescriptor,
} from './descriptors.ts';
import { FifoReader } from './fifo-reader.ts';
import { makeFifos } from './fifos.ts';
import { makePrivate } from './private-folder.ts';
import { isReading, killProcessTree } from './process-tree.ts';
import { Questions } from './questions.ts';
import { RewrittenFile } from './rewritten-file.ts';

export interface BashProcessOptions {
  bash: string;
  env: Environment;
  cwd: string;
  /** A directory of this process's own, not yet there; gone after `kill()`. */
  directory: string;
  /** Sends errors the way of the output, so that their order is that in which they were written. */
  mergeStderr: boolean;
  /** Where a promise is returned, no more is read of that stream before it resolves. */
  onStdout: (chunk: Buffer) => void | Promise<void>;
  onStderr: (chunk: Buffer) => void | Promise<void>;
  /** What brings back the state of the bash before: a file of commands, and what was off when it was written. */
  restored?: { file: string; held: HeldSettings } | undefined;
}

/**
 * How a line ended, and whether bash ended with it, or even before it; what there is to say, or the reason for which it
 * must be ended.
 */
export type Ending =
  | { exitCode: number; alive: true; cwd: string; note?: string }
  | {
      exitCode: number;
      alive: false;
      isBefore?: boolean;
      note?: string | undefined;
      reason?: string;
    };

export interface Evaluation {
  /** `$?` at the start of the line. */
  lastExitCode: number;
  /** The file that is the line's standard input; bash's own, which is empty, unless given. */
  stdin: string | undefined;
}

/** The script that bash runs is a FIFO of this name: bash's messages begin with it. */
const SCRIPT = 'bash';
/** As much as a FIFO holds. */
const MOST_UNREAD = 64 * 1024;

/**
 * One bash process that evaluates lines, one after the other.
 *
 * Bash runs a script, which is a FIFO: for each line it gets one short command. Bash reads a pipe byte by byte, so the
 * line itself comes from a file. It is evaluated at the top level, not in a loop or a sourced file, so `break`,
 * `return`, `exit` and error messages are as with `bash -c`. How it ended comes on its own descriptor, with a
 * nonce that only this line knows. All pipes are FIFOs and not what Node calls a pipe, a socket, which
 * `tee /dev/stderr` could not open. Standard input is no part of this, so that nothing must be redirected around a
 * line: bash would keep the old descriptor at 10, where the user may open or close another.
 */
export class BashProcess {
  #directory: string;
  /** The private folders of the session that it has been in. */
  readonly #folders: string[];
  readonly #line: RewrittenFile;
  readonly #prelude: RewrittenFile;
  readonly #probe: RewrittenFile;
  readonly #script: string;
  readonly #statusFd = statusDescriptor();
  readonly #outputs: readonly [string, string];
  readonly #child: ChildProcess;
  readonly #control: number;
  readonly #output: readonly FifoReader[];
  /** What must be closed in the end. */
  readonly #open: { close(): void }[] = [];
  readonly #questions: Questions;
  readonly #ended: Promise<void>;
  #held: HeldSettings;
  #exitCode: number | undefined;
  /** The commands that bash had not read when it ended. */
  #unread = '';
  #startError: string | undefined;
  #killed: Promise<void> | undefined;

  constructor(options: BashProcessOptions) {
    const { bash, env, cwd, directory, mergeStderr, onStdout, onStderr, restored } = options;
    this.#directory = directory;
    this.#folders = [dirname(directory)];
    this.#held = restored?.held ?? NOTHING_HELD;
    const path = (name: string) => join(directory, name);
    this.#line = this.#keep(new RewrittenFile(path('line')));
    this.#prelude = this.#keep(new RewrittenFile(path('prelude')));
    this.#probe = this.#keep(new RewrittenFile(path('probe')));
    this.#script = path(SCRIPT);
    this.#outputs = [path('out'), path(mergeStderr ? 'out' : 'err')];
    makePrivate(directory);
    makeFifos([SCRIPT, 'out', 'err', 'status'].map(path), env);
    const outputs: number[] = [];
    try {
      this.#control = openSync(path(SCRIPT), constants.O_RDWR | constants.O_NONBLOCK);
      this.#keep({ close: () => closeSync(this.#control) });
      this.#output = [
        this.#keep(new FifoReader(path('out'), onStdout)),
        this.#keep(new FifoReader(path('err'), onStderr)),
      ];
      this.#questions = new Questions({
        path: path('status'),
        command: (text) => this.#command(text),
        isIdle: () => this.pid !== undefined && isReading(this.pid, this.#script),
        onAsking: (isAsked) => (isAsked ? this.#ref() : this.#unref()),
      });
      this.#keep(this.#questions.reader);
      for (const file of this.#outputs) outputs.push(openSync(file, constants.O_WRONLY));
      // detached: a session and its own process group, so that all of it can be ended.
      this.#child = spawn(bash, ['--norc', SCRIPT], {
        argv0: 'bash',
        cwd: directory,
        env: { ...env, BASH_ENV: undefined },
        detached: true,
        stdio: ['ignore', ...outputs],
      });
    } catch (error) {
      this.#close();
      throw error;
    } finally {
      for (const fd of outputs) closeSync(fd);
    }
    this.#ended = new Promise((resolve) => {
      const onEnd = (exitCode: number) => {
        this.#exitCode = exitCode;
        this.#unread = this.#unreadCommands();
        this.#questions.end();
        resolve();
      };
      this.#child.once('error', (error: NodeJS.ErrnoException) => {
        const hint = isShortOfFiles(error) ? ALLOW_MORE_FILES : 'install bash, or put it on PATH';
        this.#startError = `${bash} cannot be started (${error.code}): ${hint}`;
        onEnd(127);
      });
      this.#child.once('exit', (code, signal) =>
        onEnd(code ?? 128 + os.signals[signal as NodeJS.Signals]),
      );
    });
    this.#command(
      startCommand({
        cwd,
        oldDirectory: env.OLDPWD,
        status: path('status'),
        statusFd: this.#statusFd,
        leaked: leakedDescriptors(),
        restore: restored?.file,
      }),
    );
    if (env.BASH_ENV) this.#command(startFileCommand(env.BASH_ENV));
    this.#unref();
  }

  /** The process id, which is also that of the process group and the session; undefined if bash did not start. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The descriptor of its script: the script does not end while anyone holds this open. */
  get script(): number {
    return this.#control;
  }

  get alive(): boolean {
    return this.#exitCode === undefined && this.#killed === undefined;
  }

  /** Whether the folder of its files is there. */
  get isWhole(): boolean {
    return existsSync(this.#directory);
  }

  /** A text that was in the last of our commands, and that no line can know. */
  get mark(): string {
    return this.#questions.lastNonce;
  }

  /** The file that bash reads lines from. */
  get lineFile(): string {
    return this.#line.path;
  }

  /** What the user has set that is off between two lines. */
  get held(): HeldSettings {
    return this.#held;
  }

  /** Evaluates one line, which may hold newlines. The one before it must have ended. */
  async evaluate(line: string, { lastExitCode, stdin }: Evaluation): Promise<Ending> {
    const prelude = preludeText(this.#held, lastExitCode);
    if (prelude !== '') this.#prelude.write(prelude);
    // The first line is ours, so that it is not seen in the messages of the user's first.
    const first = prelude === '' ? '' : preludeCommand(this.#prelude.path);
    this.#line.write(`${first}\n${line}\n`);
    let command = '';
    const fields = await this.#questions.ask(REPORT_FIELDS, (nonce) => {
      const report = reportCommand(nonce, this.#statusFd);
      command = evaluateCommand(this.#line.path, stdin, report);
      this.#command(command);
      return report;
    });
    for (const reader of this.#output) {
      reader.drain();
    }
    if (fields === undefined) {
      if (this.#exitCode === undefined) {
        return { exitCode: 0, alive: false, reason: 'bash carries out no commands any more' };
      }
      const note = this.#startError;
      const isBefore = note === undefined && this.#unread.includes(command);
      return { exitCode: this.#exitCode, alive: false, isBefore, note };
    }
    const { exitCode, cwd, held } = parseReport(fields);
    this.#held = held;
    const note = 'functions that hide builtins were removed, and disabled builtins enabled again';
    return { exitCode, alive: true, cwd, ...(this.#questions.isRescued ? { note } : {}) };
  }

  /** How bash stands before a call of an agent command; undefined if bash does not say. */
  async callerState(name: string): Promise<FoundCommand | undefined> {
    const fields = await this.#questions.ask(CALLER_FIELDS, (nonce) => {
      this.#command(callerCommand(name, nonce, this.#statusFd, this.#outputs));
      return undefined;
    });
    return fields && parseFoundCommand(fields);
  }

  /**
   * Whether the memory of bash is as it should be, which an error inside `"$(` undoes in bash 5.2. If it is not, `file`
   * holds commands that bring back its state elsewhere, and this bash is only good for its end.
   */
  async isSound(file: string): Promise<boolean> {
    this.#probe.write(probeText(file));
    const fields = await this.#questions.ask(PROBE_FIELDS, (nonce) => {
      this.#command(probeCommand(this.#probe.path, nonce, this.#statusFd));
      return undefined;
    });
    return fields?.[0] === '0';
  }

  /**
   * Moves to another private folder: its files, and bash's PATH.
   *
   * @returns whether bash finds its commands there: a PATH that is read-only still leads to the folder before.
   */
  async move(from: string, to: string): Promise<boolean> {
    const directory = join(to, basename(this.#directory));
    makePrivate(directory);
    this.#directory = directory;
    this.#folders.push(to);
    this.#line.move(join(directory, 'line'));
    this.#prelude.move(join(directory, 'prelude'));
    this.#probe.move(join(directory, 'probe'));
    const path = await this.#questions.ask(MOVE_FIELDS, (nonce) => {
      this.#command(moveCommand(from, to, nonce, this.#statusFd));
      return undefined;
    });
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
      await killProcessTree(this.pid, this.#folders);
    }
    await this.#ended;
    this.#close();
    try {
      rmSync(this.#directory, { recursive: true, force: true });
    } catch {
      // It goes with the folder that it is in.
    }
  }

  #keep<T extends { close(): void }>(file: T): T {
    this.#open.push(file);
    return file;
  }

  #close(): void {
    for (const file of this.#open) file.close();
  }

  #command(command: string): void {
    writeSync(this.#control, `${command}\n`);
  }

  #unreadCommands(): string {
    const bytes = Buffer.alloc(MOST_UNREAD);
    try {
      return bytes.toString('utf8', 0, readSync(this.#control, bytes));
    } catch {
      return ''; // EAGAIN: it is empty.
    }
  }

  #ref(): void {
    this.#child.ref();
    this.#questions.reader.ref();
  }

  /** An idle bash does not keep the program from ending. */
  #unref(): void {
    this.#child.unref();
    for (const reader of [...this.#output, this.#questions.reader]) {
      reader.unref();
    }
  }
}
