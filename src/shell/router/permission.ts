import type { AgentBashHandler } from '../../base/command/agent-command.ts';
import { childrenOf, isStartedSince } from '../../base/system/processes.ts';
import type { ApprovalRequest, Approve } from './approval.ts';
import { BUILTINS, readForApproval } from './certain-line.ts';
import { readLine } from './direct-call.ts';
import type { NativeShell } from './router-options.ts';

/** The line that may run, or the reason why it may not. */
export type Decision = { readonly line: string } | { readonly denied: string } | 'cancelled';

/** Bash runs a builtin of that name instead. */
export const isCommandName = (name: string) => /^\w[\w-]*$/.test(name) && !BUILTINS.has(name);

/** Asks the questions of all routers one at a time, since a person may answer them. */
export class Questions {
  #last: Promise<unknown> = Promise.resolve();

  /** Never rejects. @param signals each cancels the question. */
  async ask(
    approve: Approve,
    request: Omit<ApprovalRequest, 'signal'>,
    signals: readonly (AbortSignal | undefined)[],
  ): Promise<Decision> {
    const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
    const before = this.#last;
    const answered = Promise.race([before, ended])
      .then(() =>
        signal.aborted ? undefined : Promise.race([approve({ ...request, signal }), ended]),
      )
      .then(
        (answer) => (signal.aborted ? 'cancelled' : decisionOf(answer, request.line)),
        (error) =>
          signal.aborted
            ? 'cancelled'
            : { denied: `the question failed: ${error instanceof Error ? error.message : error}` },
      )
      .finally(() => signal.removeEventListener('abort', end));
    this.#last = Promise.all([before, answered]);
    return answered;
  }
}

/** The router, as far as approval depends on it. */
export interface PermissionWorld {
  readonly handlers: ReadonlyMap<string, AgentBashHandler>;
  readonly agent?: string | undefined;
  readonly questions: Questions;
  readonly shell: NativeShell;
  readonly cwd: () => string;
  /** See `mendLine`. */
  readonly mended: (line: string) => Promise<string | undefined>;
  /** Cancels every question. */
  readonly disposed: AbortSignal;
}

/** Approval of the lines of a router, and of the checks that commands of these lines want to run. */
export class Permission {
  readonly #world: PermissionWorld;
  /** For lines without one of their own. */
  readonly #approve: Approve | undefined;
  /** True once approval was needed for a line. */
  #asks: boolean;
  #running:
    | {
        readonly approve: Approve | undefined;
        readonly ended: AbortSignal;
        /** The children of bash when the line began. */
        readonly others: ReadonlySet<number> | undefined;
      }
    | undefined;

  constructor(world: PermissionWorld, approve: Approve | undefined) {
    this.#world = world;
    this.#approve = approve;
    this.#asks = approve !== undefined;
  }

  /** @param approve asked about this line instead. @param signal cancels the question. */
  ask(
    line: string,
    approve = this.#approve,
    signal: AbortSignal | undefined,
  ): Decision | Promise<Decision> {
    if (approve === undefined) return { line };
    this.#asks = true;
    const { shell } = this.#world;
    const isPlain = async (name: string) => (await shell.callerState?.(name))?.isPlain !== false;
    return this.#decide(line, approve, signal, isPlain);
  }

  /** A line begins. Returns a function to call when it has ended, or undefined if no line has ever needed approval. */
  begin(approve = this.#approve): (() => void) | undefined {
    if (!this.#asks) return undefined;
    const controller = new AbortController();
    const others = childrenOf(this.#world.shell.pid);
    this.#running = { approve, ended: controller.signal, others };
    return () => {
      this.#running = undefined;
      controller.abort();
    };
  }

  /**
   * Asks about a command that an agent command wants to run, as a part of the line that started the agent command. Resolves to
   * the reason why it may not run, or undefined.
   *
   * @param calledBy the process that called the agent command; undefined for the router and the host.
   */
  async whyNotRun(command: string, calledBy: number | undefined): Promise<string | undefined> {
    const { approve = this.#approve, ended, others } = this.#running ?? {};
    if (!this.#asks) return undefined;
    const isOfLine =
      calledBy === undefined || isStartedSince(others, calledBy, this.#world.shell.pid);
    if (!isOfLine) return 'nobody can be asked: the line that called it has ended';
    if (approve === undefined) return undefined;
    // Bash may be busy with a line, and cannot be asked for the meaning of a name.
    const decision = await this.#decide(command, approve, ended, async () => false);
    if (decision === 'cancelled') return 'it was cancelled';
    if ('denied' in decision) return `it was denied: ${decision.denied}`;
    return decision.line === command ? undefined : 'only another line was allowed';
  }

  /** A line of agent commands only needs no approval. @param isPlain true if a name certainly means the agent command. */
  async #decide(
    line: string,
    approve: Approve,
    signal: AbortSignal | undefined,
    isPlain: (name: string) => Promise<boolean>,
  ): Promise<Decision> {
    const { handlers, agent, questions, mended, disposed, cwd } = this.#world;
    const { call } = readLine(line, handlers);
    if (call && !call.isLiteral) return { line };
    // With --prove the line goes to bash.
    const isDirect = call && !call.argv.includes('--prove');
    if (isDirect && (await isPlain(call.handler.name))) return { line };
    const run = call ? line : ((await mended(line)) ?? line);
    const reading = readForApproval(run, handlers);
    if (reading.isCertain && (await areAll(reading.commands, handlers, isPlain))) return { line };
    const request = { line: run, ...reading, cwd: cwd(), agent };
    const decision = await questions.ask(approve, request, [disposed, signal]);
    // The line is mended again when it runs, and gets its note then.
    const isUnchanged = typeof decision === 'object' && 'line' in decision && decision.line === run;
    return isUnchanged ? { line } : decision;
  }
}

async function areAll(
  commands: readonly (readonly string[])[],
  agentCommands: ReadonlyMap<string, unknown>,
  isPlain: (name: string) => Promise<boolean>,
): Promise<boolean> {
  for (const [name = ''] of commands) {
    if (!agentCommands.has(name) || !(await isPlain(name))) return false;
  }
  return commands.length > 0;
}

function decisionOf(answer: unknown, asked: string): Decision {
  const given = typeof answer === 'string' ? { approve: answer } : (answer ?? {});
  const { approve, line = asked, reason } = given as Record<string, unknown>;
  if (approve === 'allow' && typeof line === 'string') return { line };
  if (approve === 'deny')
    return { denied: (typeof reason === 'string' && reason.trim()) || NO_REASON };
  return { denied: `the answer was neither 'allow' nor 'deny'` };
}

const NO_REASON = 'the user did not allow it';
