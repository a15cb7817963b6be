/** How to run one line. */
export interface RunOptions {
  /** The line's standard input; /dev/null unless given. */
  stdin?: string | undefined;
  /** Kills the line after this many milliseconds. No limit unless given, or with Infinity or more than 2^31 - 1. */
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

/** A failing listener does not fail the line; a warning keeps its error from being lost. */
export function tell(listener: RunOptions['onStdout'], chunk: Buffer): Promise<void> | undefined {
  try {
    const heard = listener?.(chunk);
    return heard instanceof Promise ? heard.catch(warn) : undefined;
  } catch (error) {
    warn(error);
    return undefined;
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
}
