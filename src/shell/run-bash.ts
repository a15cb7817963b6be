import { constants } from 'node:os';
import type { RawArguments } from '../bash/agent-commands.ts';
import { runInheritedBash } from '../bash/inherited-bash.ts';
import type { AgentBashHandler } from '../command/agent-command.ts';

/** Runs `bash ARG...` on this process's own streams; bash's end is its end, a signal's included. */
export async function runBash(
  argv: readonly string[],
  handlers: ReadonlyMap<string, AgentBashHandler>,
  raw?: RawArguments,
): Promise<number> {
  let sendSignal: (signal: NodeJS.Signals) => void = () => {};
  const forward = (signal: NodeJS.Signals) => sendSignal(signal);
  // Ctrl-C reaches bash by itself: the terminal sends SIGINT to all of the foreground.
  const onInterrupt = (signal: NodeJS.Signals) => {
    if (!process.stdin.isTTY) forward(signal);
  };
  process.on('SIGTERM', forward).on('SIGHUP', forward).on('SIGINT', onInterrupt);
  try {
    const { exitCode, signal } = await runInheritedBash({
      argv,
      env: process.env,
      handlers,
      raw,
      onStart: (send) => {
        sendSignal = send;
      },
    });
    return exitCode ?? 128 + constants.signals[signal as NodeJS.Signals];
  } finally {
    process.off('SIGTERM', forward).off('SIGHUP', forward).off('SIGINT', onInterrupt);
  }
}
