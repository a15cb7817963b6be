import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, existsSync, openSync, rmSync, writeSync } from 'node:fs';
import { constants as os } from 'node:os';
import { basename, join } from 'node:path';
import { FifoReader } from './fifo-reader.ts';
import { makeFifos } from './fifos.ts';
import { makePrivate } from './private-folder.ts';
import { killProcessTree } from './process-tree.ts';
import { RewrittenFile } from './rewritten-file.ts';
import { quote } from './shell-words.ts';

export interface BashProcessOptions {
  bash: string;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** A directory of this process's own, not yet there; gone after `kill()`. */
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
  /** The file that is the line's standard input; bash's own, which is empty, unless given. */
  stdin: string | undefined;
}

/** The script that bash runs is a FIFO of this name: bash's messages begin with it. */
const SCRIPT = 'bash';
// Bash keeps descriptors of its own from 10 up and at 255; users take the low ones.
const STATUS_FD = 252;
const ASK_AGAIN_MS = 100;

// Aliases do not come before a quoted word, nor functions before what `builtin` runs.
const BUILTIN = '\\builtin';

// Both of what follows would end a bash in POSIX mode, and the second one with `set -e`.

// Lets each line start with line 1 in bash's messages. An assignment alone is undone when its command ends; one whose
// command is discarded, because it divides by zero, stays.
const RESET_LINENO = 'case $SHELLOPTS in *posix*);;*): $((LINENO=-1)) $((1/0));esac';

// After a syntax error bash 5.2 may take all that follows for a condition, where it was within [[ ]], or write before the
// buffer that it reads the next command to, where a $( was left open. A next, plain syntax error ends both.
const RESET_PARSER = `case $SHELLOPTS in *errexit*|*posix*);;*)${BUILTIN} eval ')'||${BUILTIN} :;esac`;

/** What the user has set that would also act on our own commands, and so is off while they run. */
interface Tracing {
  /** Of -x and -v, those that are set. */
  flags: string;
  /** Commands that set the ERR and DEBUG traps again. */
  traps: string;
}
const NO_TRACING: Tracing = { flags: '', traps: '' };

/**
 * One bash process that evaluates lines, one after the other.
 *
 * Bash runs a script, which is a FIFO: for each line it gets one short command. Bash reads a pipe byte by byte, so the
 * line itself comes from a file. It is evaluated at the top level, not in a loop or a sourced file, so `break`,
 * `return`, `exit` and error messages are as with `bash -c`. How it ended comes on a descriptor of its own, with a
 * nonce that only this line knows. All pipes are FIFOs and not what Node calls a pipe, a socket, which
 * `tee /dev/stderr` could not open. Standard input is no part of this, so that nothing must be redirected around a
 * line: bash would keep the old descriptor at 10, where the user may open or close another.
 */
export class BashProcess {
  #directory: string;
  readonly #line: RewrittenFile;
  readonly #prelude: RewrittenFile;
  readonly #child: ChildProcess;
  readonly #control: number;
  readonly #output: readonly FifoReader[];
  readonly #statusReader: FifoReader;
  readonly #ended: Promise<void>;
  #nonce = '';
  #status = '';
  #tracing = NO_TRACING;
  #exitsOnFailure = false;
  /** Commands that tell bash of its new folder. */
  readonly #moves: string[] = [];
  #finish: ((ending: Ending) => void) | undefined;
  #asking: NodeJS.Timeout | undefined;
  #exitCode: number | undefined;
  #killed: Promise<void> | undefined;

  constructor({ bash, env, cwd, directory, mergeStderr, onStdout, onStderr }: BashProcessOptions) {
    this.#directory = directory;
    const path = (name: string) => join(directory, name);
    this.#line = new RewrittenFile(path('line'));
    this.#prelude = new RewrittenFile(path('prelude'));
    makePrivate(directory);
    makeFifos([SCRIPT, 'out', 'err', 'status'].map(path), env);
    this.#control = openSync(path(SCRIPT), constants.O_RDWR | constants.O_NONBLOCK);
    this.#output = [new FifoReader(path('out'), onStdout), new FifoReader(path('err'), onStderr)];
    this.#statusReader = new FifoReader(path('status'), (chunk) => this.#onStatus(chunk));
    const outputs = [
      openSync(path('out'), constants.O_WRONLY),
      openSync(path(mergeStderr ? 'out' : 'err'), constants.O_WRONLY),
    ];
    // detached: a session and a process group of its own, so that all of it can be ended.
    this.#child = spawn(bash, ['--norc', SCRIPT], {
      argv0: 'bash',
      cwd: directory,
      env,
      detached: true,
      stdio: ['ignore', ...outputs],
    });
    outputs.forEach(closeSync);
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
    const oldDirectory = env.OLDPWD === undefined ? '' : `=${quote(env.OLDPWD)}`;
    this.#command(
      `{ cd -- ${quote(cwd)}||cd /;unset -v OLDPWD;declare -x OLDPWD${oldDirectory};` +
        `exec ${STATUS_FD}>${quote(path('status'))};${RESET_LINENO};} >/dev/null 2>&1`,
    );
    this.#unref();
  }

  /** The process id, which is also that of the process group and the session; undefined if bash did not start. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The descriptor of its script, which has no end as long as anyone holds that open. */
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

  /** Evaluates one line, which may hold newlines. The one before it must have ended. */
  evaluate(line: string, { lastExitCode, stdin }: Evaluation): Promise<Ending> {
    if (this.#exitCode !== undefined) {
      return Promise.resolve({ exitCode: this.#exitCode, alive: false });
    }
    this.#nonce = randomBytes(8).toString('hex');
    // The first line is ours, so that it is not seen in the messages of the user's first.
    this.#line.write(`${this.#prepare(lastExitCode)}\n${line}\n`);
    return new Promise((resolve) => {
      this.#finish = resolve;
      this.#ref();
      const input = stdin === undefined ? '' : `<${quote(stdin)}`;
      const report = reportWith(this.#nonce);
      this.#command(`${BUILTIN} eval "$(<${quote(this.#line.path)})"${input};${report}`);
      // Some errors, as in the subscript of ${array[1/0]}, make bash discard all of that command and read the next one.
      // One that is not needed reports with a nonce that nobody waits for any more.
      this.#asking = setTimeout(() => this.#command(report), ASK_AGAIN_MS);
    });
  }

  /** Goes on in another private folder: its files, and what is found on bash's PATH. */
  move(from: string, to: string): void {
    const directory = join(to, basename(this.#directory));
    makePrivate(directory);
    this.#directory = directory;
    this.#line.move(join(directory, 'line'));
    this.#prelude.move(join(directory, 'prelude'));
    this.#moves.push(`PATH=\${PATH//${quote(from)}/${quote(to)}}`);
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
    this.#line.close();
    this.#prelude.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #command(command: string): void {
    // Bash reads it byte by byte, at 0.15 us each: a third of what a short line takes.
    writeSync(this.#control, `${command}\n`);
  }

  /** What brings back `$?` and what was off meanwhile: a command, empty where there is nothing to do. */
  #prepare(lastExitCode: number): string {
    const { flags, traps } = this.#tracing;
    const commands = this.#moves.splice(0);
    if (traps !== '') {
      commands.push(traps);
    }
    if (flags !== '') {
      commands.push(`${BUILTIN} set -${flags}`);
    }
    // Under `set -e` a status that is not 0 would end bash.
    if (lastExitCode !== 0 && !this.#exitsOnFailure) {
      commands.push(`${BUILTIN} return ${lastExitCode}`);
    }
    if (commands.length === 0) {
      return '';
    }
    this.#prelude.write(`{ ${commands.join('\n')}\n}\n`);
    return `${BUILTIN} . ${quote(this.#prelude.path)} >/dev/null 2>&1`;
  }

  #onStatus(chunk: Buffer): void {
    if (this.#finish === undefined) return;
    this.#status += chunk.toString('latin1');
    const start = this.#status.indexOf(`${this.#nonce}\0`);
    if (start < 0) {
      // Something that a command wrote there, or the nonce is not yet here as a whole.
      this.#status = this.#status.slice(-this.#nonce.length);
      return;
    }
    const [, exitCode, cwd, options, traps, end] = this.#status.slice(start).split('\0');
    if (end === undefined) {
      return;
    }
    this.#status = '';
    const set = new Set(options?.split(':'));
    this.#exitsOnFailure = set.has('errexit');
    this.#tracing = {
      flags: `${set.has('xtrace') ? 'x' : ''}${set.has('verbose') ? 'v' : ''}`,
      traps: utf8(traps),
    };
    this.#settle({ exitCode: Number(exitCode), alive: true, cwd: utf8(cwd) });
  }

  #settle(ending: Ending): void {
    const finish = this.#finish;
    this.#finish = undefined;
    clearTimeout(this.#asking);
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

/** A command that tells how a line ended, and what it left set that would act on our commands, and ends that. */
function reportWith(nonce: string): string {
  return (
    `{ ${BUILTIN} printf '%s\\0' ${nonce} "$?" "$PWD" "$SHELLOPTS";` +
    `${BUILTIN} trap -p ERR DEBUG;${BUILTIN} printf '\\0';` +
    `${BUILTIN} trap - ERR DEBUG;${BUILTIN} set +xv;${RESET_PARSER};${RESET_LINENO};` +
    `} >&${STATUS_FD} 2>/dev/null||${BUILTIN} exit`
  );
}

/** Decodes bytes that were read one character each. */
function utf8(latin1: string | undefined): string {
  return Buffer.from(latin1 ?? '', 'latin1').toString('utf8');
}
