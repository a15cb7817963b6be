import { checkSyntax } from '../bash/check-syntax.ts';
import type { AgentBashHandler } from '../command/agent-command.ts';
import { noteLines } from '../command/replies.ts';
import { heredoc, MAX_JSON_BYTES } from '../json/json-input.ts';

/**
 * What to add to bash's error if it could not read a line that names an agent command: how to pass the JSON safely.
 * Empty if bash can read the line, if the line names no agent command, or if it is too long for a list.
 *
 * @param bash the absolute path of bash.
 */
export async function heredocHint(
  line: string,
  handlers: ReadonlyMap<string, Pick<AgentBashHandler, 'jsonExample'>>,
  bash: string,
): Promise<string> {
  if (line.length > MAX_JSON_BYTES) return '';
  const name = line.match(/[\w-]+/g)?.find((word) => handlers.has(word));
  if (name === undefined || (await checkSyntax(bash, line)) === 'complete') {
    return '';
  }
  const { jsonExample = '...' } = handlers.get(name) ?? {};
  return noteLines([
    `pass the JSON as a heredoc, in which quotes need no care: ${heredoc(name, jsonExample)}`.trimEnd(),
  ]);
}
