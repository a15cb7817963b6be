import type { RawArguments } from '../bash/agent-commands.ts';
import { type AgentBashHandler, CommandType, type Invocation } from '../command/agent-command.ts';
import { isJsonCollection, withoutOuterQuotes } from '../json/json-input.ts';
import { parseLiteralCommand } from './literal-command.ts';

/** How the router takes a line: as a call that it makes itself, or as one that bash reads. */
export interface LineReading {
  type: CommandType;
  call?: { handler: AgentBashHandler; invocation: Omit<Invocation, 'stdin'> };
  raw?: RawArguments;
}

const { AGENT_SHELL_COMMAND, NATIVE_SHELL_COMMAND } = CommandType;
const NAME_AND_REST = /^[ \t]*([\w-]+)[ \t]+([\s\S]*)$/;
const SINGLE_QUOTED = /'[^']*'/g;
// Nothing outside the quotes ends a word. The alternatives start with different characters: one pass, no backtracking.
const ONE_WORD = /^(?:'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[^\s'"\\|&;()<>])+$/;

/**
 * Reads a line without running anything: a literal agent command, raw JSON after the name of one, or a line for bash.
 *
 * Bash's own reading comes first. It can only be a valid list where bash reads one word, in single quotes that the text
 * itself breaks: '...'$FILE'...' is how a variable gets in there. Such a line goes to bash, with the raw text for
 * the handler to fall back on. Any other raw JSON bash would tear to pieces, or run as commands.
 */
export function readLine(
  line: string,
  handlers: ReadonlyMap<string, AgentBashHandler>,
): LineReading {
  const [, name = '', rest = ''] = NAME_AND_REST.exec(line) ?? [];
  const raw = rest.trim();
  const words = parseLiteralCommand(line, handlers);
  const handler = handlers.get(words?.[0] ?? name);
  if (handler && words) {
    const invocation = { argv: words.slice(1), ...(raw && { raw }) };
    return { type: AGENT_SHELL_COMMAND, call: { handler, invocation } };
  }
  if (!handler?.readsRawJson || !isJsonCollection(withoutOuterQuotes(raw))) {
    return { type: NATIVE_SHELL_COMMAND };
  }
  if (raw.startsWith("'") && ONE_WORD.test(raw)) {
    const isExpanded = /[$`]/.test(raw.replace(SINGLE_QUOTED, ''));
    const type = isExpanded ? NATIVE_SHELL_COMMAND : AGENT_SHELL_COMMAND;
    return { type, raw: { name, text: raw } };
  }
  return { type: AGENT_SHELL_COMMAND, call: { handler, invocation: { argv: [], raw } } };
}
