import { LONGEST_TIMER_MS } from '../../base/command/time-limit.ts';

/** How to run one line. */
export interface RunOptions {
  /** The line's standard input; /dev/null unless given. */
  stdin?: string | undefined;
  /** Kills the line after this many milliseconds. No limit unless given, nor above 2^31 - 1. */
  timeoutMs?: number | undefined;
  /** Kills the line when it is aborted. */
  signal?: AbortSignal | undefined;
  /**
   * Called with this line's output as it comes, byte for byte. A chunk's memory is reused afterwards. If a promise is
   * returned, no more of that stream is read before it resolves: a slow listener slows the command down.
   */
  onStdout?: ((chunk: Buffer) => void | Promise<void>) | undefined;
  onStderr?: ((chunk: Buffer) => void | Promise<void>) | undefined;
  /**
   * The most bytes of output, and of errors, in the result. If there are more, it has the first and the last half, with a line
   * between them that counts the rest. By default, it has the first 64 MiB.
   */
  maxOutputBytes?: number | undefined;
}

/** The exit codes of lines that were stopped, or denied. */
export const EXIT = { timeout: 124, denied: 126, cancelled: 130 } as const;

export interface LimitReached {
  reason: 'timeout' | 'cancelled';
  message: string;
}

export class LineTime {
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => this.cancel('cancelled');
  /** Aborted once the limit is reached. */
  readonly ended: AbortController = new AbortController();
  #end: () => void = () => {};
  /** Undefined while the line may go on. */
  reached: LimitReached | undefined;

  constructor({ timeoutMs, signal }: Pick<RunOptions, 'timeoutMs' | 'signal'>) {
    this.#signal = signal;
    if (timeoutMs !== undefined && timeoutMs <= LONGEST_TIMER_MS) {
      const message = `timed out after ${timeoutMs} ms`;
      this.#timer = setTimeout(() => this.#reach({ reason: 'timeout', message }), timeoutMs);
    }
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted) this.#onAbort();
  }

  /** Stops the line. Called at once if the limit is already reached. */
  set onReached(end: () => void) {
    this.#end = end;
    if (this.reached) end();
  }

  /** Resolves like `work`, or to undefined as soon as the limit is reached. */
  within<T>(work: Promise<T> | undefined): Promise<T | undefined> | undefined {
    if (work === undefined || this.reached) return undefined;
    return new Promise((resolve, reject) => {
      this.#end = () => resolve(undefined);
      work.then(resolve, reject);
    });
  }

  cancel(message: string): void {
    this.#reach({ reason: 'cancelled', message });
  }

  disarm(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  #reach(limit: LimitReached): void {
    if (this.reached) return;
    this.reached = limit;
    this.ended.abort();
    this.#end();
  }
}
