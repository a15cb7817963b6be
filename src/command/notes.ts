import type { CommandResult } from './agent-command.ts';

/** The stderr lines for advice, news and fixed slips. */
export function noteLines(notes: Iterable<string>): string {
  return Array.from(notes, (note) => `Note: ${note}\n`).join('');
}

/** The result with warnings about the settings at the end of stderr, one line each. */
export function withWarnings(result: CommandResult, warnings: readonly string[]): CommandResult {
  return { ...result, stderr: result.stderr + warnings.map((line) => `${line}\n`).join('') };
}
