import type { AgentBashHandler, Invocation } from '../../base/command/agent-command.ts';
import { BUILTINS, readForApproval } from '../../base/line/certain-line.ts';
import { PROVERS } from '../../base/proof/proof.ts';
import { childrenOf, isStartedSince } from '../../base/system/processes.ts';
import type { ApprovalRequest, Approve } from './approval.ts';
import type { Execution } from './execution.ts';
import type { NativeShell } from './router-options.ts';

/** The reason why something may not run. */
type LineRefusal = { readonly denied: string } | 'cancelled';

/** A line that may run, or why it may not. */
export type Decision = Execution | LineRefusal;

/** Bash runs a builtin of that name instead. */
export const isCommandName = (name: string) => /^\w[\w-]*$/.test(name) && !BUILTINS.has(name);

/** Asks the questions of all routers one at a time, since a person may answer them. */
export class Questions {
  #last: Promise<unknown> = Promise.resolve();

  /** Never rejects. @param signals each cancels the question. */
  ask(
    approve: Approve,
    request: Omit<ApprovalRequest, 'signal'>,
    signals: readonly (AbortSignal | undefined)[],
  ): Promise<{ readonly line: string } | LineRefusal> {
    const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
    const before = this.#last;
    const answered = answerTo(approve, { ...request, signal }, before);
    this.#last = Promise.all([before, answered]);
    return answered;
  }
}

async function answerTo(approve: Approve, request: ApprovalRequest, before: Promise<unknown>) {
  const { signal, line } = request;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  if (signal.aborted) end();
  signal.addEventListener('abort', end);
  try {
    await Promise.race([before, ended]);
    const answer = signal.aborted ? undefined : await Promise.race([approve(request), ended]);
    return signal.aborted ? 'cancelled' : decisionOf(answer, line);
  } catch (error) {
    if (signal.aborted) return 'cancelled';
    return { denied: `the question failed: ${error instanceof Error ? error.message : error}` };
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** The router, as far as approval depends on it. */
export interface PermissionWorld {
  readonly handlers: ReadonlyMap<string, AgentBashHandler>;
  readonly agent?: string | undefined;
  readonly questions: Questions;
  readonly shell: NativeShell;
  readonly cwd: () => string;
  /** Cancels every question. */
  readonly disposed: AbortSignal;
}

/** Approval of the lines of a router, and of the checks that commands of these lines want to run. */
export class Permission {
  readonly #world: PermissionWorld;
  /** Asked about lines without an `approve` of their own. */
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

  /**
   * A call that the router carries out needs no approval, nor do agent commands alone in a certain line.
   *
   * @param approve asked about this line instead. @param signal cancels the question.
   */
  ask(
    execution: Execution,
    approve = this.#approve,
    signal: AbortSignal | undefined,
  ): Decision | Promise<Decision> {
    if (approve === undefined) return execution;
    this.#asks = true;
    return execution.call ? execution : this.#decide(execution, approve, signal);
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
   * @param call of the agent command.
   */
  async whyNotRun(command: string, { calledBy, cwd }: Invocation): Promise<string | undefined> {
    const { approve = this.#approve, ended, others } = this.#running ?? {};
    if (!this.#asks) return undefined;
    const isOfLine =
      calledBy === undefined || isStartedSince(others, calledBy, this.#world.shell.pid);
    if (!isOfLine) return 'nobody can be asked: the line that called it has ended';
    if (approve === undefined) return undefined;
    const reading = readForApproval(command);
    const decision = await this.#question(command, reading, approve, ended, cwd);
    if (decision === 'cancelled') return 'it was cancelled';
    if ('denied' in decision) return `it was denied: ${decision.denied}`;
    return decision.line === command ? undefined : 'only another line was allowed';
  }

  async #decide(
    execution: Execution,
    approve: Approve,
    signal: AbortSignal | undefined,
  ): Promise<Decision> {
    // 1. Read the text that will run; what was mended is never certain.
    const { text, isMended } = execution;
    const read = readForApproval(text, this.#world.handlers);
    const { commands } = read;
    const isCertain = read.isCertain && !isMended;
    // 2. Agent commands alone need no approval.
    const ours = isCertain ? await this.#agentCommands(commands) : [];
    const isOurs = commands.length > 0 && commands.every(([name = '']) => ours.includes(name));
    if (isOurs) return execution;
    // 3. Ask. The answer may be another line, which runs as it is.
    const agentCommands = ours.filter((name) => !PROVERS.has(name));
    const reading = { commands, isCertain, agentCommands };
    const answer = await this.#question(text, reading, approve, signal);
    if (answer === 'cancelled' || 'denied' in answer) return answer;
    return answer.line === text ? execution : { ...execution, text: answer.line, isMended: false };
  }

  #question(
    line: string,
    reading: Pick<ApprovalRequest, 'commands' | 'isCertain' | 'agentCommands'>,
    approve: Approve,
    signal: AbortSignal | undefined,
    cwd = this.#world.cwd(),
  ) {
    const { agent, questions, disposed } = this.#world;
    const request = { line, ...reading, cwd, agent };
    return questions.ask(approve, request, [disposed, signal]);
  }

  /** The names of a certain line that certainly mean agent commands. */
  async #agentCommands(commands: readonly (readonly string[])[]): Promise<readonly string[]> {
    const { handlers, shell } = this.#world;
    const certain: string[] = [];
    for (const name of new Set(commands.map(([name = '']) => name))) {
      if (!handlers.has(name)) continue;
      if ((await shell.callerState?.(name))?.isPlain !== false) certain.push(name);
    }
    return certain;
  }
}

function decisionOf(answer: unknown, asked: string): { readonly line: string } | LineRefusal {
  const given = typeof answer === 'string' ? { approve: answer } : (answer ?? {});
  const { approve, line = asked, reason } = given as Record<string, unknown>;
  if (approve === 'allow' && typeof line === 'string') return { line };
  if (approve === 'deny')
    return { denied: (typeof reason === 'string' && reason.trim()) || NO_REASON };
  return { denied: `the answer was neither 'allow' nor 'deny'` };
}

const NO_REASON = 'the user did not allow it';
