import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, writeSync } from 'node:fs';
import { constants as os } from 'node:os';
import { basename } from 'node:path';
import { killProcessTree, startOf } from '../../base/system/processes.ts';
import { BashHome, type HomeOptions } from './bash-home.ts';
import {
  callerPart,
  type Evaluation,
  evaluatePart,
  type FoundCommand,
  type HeldSettings,
  NOTHING_HELD,
  parseFoundCommand,
  parseReport,
  type Report,
  type ScriptPart,
  startCommand,
  startText,
} from './control-commands.ts';
import { FifoReader } from './fifos.ts';
import { GrowingScript } from './growing-script.ts';
import { shortage, tracesOf, writePrivate } from './private-folder.ts';

export interface BashProcessOptions extends HomeOptions {
  readonly cwd: string;
  /** If it returns a promise, no more of that stream is read before that resolves. */
  readonly onStdout: (chunk: Buffer) => void | Promise<void>;
  readonly onStderr: (chunk: Buffer) => void | Promise<void>;
}

export interface End {
  readonly exitCode: number;
  /** `SIGKILL` or `exit code 3`. */
  readonly how: string;
  readonly startError?: string;
}

/** Unset while bash starts: the first is for us, the others would run or change commands before its first line. */
const NOT_AT_START = {
  AGENT_SHELL_OPEN_FILES: undefined,
  BASH_ENV: undefined,
  SHELLOPTS: undefined,
  'BASH_FUNC_builtin%%': undefined,
};

/** How a line ended: with a report of bash, or with the end of bash. */
export type LineEnd = Report | (End & { readonly hasBegun: boolean; readonly isHidden?: boolean });

// A report that is longer than its FIFO holds waits until it is read.
const READ_AFTER_MS = 10;

/** Gets the fields that have come. Returns true when the answer is complete, or bash has ended. */
type BashQuestion = (fields: readonly string[] | undefined) => boolean;

/**
 * One bash process that evaluates lines, one after the other.
 *
 * Bash runs a script that grows by each line, and waits at its end. A line is evaluated at the top level, not in a loop or a
 * sourced file, so `break`, `return`, `exit` and error messages are as with `bash -c`. Bash reports its start and its end on a
 * FIFO. Nothing is redirected around a line: bash would keep the old descriptor at 10, where the user may open or close another.
 */
export class BashProcess {
  /** Removed by `kill()`. */
  readonly home: BashHome;
  readonly #script: GrowingScript;
  readonly #status: FifoReader;
  readonly #done: FifoReader;
  readonly #outputs: readonly FifoReader[];
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #start: number | undefined;
  readonly #open: { close(): void }[] = [];
  #end: End | undefined;
  #killed: Promise<void> | undefined;
  #question: BashQuestion | undefined;
  /** The bytes read from the FIFOs of reports. */
  #received = '';
  #held = NOTHING_HELD;
  #startText: string | undefined;

  /** Throws an Error that says what to do if its private files cannot be made. */
  constructor(options: BashProcessOptions) {
    const { env, cwd, onStdout, onStderr } = options;
    this.home = BashHome.open(options);
    this.#startText = startText(env);
    const { files, bash, environment, path, watchdog } = this.home;
    const [out, err] = files.outputs;
    const ends: number[] = [];
    try {
      const start = startCommand(cwd, env, files);
      this.#script = this.#keep(new GrowingScript(files.script, start));
      const onReport = (chunk: Buffer) => {
        this.#received += chunk.toString('latin1');
      };
      this.#status = this.#keep(new FifoReader(files.status, onReport));
      this.#status.pause();
      this.#done = this.#keep(new FifoReader(files.done, (chunk) => this.#onDone(chunk)));
      this.#outputs = [
        this.#keep(new FifoReader(out, onStdout)),
        ...(out === err ? [] : [this.#keep(new FifoReader(err, onStderr))]),
      ];
      // FIFOs, since a pipe made by Node is a socket, which `tee /dev/stderr` could not open.
      for (const file of files.outputs) ends.push(openSync(file, constants.O_WRONLY));
      // detached: its own session and process group, so that all of it can be killed.
      this.#child = spawn(bash, ['--norc', basename(files.script)], {
        argv0: 'bash',
        cwd: path,
        env: { ...environment, ...NOT_AT_START },
        detached: true,
        stdio: ['ignore', ...ends],
      });
    } catch (error) {
      this.#close();
      void this.home.dispose();
      throw error;
    } finally {
      for (const fd of ends) closeSync(fd);
    }
    if (this.pid !== undefined) {
      this.#start = startOf(this.pid);
      watchdog.guard(this.pid, this.#start);
    }
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (error: NodeJS.ErrnoException) => {
        const hint = shortage(error) ?? 'install bash, or put it on PATH';
        const startError = `${bash} cannot be started (${error.code}): ${hint}`;
        this.#onEnd({ exitCode: 127, how: 'exit code 127', startError });
        resolve();
      });
      this.#child.once('exit', (code, signal) => {
        const exitCode = code ?? 128 + os.signals[signal as NodeJS.Signals];
        this.#onEnd({ exitCode, how: signal ?? `exit code ${code}` });
        resolve();
      });
    });
    // An idle bash does not keep the program from ending.
    this.#child.unref();
  }

  /** Also the id of the process group and the session; undefined if bash did not start. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Undefined while it runs. */
  get end(): End | undefined {
    return this.#end;
  }

  get held(): HeldSettings {
    return this.#held;
  }

  /** Evaluates one line, which may hold newlines. The previous one must have ended. */
  async evaluate(evaluation: Evaluation): Promise<LineEnd> {
    this.home.writeScripts();
    if (this.#startText !== undefined) {
      const start = await this.#evaluate({ line: this.#startText, lastExitCode: 0 });
      this.#startText = undefined;
      if (!('cwd' in start)) return { ...start, hasBegun: false };
    }
    return this.#evaluate(evaluation);
  }

  async #evaluate(evaluation: Evaluation): Promise<LineEnd> {
    const { stdin, hidden, mark, seal } = this.home.files;
    if (evaluation.stdin !== undefined) writePrivate(stdin, evaluation.stdin);
    const part = evaluatePart(evaluation, this.#held, this.home.files);
    const report = await this.#ask(part, (fields) => parseReport(fields, seal));
    if (report === undefined) {
      const hasBegun = this.#received.includes(`${mark}.`);
      return { ...(this.#end as End), hasBegun, isHidden: existsSync(hidden) };
    }
    this.#held = report.held;
    return report;
  }

  /** The state that a call of this agent command would find; undefined if bash has ended. */
  async callerState(name: string): Promise<FoundCommand | undefined> {
    return this.#ask(callerPart(name, this.home.files), parseFoundCommand);
  }

  /** Ends bash and its descendants: SIGTERM first, then SIGKILL. */
  kill(): Promise<void> {
    this.#killed ??= this.#kill();
    return this.#killed;
  }

  async #kill(): Promise<void> {
    this.#child.ref();
    const traces = tracesOf(this.home.path);
    if (this.pid !== undefined) await killProcessTree(this.pid, this.#start, traces);
    await this.#ended;
    for (const output of this.#outputs) output.drain();
    this.#close();
    await this.home.dispose();
  }

  /** Appends commands to the script and waits for the fields after the mark. Returns undefined if bash ends first. */
  async #ask<T>(
    part: ScriptPart,
    parse: (fields: readonly string[]) => T | undefined,
  ): Promise<T | undefined> {
    this.#received = '';
    if (this.#end) return undefined;
    this.#script.append(part);
    writeSync(this.home.go, '.');
    this.#child.ref();
    const timer = setTimeout(() => this.#status.resume(), READ_AFTER_MS);
    const answer = await new Promise<T | undefined>((resolve) => {
      this.#question = (fields) => {
        const parsed = fields && parse(fields);
        if (parsed !== undefined || !fields) resolve(parsed);
        return parsed !== undefined || !fields;
      };
    });
    clearTimeout(timer);
    this.#status.pause();
    if (this.#killed === undefined) this.#child.unref();
    // A write to a FIFO is complete when it returns, so the poll that found the answer has found all output, which is read by then.
    await new Promise(setImmediate);
    for (const output of this.#outputs) if (output.isSlow) output.drain();
    return answer;
  }

  #onDone(chunk: Buffer): void {
    this.#status.drain();
    this.#received += chunk.toString('latin1');
    const received = Buffer.from(this.#received, 'latin1').toString('utf8');
    const [, answer = ''] = received.split(`${this.home.files.mark}.`);
    // Each field ends with NUL.
    this.#answer(answer.split('\0').slice(0, -1));
  }

  #onEnd(end: End): void {
    this.#end = end;
    // Bash may have answered before it ended.
    this.#status.drain();
    this.#done.drain();
    this.#answer(undefined);
  }

  #answer(fields: readonly string[] | undefined): void {
    if (this.#question?.(fields)) this.#question = undefined;
  }

  #close(): void {
    for (const file of this.#open) file.close();
  }

  #keep<T extends { close(): void }>(file: T): T {
    this.#open.push(file);
    return file;
  }
}
