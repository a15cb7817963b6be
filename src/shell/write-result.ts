import type { CommandResult } from '../command/agent-command.ts';
import { codeOf, writeAll } from '../system/files.ts';

/** Writes the output of a command to this process's own streams. Returns the exit code. */
export function writeResult(name: string, { stdout, stderr, exitCode }: CommandResult): number {
  try {
    writeAll(2, stderr);
    writeAll(1, stdout);
    return exitCode;
  } catch (error) {
    // A reader that stops reading, as `head` does, is not our error.
    if (codeOf(error) === 'EPIPE') return 1;
    const reason = error instanceof Error ? error.message : String(error);
    writeAll(2, `${name}: write error: ${reason}\n`);
    return 1;
  }
}
