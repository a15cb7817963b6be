import type { AgentBashHandler, CommandType } from '../../base/command/agent-command.ts';
import type { Environment } from '../../base/environment.ts';
import { PROVERS } from '../../base/proof/proof.ts';
import { findBash } from '../../base/system/access.ts';
import type { CallerState } from '../bash/bash-session.ts';
import { canRead } from './bash-syntax.ts';
import { type DirectCall, readLine } from './direct-call.ts';
import { mendLine } from './mend-line.ts';
import type { NativeShell } from './router-options.ts';

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
  /** They end the reading: then nothing is mended. */
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
