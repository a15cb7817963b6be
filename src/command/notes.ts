import type { CommandResult } from './agent-command.ts';

/** The stderr lines for advice, news and fixed slips. */
export function noteLines(notes: Iterable<string>): string {
  let text = '';
  for (const note of notes) text += `Note: ${note}\n`;
  return text;
}

/** The result with warnings about the settings at the end of stderr, one line each. */
export function withWarnings(result: CommandResult, warnings: readonly string[]): CommandResult {
  if (warnings.length === 0) return result;
  return { ...result, stderr: result.stderr + warnings.map((line) => `${line}\n`).join('') };
}
