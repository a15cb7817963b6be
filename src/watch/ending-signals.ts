import { constants } from 'node:os';

const LONG_MS = 2 ** 31 - 1;

/** Keeps the process alive until a terminating signal arrives; `exitCode` is the one that belongs to that signal. */
export function endingSignals(): { exitCode: Promise<number>; ignore: () => void } {
  const keepAlive = setInterval(() => {}, LONG_MS);
  const exitCode = new Promise<number>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => resolve(128 + constants.signals[signal]));
    }
  });
  return { exitCode, ignore: () => clearInterval(keepAlive) };
}
