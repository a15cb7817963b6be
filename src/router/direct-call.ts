import { EXIT, type TimeLimit, tell } from '../bash/run-options.ts';
import { endsOf } from '../bash/session-output.ts';
import { type CommandResult, executeSafely, type Invocation } from '../command/agent-command.ts';
import type { DirectCall } from './read-line.ts';
import type { RouteOptions } from './router-options.ts';

/**
 * Runs an agent command that is a whole line, without bash.
 *
 * @param env the caller's variables; undefined if they are this process's own.
 * @param limit once it is reached, nobody waits for the result.
 */
export async function callDirectly(
  { handler, argv, raw }: DirectCall,
  env: Invocation['env'],
  options: RouteOptions,
  limit: TimeLimit,
): Promise<CommandResult> {
  const stdin = async () => options.stdin ?? '';
  const invocation = { argv, stdin, raw, env };
  const execution = () => executeSafely(handler, invocation);
  const { timeoutMs, signal, onStdout, onStderr, maxOutputBytes } = options;
  const isLimited = timeoutMs !== undefined || signal !== undefined;
  const result = await (isLimited ? within(limit, handler.name, execution) : execution());
  const isHeard = onStdout || onStderr || maxOutputBytes !== undefined;
  return isHeard ? await heard(result, options) : result;
}

/** A handler cannot be stopped. When its time is up, nobody waits for its result. */
function within(
  limit: TimeLimit,
  name: string,
  execution: () => Promise<CommandResult>,
): Promise<CommandResult> {
  const ended = new Promise<CommandResult>((resolve) => {
    limit.onReached = () => {
      const { reason, message } = limit.reached ?? { reason: 'cancelled', message: '' };
      const stderr = `${name}: ${message}; it may still take effect\n`;
      resolve({ stdout: '', stderr, exitCode: EXIT[reason] });
    };
  });
  return limit.reached ? ended : Promise.race([execution(), ended]);
}

/** Gives the output to the listeners, and cuts it to the size that is kept. */
async function heard(
  { stdout, stderr, exitCode }: CommandResult,
  { onStdout, onStderr, maxOutputBytes }: RouteOptions,
): Promise<CommandResult> {
  if (onStdout && stdout !== '') await tell(onStdout, Buffer.from(stdout));
  if (onStderr && stderr !== '') await tell(onStderr, Buffer.from(stderr));
  return {
    stdout: endsOf(stdout, maxOutputBytes),
    stderr: endsOf(stderr, maxOutputBytes),
    exitCode,
  };
}
