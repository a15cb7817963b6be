import {
  type AgentBashHandler,
  type CommandResult,
  CommandType,
  executeSafely,
  type Invocation,
} from '../../base/command/agent-command.ts';
import type { Environment } from '../../base/environment.ts';
import { isJsonCollection, MAX_JSON_BYTES } from '../../base/json/json-input.ts';
import { mayExpand, quote, withoutOuterQuotes } from '../../base/line/quotes.ts';
import { literalWords } from '../../base/line/words.ts';
import { PROVERS } from '../../base/proof/proof.ts';
import { findBash } from '../../base/system/access.ts';
import { tellListener } from '../../base/system/listener.ts';
import type { CallerState } from '../bash/bash-session.ts';
import { EXIT, type LineTime } from '../bash/run-options.ts';
import { endsOf } from '../bash/session-output.ts';
import { canRead } from './bash-syntax.ts';
import { mendLine } from './mend-line.ts';
import type { NativeShell, RouteOptions } from './router-options.ts';

interface LineReading {
  type: CommandType;
  /** Undefined if bash must read the line. */
  call?: DirectCall;
}

interface DirectCall {
  handler: AgentBashHandler;
  argv: readonly string[];
  /** The text after the name, as typed. */
  raw: string;
  /** True if bash would read the same call; false for raw JSON that bash would break. */
  isLiteral: boolean;
}

const { AGENT_SHELL_COMMAND, NATIVE_SHELL_COMMAND } = CommandType;
const NAME = /^[ \t]*([\w-]+)[ \t]+/;
const LIKE_JSON = /^((?:--[\w-]*(?:[= ][\w.][\w.-]*)?[ \t]+)*)['"]?\s*[{[]/;

/**
 * Reads a line as a literal agent command, as raw JSON after the name of one, or as a line for bash. Raw JSON is taken as typed
 * only if bash cannot read it, or would remove its quotes, and if nothing in it may be meant as an expansion.
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
    const argv = words.slice(1);
    const call = { handler, argv, raw, isLiteral: true };
    // The usual form: quotes that hold.
    const last = argv.at(-1) ?? '';
    const isQuoted = raw.length === last.length + 2 || raw.endsWith(` ${quote(last)}`);
    const isMended = !isQuoted && handler.readsRawJson && mayEndEarlier(raw);
    return isMended ? { type: AGENT_SHELL_COMMAND } : { type: AGENT_SHELL_COMMAND, call };
  }
  const isRawJson =
    handler?.readsRawJson &&
    raw.length <= MAX_JSON_BYTES &&
    isJsonCollection(withoutOuterQuotes(raw));
  if (!isRawJson || mayExpand(raw)) return { type: NATIVE_SHELL_COMMAND };
  return { type: AGENT_SHELL_COMMAND, call: { handler, argv: [], raw, isLiteral: false } };
}

/** True if an argument may be JSON and more, whose quotes bash removes: `mendLine` looks for the end of the JSON. */
function mayEndEarlier(raw: string): boolean {
  const [, options] = LIKE_JSON.exec(raw) ?? [];
  if (options === undefined || raw.length > MAX_JSON_BYTES) return false;
  return options !== '' || !isJsonCollection(withoutOuterQuotes(raw));
}

/** The meaning of a line. It is read once, so the text that is asked about is the text that runs. */
export interface Execution {
  readonly type: CommandType;
  /** Bash runs exactly this, unless there is a call. */
  readonly text: string;
  /** The text is not what was typed: quotes that bash would have broken are mended. */
  readonly isMended: boolean;
  /** The router makes it, and nothing of the line reaches bash. */
  readonly call?: DirectCall;
  /** The caller's variables; by default the router's own. */
  readonly caller?: Environment | undefined;
}

/** The router, as far as the meaning of a line depends on it. */
interface World {
  readonly handlers: ReadonlyMap<string, AgentBashHandler>;
  readonly shell: NativeShell;
  readonly env: Environment;
  /** Each ends the reading; then nothing is mended. */
  readonly signals: readonly AbortSignal[];
}

export function executionOf(line: string, world: World): Execution | Promise<Execution> {
  const { type, call } = readLine(line, world.handlers);
  const asTyped = { type, text: line, isMended: false };
  if (call === undefined) return mended(asTyped, world);
  const after = (state: CallerState | undefined) => {
    // Bash runs a literal line that it would read differently, or whose checks must run in its directory.
    const runsChecks = state !== undefined && PROVERS.has(call.handler.name);
    const isOurs = !call.isLiteral || (state?.isPlain !== false && !runsChecks);
    return isOurs ? { type, text: line, isMended: false, call, caller: state?.env } : asTyped;
  };
  const state = world.shell.callerState?.(call.handler.name);
  return state instanceof Promise ? state.then(after) : after(state);
}

async function mended(asTyped: Execution, { handlers, env, signals }: World): Promise<Execution> {
  const has = (name: string) => handlers.get(name)?.readsRawJson === true;
  const canBeRead = (text: string) => canRead(findBash(env), text, signals);
  const text = await mendLine(asTyped.text, { has }, canBeRead);
  return text === undefined ? asTyped : { ...asTyped, text, isMended: true };
}

/**
 * Runs an agent command without bash.
 *
 * @param env the caller's variables; undefined for this process's own.
 * @param limit once it is reached, the handler is told and its result dropped.
 */
export async function callDirectly(
  { handler, argv, raw }: DirectCall,
  env: Invocation['env'],
  options: RouteOptions,
  limit: LineTime,
): Promise<CommandResult> {
  const stdin = async () => options.stdin ?? '';
  const invocation = { argv, stdin, raw, env, signal: limit.ended.signal };
  const result = limit.reached ? undefined : await limit.within(executeSafely(handler, invocation));
  const { stdout, stderr, exitCode } = result ?? notWaitedFor(handler, limit);
  const { onStdout, onStderr, maxOutputBytes } = options;
  if (onStdout && stdout !== '') await limit.within(tellListener(onStdout, Buffer.from(stdout)));
  if (onStderr && stderr !== '') await limit.within(tellListener(onStderr, Buffer.from(stderr)));
  if (maxOutputBytes === undefined) return { stdout, stderr, exitCode };
  const [out, err] = [endsOf(stdout, maxOutputBytes), endsOf(stderr, maxOutputBytes)];
  return { stdout: out, stderr: err, exitCode };
}

function notWaitedFor({ name }: AgentBashHandler, { reached }: LineTime): CommandResult {
  const { reason, message } = reached ?? { reason: 'cancelled', message: '' };
  const stderr = `${name}: ${message}; it may still take effect\n`;
  return { stdout: '', stderr, exitCode: EXIT[reason] };
}
