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
  /** What follows the name, as it was typed; empty if nothing does. */
  raw: string;
  /** Whether bash, too, would read it as just this call. If not, it is raw JSON that bash cannot read as JSON. */
  isLiteral: boolean;
}

const { AGENT_SHELL_COMMAND, NATIVE_SHELL_COMMAND } = CommandType;
const NAME = /^[ \t]*([\w-]+)[ \t]+/;

/**
 * Reads a line without running anything: a literal agent command, raw JSON after the name of one, or a line for bash.
 *
 * Bash's own reading comes first. Raw JSON is only taken as it was typed where bash cannot read it, or where it is clear
 * that bash would lose its quotes and that nothing in it is to be expanded.
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
  // '...'*'...' may be a list, though it is not literal: no file has such a name.
  const isWord = isClosed && isOneWord && /^['"]/.test(raw);
  if (isWord && hasBraces) {
    return { type: AGENT_SHELL_COMMAND };
  }
  const call = { handler, argv: isWord ? [text] : [], raw, isLiteral: isWord };
  return { type: AGENT_SHELL_COMMAND, call };
}
