import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { constants as os } from 'node:os';
import { join } from 'node:path';
import { FifoReader } from './fifo-reader.ts';
import { killProcessTree } from './process-tree.ts';
import { quote } from './shell-words.ts';

export interface BashProcessOptions {
  bash: string;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** A directory of this process's own, not yet there; gone after `kill()` or the end of bash. */
  directory: string;
  /** Sends errors the way of the output, so that their order is that in which they were written. */
  mergeStderr: boolean;
  onStdout: (chunk: Buffer) => void;
  onStderr: (chunk: Buffer) => void;
}

/** How a line ended, and whether bash ended with it. */
export type Ending =
  | { exitCode: number; alive: true; cwd: string }
  | { exitCode: number; alive: false };

export interface Evaluation {
  /** What `$?` is at the start of the line. */
  lastExitCode: number;
  /** The file that is the command's standard input. */
  stdin: string;
}

// Bash keeps descriptors of its own from 10 up and at 255; users take the low ones.
const STATUS_FD = 252;
// More than the longest path and the rest of a status. What a command itself writes there is dropped.
const STATUS_LIMIT = 16 * 1024;

// Lets each line start with line 1 in bash's messages. An assignment alone is undone when its command ends; one whose
// command is discarded, because it divides by zero, stays. In POSIX mode that would end bash.
const RESET_LINENO = '[[ $SHELLOPTS = *posix* ]]||: $((LINENO=-1)) $((1/0))';

/**
 * One bash process that evaluates lines, one after the other.
 *
 * Per line it gets one short command on its own stdin: bash reads a pipe byte by byte, so the line itself comes from a
 * file. The line is evaluated at the top level, not in a loop or a sourced file, so `break`, `return`, `exit` and error
 * messages are as with `bash -c`. How it ended comes on a descriptor of its own, with a nonce that only this line
 * knows. All pipes are FIFOs and not what Node calls a pipe, a socket, which `tee /dev/stderr` could not open.
 */
export class BashProcess {
  readonly #directory: string;
  readonly #child: ChildProcess;
  readonly #control: number;
  readonly #output: readonly FifoReader[];
  readonly #statusReader: FifoReader;
  readonly #ended: Promise<void>;
  #nonce = '';
  #status = '';
  // Which of -x and -v the user has set. Both are off while our own commands run, or they would trace them.
  #tracing = '';
  #finish: ((ending: Ending) => void) | undefined;
  #exitCode: number | undefined;
  #killed: Promise<void> | undefined;

  constructor({ bash, env, cwd, directory, mergeStderr, onStdout, onStderr }: BashProcessOptions) {
    this.#directory = directory;
    const path = (name: string) => join(directory, name);
    this.writeFiles();
    execFileSync('mkfifo', ['-m', '600', path('in'), path('out'), path('err'), path('status')], {
      env,
    });
    this.#control = openSync(path('in'), constants.O_RDWR | constants.O_NONBLOCK);
    this.#output = [new FifoReader(path('out'), onStdout), new FifoReader(path('err'), onStderr)];
    this.#statusReader = new FifoReader(path('status'), (chunk) => this.#onStatus(chunk));
    const stdio = [
      openSync(path('in'), constants.O_RDONLY),
      openSync(path('out'), constants.O_WRONLY),
      openSync(path(mergeStderr ? 'out' : 'err'), constants.O_WRONLY),
    ];
    // detached: a session and a process group of its own, so that all of it can be ended.
    this.#child = spawn(bash, [], { argv0: 'bash', cwd, env, detached: true, stdio });
    stdio.forEach(closeSync);
    this.#ended = new Promise((resolve) => {
      const onEnd = (exitCode: number) => {
        this.#exitCode = exitCode;
        this.#settle({ exitCode, alive: false });
        resolve();
      };
      this.#child.once('error', () => onEnd(127));
      this.#child.once('exit', (code, signal) =>
        onEnd(code ?? 128 + os.signals[signal as NodeJS.Signals]),
      );
    });
    writeSync(
      this.#control,
      `{ exec ${STATUS_FD}>${quote(path('status'))};${RESET_LINENO};} 2>/dev/null\n`,
    );
    this.#unref();
  }

  /** The process id, which is also that of the process group and the session; undefined if bash did not start. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  get alive(): boolean {
    return this.#exitCode === undefined && this.#killed === undefined;
  }

  /** Evaluates one line, which may hold newlines. The one before it must have ended. */
  evaluate(line: string, { lastExitCode, stdin }: Evaluation): Promise<Ending> {
    if (this.#exitCode !== undefined) {
      return Promise.resolve({ exitCode: this.#exitCode, alive: false });
    }
    const directory = this.#directory;
    this.#nonce = randomBytes(8).toString('hex');
    const restoreStatus =
      lastExitCode === 0 ? '' : `. ${quote(join(directory, 'status-of'))} ${lastExitCode};`;
    const restoreTracing = this.#tracing === '' ? '' : `set -${this.#tracing};`;
    // One line of ours, so that it is not seen in the messages of the user's first.
    const text = `unset -v _L;${restoreStatus}${restoreTracing}\n${line}\0`;
    writeFileSync(join(directory, 'line'), text, { mode: 0o600 });
    return new Promise((resolve) => {
      this.#finish = resolve;
      this.#ref();
      writeSync(
        this.#control,
        `mapfile -d '' _L <${quote(join(directory, 'line'))};eval "$_L" <${quote(stdin)};` +
          `{ builtin printf '%s\\0' ${this.#nonce} $? "$PWD" "$-" >&${STATUS_FD};set +xv;${RESET_LINENO};} >/dev/null 2>&1\n`,
      );
    });
  }

  /** Ends bash and everything it started that is still its own: asks first, then kills. */
  kill(): Promise<void> {
    this.#killed ??= this.#kill();
    return this.#killed;
  }

  async #kill(): Promise<void> {
    this.#child.ref();
    if (this.pid !== undefined) {
      await killProcessTree(this.pid);
    }
    await this.#ended;
    for (const reader of [...this.#output, this.#statusReader]) {
      reader.close();
    }
    closeSync(this.#control);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Writes again what someone may have deleted, as `rm -rf /tmp/*` does. The FIFOs are open and need no name. */
  writeFiles(): void {
    const file = join(this.#directory, 'status-of');
    if (!existsSync(file)) {
      mkdirSync(this.#directory, { mode: 0o700, recursive: true });
      // Under `set -e` a status that is not 0 would end bash.
      writeFileSync(file, 'case $- in *e*);;*)return $1;;esac\n', { mode: 0o600 });
    }
  }

  #onStatus(chunk: Buffer): void {
    this.#status = (this.#status + chunk.toString('latin1')).slice(-STATUS_LIMIT);
    const fields = this.#status.split('\0');
    const start = fields.indexOf(this.#nonce);
    if (start < 0 || fields.length < start + 5) {
      return; // not all of it yet, or something that a command wrote there
    }
    this.#status = '';
    const [, exitCode, cwd, flags] = fields.slice(start) as [string, string, string, string];
    this.#tracing = flags.replace(/[^xv]/g, '');
    this.#settle({
      exitCode: Number(exitCode),
      alive: true,
      cwd: Buffer.from(cwd, 'latin1').toString('utf8'),
    });
  }

  #settle(ending: Ending): void {
    const finish = this.#finish;
    this.#finish = undefined;
    for (const reader of this.#output) {
      reader.drain();
    }
    this.#unref();
    finish?.(ending);
  }

  #ref(): void {
    this.#child.ref();
    this.#statusReader.ref();
  }

  /** An idle bash does not keep the program from ending. */
  #unref(): void {
    this.#child.unref();
    for (const reader of [...this.#output, this.#statusReader]) {
      reader.unref();
    }
  }
}
