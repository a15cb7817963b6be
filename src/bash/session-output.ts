import type { CommandResult } from '../command/agent-command.ts';
import { OutputCapture } from './output-capture.ts';
import { type RunOptions, tell } from './run-options.ts';

type Listener = (chunk: Buffer) => void;

/** What the lines of a session print: kept for their results, and told to those who listen. */
export class SessionOutput {
  readonly #stdout = new OutputCapture();
  readonly #stderr = new OutputCapture();
  /** Who hears the line that runs. */
  #listener: Pick<RunOptions, 'onStdout' | 'onStderr'> | undefined;

  /** Take what comes from bash, in chunks whose memory is used again; each resolves when the listener has heard it. */
  readonly onStdout: (chunk: Buffer) => void | Promise<void>;
  readonly onStderr: (chunk: Buffer) => void | Promise<void>;

  /** @param always who hears all output, also between lines. */
  constructor(always: { onStdout?: Listener; onStderr?: Listener }) {
    this.onStdout = (chunk) => {
      this.#stdout.add(chunk);
      always.onStdout?.(chunk);
      return tell(this.#listener?.onStdout, chunk);
    };
    this.onStderr = (chunk) => {
      this.#stderr.add(chunk);
      always.onStderr?.(chunk);
      return tell(this.#listener?.onStderr, chunk);
    };
  }

  /** A line begins. What background jobs have printed since the one before it comes with this one. */
  async begin(line: RunOptions): Promise<void> {
    this.#listener = line;
    for (const output of [this.#stdout, this.#stderr]) output.keepEnds(line.maxOutputBytes);
    for (const chunk of [...this.#stdout.pending]) await tell(line.onStdout, chunk);
    for (const chunk of [...this.#stderr.pending]) await tell(line.onStderr, chunk);
  }

  /** The line has ended: nobody listens any more. */
  end(): void {
    this.#listener = undefined;
  }

  /** The result of a line, with one line of our own on stderr if there is something to say. */
  take(exitCode: number, message?: string): CommandResult {
    const stdout = this.#stdout.take();
    const stderr = this.#stderr.take();
    const lineBreak = stderr === '' || stderr.endsWith('\n') ? '' : '\n';
    return {
      stdout,
      stderr: message ? `${stderr}${lineBreak}agent-shell: ${message}\n` : stderr,
      exitCode,
    };
  }
}
