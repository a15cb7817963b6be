/** The exit code of a line that was ended from outside, or never started. */
export const EXIT = { timeout: 124, denied: 126, cancelled: 130 } as const;

// setTimeout takes no more, and would fire at once.
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Why a line was ended from outside, and a line that says so. */
export interface LimitReached {
  reason: 'timeout' | 'cancelled';
  message: string;
}

/** Watches one line's time limit and its signal, from now on. */
export class TimeLimit {
  /** Ends the line. Called at once if it is set too late. */
  set onReached(end: () => void) {
    this.#end = end;
    if (this.#reached) end();
  }

  /** Ends the line for another reason. */
  readonly cancel: (message: string) => void;

  readonly #disarm: () => void;
  #end: () => void = () => {};
  #reached: LimitReached | undefined;

  /** @param limits `timeoutMs`: no limit where it is undefined, not a number, or longer than a timer can be. */
  constructor({
    timeoutMs,
    signal,
  }: {
    timeoutMs?: number | undefined;
    signal?: AbortSignal | undefined;
  }) {
    const reach = (reason: LimitReached['reason'], message: string) => {
      if (this.#reached) return;
      this.#reached = { reason, message };
      this.#end();
    };
    const onAbort = () => reach('cancelled', 'cancelled');
    this.cancel = (message) => reach('cancelled', message);
    const isLimit = timeoutMs !== undefined && timeoutMs <= LONGEST_TIMEOUT_MS;
    const timer = isLimit
      ? setTimeout(() => reach('timeout', `timed out after ${timeoutMs} ms`), timeoutMs)
      : undefined;
    signal?.addEventListener('abort', onAbort);
    this.#disarm = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    if (signal?.aborted) onAbort();
  }

  /** Undefined as long as the line may continue. */
  get reached(): LimitReached | undefined {
    return this.#reached;
  }

  disarm(): void {
    this.#disarm();
  }
}
