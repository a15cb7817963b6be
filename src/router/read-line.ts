import { type AgentBashHandler, CommandType } from '../command/agent-command.ts';
import { isJsonCollection, MAX_JSON_BYTES, withoutOuterQuotes } from '../json/json-input.ts';
import { parseLiteralCommand } from './literal-command.ts';
import { readQuoting } from './quoting.ts';

/** What a line is and where it goes. */
export interface LineReading {
  type: CommandType;
  /** The call, if it can be read without bash. Without it the line goes to bash. */
  call?: DirectCall;
}

export interface DirectCall {
  handler: AgentBashHandler;
  argv: readonly string[];
  /** What follows the name, as typed; empty if nothing does. */
  raw: string;
  /** Whether bash would read it as exactly this call, too. If not, it is raw JSON that bash would break. */
  isLiteral: boolean;
}

const { AGENT_SHELL_COMMAND, NATIVE_SHELL_COMMAND } = CommandType;
const NAME = /^[ \t]*([\w-]+)[ \t]+/;

/**
 * Reads a line without running anything: a literal agent command, raw JSON after the name of one, or a line for bash.
 *
 * Bash's own reading comes first. Raw JSON is only taken as typed if bash cannot read it, or if bash would clearly remove
 * its quotes and expand nothing in it.
 */
export function readLine(
  line: string,
  handlers: ReadonlyMap<string, AgentBashHandler>,
): LineReading {
  const [start = line, name = ''] = NAME.exec(line) ?? [];
  const raw = line.slice(start.length).trim();
  const words = parseLiteralCommand(line, handlers);
  const handler = handlers.get(words?.[0] ?? name);
  if (handler && words) {
    const call = { handler, argv: words.slice(1), raw, isLiteral: true };
    return { type: AGENT_SHELL_COMMAND, call };
  }
  const isRawJson =
    handler?.readsRawJson &&
    raw.length <= MAX_JSON_BYTES &&
    isJsonCollection(withoutOuterQuotes(raw));
  if (!isRawJson) {
    return { type: NATIVE_SHELL_COMMAND };
  }
  const { isClosed, expansion, isOneWord, hasBraces, text } = readQuoting(raw);
  if (expansion === 'nested' || (expansion === 'simple' && isClosed)) {
    return { type: NATIVE_SHELL_COMMAND };
  }
  // '...'*'...' is not literal, but may be a list: no file has such a name.
  const isWord = isClosed && isOneWord && /^['"]/.test(raw);
  if (isWord && hasBraces) {
    return { type: AGENT_SHELL_COMMAND };
  }
  const call = { handler, argv: isWord ? [text] : [], raw, isLiteral: isWord };
  return { type: AGENT_SHELL_COMMAND, call };
}
