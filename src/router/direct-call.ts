import { EXIT, type TimeLimit, tell } from '../bash/run-options.ts';
import { endsOf } from '../bash/session-output.ts';
import {
  type AgentBashHandler,
  type CommandResult,
  CommandType,
  executeSafely,
  type Invocation,
} from '../command/agent-command.ts';
import { isJsonCollection, MAX_JSON_BYTES } from '../json/json-input.ts';
import { mayExpand, withoutOuterQuotes, withoutQuoted } from '../line/quotes.ts';
import { readCommands } from '../line/simple-commands.ts';
import { literalWords, type Word } from '../line/words.ts';
import type { RouteOptions } from './router-options.ts';

/** A line's type and destination. */
export interface LineReading {
  type: CommandType;
  /** The call, if it can be read without bash. Without it the line goes to bash. */
  call?: DirectCall;
}

export interface DirectCall {
  handler: AgentBashHandler;
  argv: readonly string[];
  /** The text after the name, as typed. */
  raw: string;
  /** Whether bash would read it as exactly this call, too. If not, it is raw JSON that bash would break. */
  isLiteral: boolean;
}

const { AGENT_SHELL_COMMAND, NATIVE_SHELL_COMMAND } = CommandType;
const NAME = /^[ \t]*([\w-]+)[ \t]+/;

/**
 * Reads a line without running anything: a literal agent command, raw JSON after the name of one, or a line for bash.
 *
 * Bash's own reading comes first. Raw JSON is only taken as typed if bash cannot read it, or would remove its quotes, and if
 * nothing in it may be meant as an expansion.
 */
export function readLine(
  line: string,
  handlers: ReadonlyMap<string, AgentBashHandler>,
): LineReading {
  const [start = line, name = ''] = NAME.exec(line) ?? [];
  const raw = line.slice(start.length).trim();
  const words = literalWords(line, handlers);
  const handler = handlers.get(words?.[0] ?? name);
  if (handler && words) {
    const call = { handler, argv: words.slice(1), raw, isLiteral: true };
    return { type: AGENT_SHELL_COMMAND, call };
  }
  const isRawJson =
    handler?.readsRawJson &&
    raw.length <= MAX_JSON_BYTES &&
    isJsonCollection(withoutOuterQuotes(raw));
  if (!isRawJson || mayExpand(raw)) {
    return { type: NATIVE_SHELL_COMMAND };
  }
  // '...'*'...' is not literal, but may be a list: no file has such a name.
  const word = /^['"]/.test(raw) ? onlyArgument(line) : undefined;
  if (word && withoutQuoted(word.written).includes('{')) {
    return { type: AGENT_SHELL_COMMAND };
  }
  const call = { handler, argv: word ? [word.text] : [], raw, isLiteral: word !== undefined };
  return { type: AGENT_SHELL_COMMAND, call };
}

/** The text after the name, if bash reads it as one word. */
function onlyArgument(line: string): Word | undefined {
  const { commands, isWhole } = readCommands(line);
  const [command, ...others] = commands;
  const [, word, ...more] = command?.words ?? [];
  const isOnly = isWhole && others.length + more.length === 0 && command?.redirections.length === 0;
  return isOnly ? word : undefined;
}

/**
 * Runs an agent command that is a whole line, without bash.
 *
 * @param env the caller's variables; undefined if they are this process's own.
 * @param limit once it is reached, nobody waits for the result.
 */
export function callDirectly(
  { handler, argv, raw }: DirectCall,
  env: Invocation['env'],
  options: RouteOptions,
  limit: TimeLimit | undefined,
): Promise<CommandResult> {
  const stdin = async () => options.stdin ?? '';
  const invocation = { argv, stdin, raw, env };
  const execution = () => executeSafely(handler, invocation);
  const { onStdout, onStderr, maxOutputBytes } = options;
  const ended = limit ? within(limit, handler.name, execution) : execution();
  const isHeard = onStdout || onStderr || maxOutputBytes !== undefined;
  return isHeard ? ended.then((result) => heard(result, options)) : ended;
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
