import type { CommandResult } from '../command/agent-command.ts';
import { codeOf, writeAll } from '../terminal/synchronous-io.ts';

/** Writes what a command has to say to this process's own streams. Gives the exit code. */
export function writeResult(name: string, { stdout, stderr, exitCode }: CommandResult): number {
  try {
    writeAll(2, stderr);
    writeAll(1, stdout);
    return exitCode;
  } catch (error) {
    // A reader that goes away, as `head` does, is no error of ours.
    if (codeOf(error) === 'EPIPE') return 1;
    const reason = error instanceof Error ? error.message : String(error);
    writeAll(2, `${name}: write error: ${reason}\n`);
    return 1;
  }
}
