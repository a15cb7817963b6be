import { type Awaitable, maybeAsync, settled } from './maybe-async.ts';

/**
 * Runs one at a time, since a server may answer two out of order; if asked for during a run, once more after it, however
 * often that was. Synchronous if `run` is.
 *
 * @returns asks for a run. What that returns settles once none is due; it rejects with the error of a run that failed.
 */
export function coalesced(run: () => Awaitable<void>): () => Awaitable<void> {
  let [isDue, isRunning] = [false, false];
  let allDone: Awaitable<void>;
  const runWhileDue = function* () {
    isRunning = true;
    try {
      while (isDue) {
        isDue = false;
        yield* settled(run());
      }
    } finally {
      isRunning = false;
    }
  };
  return () => {
    isDue = true;
    if (!isRunning) allDone = maybeAsync(runWhileDue());
    return allDone;
  };
}
