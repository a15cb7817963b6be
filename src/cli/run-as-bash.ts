import { constants } from 'node:os';
import type { RawArguments } from '../bash/agent-commands.ts';
import { findBash } from '../bash/find-program.ts';
import { runInheritedBash } from '../bash/inherited-bash.ts';
import { type AgentBashHandler, executeSafely } from '../command.ts';
import { heredocHint } from '../router/heredoc-hint.ts';
import { readLine } from '../router/read-line.ts';
import { readStdin } from './read-stdin.ts';

type Handlers = ReadonlyMap<string, AgentBashHandler>;

/** Runs one line as `bash -c LINE NAME ARG...` does, a literal agent command without any bash. */
export async function runLine(
  line: string,
  parameters: readonly string[],
  handlers: Handlers,
): Promise<number> {
  const { call, raw } = readLine(line, handlers);
  if (call) {
    const stdin = () => readStdin(process.stdin);
    const result = await executeSafely(call.handler, { ...call.invocation, stdin });
    process.stderr.write(result.stderr);
    process.stdout.write(result.stdout);
    return result.exitCode;
  }
  const exitCode = await runBash(['-c', '--', line, ...parameters], handlers, raw);
  if (exitCode !== 0) {
    process.stderr.write(await heredocHint(line, handlers, findBash(process.env)));
  }
  return exitCode;
}

/** Runs `bash ARG...` on this process's own streams; bash's end is its end, a signal's included. */
export async function runBash(
  argv: readonly string[],
  handlers: Handlers,
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
