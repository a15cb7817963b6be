import type { CommandResult } from './agent-command.ts';

/** The lines of stderr for advice, news and mended slips: what there is to say beside the result of a call. */
export function noteLines(notes: Iterable<string>): string {
  return Array.from(notes, (note) => `Note: ${note}\n`).join('');
}

/** The result with warnings about the settings, a line each, after all else on stderr. */
export function withWarnings(result: CommandResult, warnings: readonly string[]): CommandResult {
  return { ...result, stderr: result.stderr + warnings.map((line) => `${line}\n`).join('') };
}
