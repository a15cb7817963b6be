import type { AgentBashHandler } from '../command/agent-command.ts';
import type { Approve, Decision, Questions } from './approval.ts';
import { readForApproval } from './certain-line.ts';
import { type DirectCall, readLine } from './read-line.ts';

/** What decides whether a line needs approval, and what the question says. */
export interface PermissionWorld {
  readonly handlers: ReadonlyMap<string, AgentBashHandler>;
  readonly agent?: string | undefined;
  readonly questions: Questions;
  /** Whether this name, as a whole command, is certainly the agent command. */
  readonly isPlain: (name: string) => Promise<boolean>;
  /** The line with its broken quotes fixed, as bash will get it; undefined if there is nothing to fix. */
  readonly mended: (line: string) => Promise<string | undefined>;
  readonly cwd: () => string;
}

/**
 * Whether a line may run, and in which form. A line of nothing but agent commands needs no approval.
 *
 * @param signals each of them ends the question.
 */
export async function permissionFor(
  line: string,
  approve: Approve,
  signals: readonly (AbortSignal | undefined)[],
  world: PermissionWorld,
): Promise<Decision> {
  const { call } = readLine(line, world.handlers);
  // With --prove the line goes to bash, which has to read it as we do.
  const isLineForBash = call?.isLiteral && call.argv.includes('--prove');
  const isDirect = async ({ isLiteral, handler }: DirectCall) =>
    !isLiteral || (!isLineForBash && (await world.isPlain(handler.name)));
  if (call && (await isDirect(call))) return { line };
  const run = call ? line : ((await world.mended(line)) ?? line);
  const reading = readForApproval(run, world.handlers);
  if (reading.isCertain && (await areAgentCommands(reading.commands, world))) return { line };
  const { agent, questions, cwd } = world;
  const request = { line: run, ...reading, cwd: cwd(), agent };
  const decision = await questions.ask(approve, request, signals);
  // It is fixed again when it runs, and gets its note then.
  const isUnchanged = typeof decision === 'object' && 'line' in decision && decision.line === run;
  return isUnchanged ? { line } : decision;
}

async function areAgentCommands(
  commands: readonly (readonly string[])[],
  { handlers, isPlain }: PermissionWorld,
): Promise<boolean> {
  if (commands.length === 0) return false;
  for (const [name = ''] of commands) {
    if (!handlers.has(name) || !(await isPlain(name))) return false;
  }
  return true;
}
