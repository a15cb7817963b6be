import { closeSync, constants, existsSync, openSync, readSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '../environment.ts';
import { FifoReader } from './fifo-reader.ts';
import { makeFifos } from './fifos.ts';
import { makePrivate } from './private-folder.ts';
import { Questions } from './questions.ts';
import { RewrittenFile } from './rewritten-file.ts';

export interface BashChannelsOptions {
  /** A directory of their own, not yet there. */
  directory: string;
  env: Environment;
  /** Sends errors the way of the output, so that their order is that in which they were written. */
  mergeStderr: boolean;
  /** Where a promise is returned, no more is read of that stream before it resolves. */
  onStdout: (chunk: Buffer) => void | Promise<void>;
  onStderr: (chunk: Buffer) => void | Promise<void>;
  /** Whether bash waits for its next command. @param script the FIFO that it reads them from. */
  isIdle: (script: string) => boolean;
  /** Called when bash is asked something, and when it has answered. */
  onAsking: (isAsked: boolean) => void;
}

/** The FIFO that bash runs as its script has this name: bash's messages begin with it. */
export const SCRIPT = 'bash';
/** As much as a FIFO holds. */
const MOST_UNREAD = 64 * 1024;

/**
 * The files and FIFOs by which one bash is driven: commands go in, its answers and what it prints come out.
 *
 * They are FIFOs and not what Node calls a pipe, a socket, which `tee /dev/stderr` could not open.
 */
export class BashChannels {
  #directory: string;
  /** The private folders of the session that they have been in. */
  readonly folders: string[];
  /** What bash reads: the line, what goes before it, and the test of its memory. */
  readonly line: RewrittenFile;
  readonly prelude: RewrittenFile;
  readonly probe: RewrittenFile;
  /** The descriptor of bash's script. */
  readonly script: number;
  /** The FIFO of bash's answers. */
  readonly status: string;
  /** The FIFOs of its output and its errors. */
  readonly outputs: readonly [string, string];
  readonly questions: Questions;
  readonly #output: readonly FifoReader[];
  /** What must be closed in the end. */
  readonly #open: { close(): void }[] = [];

  constructor(options: BashChannelsOptions) {
    const { directory, env, mergeStderr, onStdout, onStderr, isIdle, onAsking } = options;
    const path = (name: string) => join(directory, name);
    this.#directory = directory;
    this.folders = [dirname(directory)];
    this.line = this.#keep(new RewrittenFile(path('line')));
    this.prelude = this.#keep(new RewrittenFile(path('prelude')));
    this.probe = this.#keep(new RewrittenFile(path('probe')));
    this.status = path('status');
    this.outputs = [path('out'), path(mergeStderr ? 'out' : 'err')];
    makePrivate(directory);
    // On a disk that is full later, short texts replace what is there.
    this.prelude.write('\n');
    makeFifos([SCRIPT, 'out', 'err', 'status'].map(path), env);
    try {
      this.script = openSync(path(SCRIPT), constants.O_RDWR | constants.O_NONBLOCK);
      this.#keep({ close: () => closeSync(this.script) });
      this.#output = [
        this.#keep(new FifoReader(path('out'), onStdout)),
        this.#keep(new FifoReader(path('err'), onStderr)),
      ];
      this.questions = new Questions({
        path: this.status,
        command: (text) => this.command(text),
        isIdle: () => isIdle(path(SCRIPT)),
        onAsking,
      });
      this.#keep(this.questions.reader);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Whether the folder of the files is there. */
  get isWhole(): boolean {
    return existsSync(this.#directory);
  }

  get directory(): string {
    return this.#directory;
  }

  /** Gives bash a command. */
  command(command: string): void {
    writeSync(this.script, `${command}\n`);
  }

  /** The commands that bash has not read. */
  unreadCommands(): string {
    const bytes = Buffer.alloc(MOST_UNREAD);
    try {
      return bytes.toString('utf8', 0, readSync(this.script, bytes));
    } catch {
      return ''; // EAGAIN: there are none.
    }
  }

  /** Gives bash a command that answers. It is not repeated: that would be of no use. */
  ask(
    fieldCount: number,
    command: (nonce: string) => string,
  ): Promise<readonly string[] | undefined> {
    return this.questions.ask(fieldCount, (nonce) => {
      this.command(command(nonce));
      return undefined;
    });
  }

  /** Reads all that bash has printed so far. */
  drain(): void {
    for (const reader of this.#output) reader.drain();
  }

  /** Moves the files to another private folder. */
  move(folder: string): void {
    const directory = join(folder, basename(this.#directory));
    makePrivate(directory);
    this.#directory = directory;
    this.folders.push(folder);
    this.line.move(join(directory, 'line'));
    this.prelude.move(join(directory, 'prelude'));
    this.probe.move(join(directory, 'probe'));
  }

  /** Answers keep the program from ending. */
  ref(): void {
    this.questions.reader.ref();
  }

  /** Nothing does any more. */
  unref(): void {
    for (const reader of [...this.#output, this.questions.reader]) reader.unref();
  }

  close(): void {
    for (const file of this.#open) file.close();
  }

  #keep<T extends { close(): void }>(file: T): T {
    this.#open.push(file);
    return file;
  }
}
