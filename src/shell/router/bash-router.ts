import {
  type AgentBashHandler,
  type CallerSession,
  type CommandResult,
  type CommandType,
  type Invocation,
  withExecute,
} from '../../base/command/agent-command.ts';
import { noteLines } from '../../base/command/replies.ts';
import {
  callerVariables,
  type Environment,
  layered,
  othersVariables,
} from '../../base/environment.ts';
import { QUOTES_BROKE } from '../../base/json/json-input.ts';
import { type SettingsSource, settingsOfCalls } from '../../base/settings/settings.ts';
import { findBash } from '../../base/system/access.ts';
import { randomHex } from '../../base/system/files.ts';
import { Guide } from '../../guidance/guide.ts';
import { TaskPanel } from '../../screen/panel/task-panel.ts';
import { TodoCommand } from '../../todo/todo-source.ts';
import { TodoStore, todoStoreOf } from '../../todo/todo-store.ts';
import { TodoWriteHandler } from '../../todo/todo-write.ts';
import { BashSession } from '../bash/bash-session.ts';
import { EXIT, LineTime } from '../bash/run-options.ts';
import { agentHandlers } from './agent-handlers.ts';
import { heredocHint, notFoundText, withNearNames } from './bash-syntax.ts';
import { callDirectly, type Execution, executionOf, readLine } from './execution.ts';
import { isCommandName, Permission, Questions } from './permission.ts';
import type {
  BashRouterOptions,
  ChildOptions,
  NativeShell,
  RouteOptions,
  RouteResult,
} from './router-options.ts';

/** The session of a child's calls. */
class ChildSession implements CallerSession {
  readonly id = randomHex(8);
  readonly #works = new Map<unknown, () => Promise<unknown>>();
  #hasEnded = false;

  atEnd(key: unknown, work: () => Promise<unknown>): void {
    if (this.#hasEnded) work().catch(() => {});
    else this.#works.set(key, work);
  }

  /** Never rejects. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await Promise.allSettled([...this.#works.values()].map((work) => work()));
  }
}

/** Sends each command line to the agent command that it calls, or to bash. */
export class BashRouter {
  /** The list of TodoWrite and TodoRead, if it is a single store. */
  readonly store: TodoStore | undefined;
  /** Shows the list, if the router was given a terminal. A child has its parent's. */
  readonly panel: TaskPanel | undefined;
  readonly #options: BashRouterOptions;
  readonly #env: Environment;
  /** The handlers without guidance, for children. */
  readonly #given = new Map<string, AgentBashHandler>();
  readonly #handlers = new Map<string, AgentBashHandler>();
  readonly #children = new Set<BashRouter>();
  readonly #leaveParent: () => void;
  readonly #panelOwner: BashRouter;
  /** The number of routers above this one. */
  readonly #depth: number;
  readonly #maxDepth: number;
  readonly #session: ChildSession | undefined;
  readonly #shell: NativeShell;
  readonly #guide: Guide | undefined;
  readonly #questions: Questions;
  readonly #permission: Permission;
  readonly #disposal = new AbortController();
  #queue: Promise<unknown> = Promise.resolve();
  /** For lines without a limit: only `dispose` ends them. */
  readonly #limit = new LineTime({});
  #ownLimit: LineTime | undefined;
  #notFound: Promise<string> | undefined;

  constructor(options: BashRouterOptions = {}, parent?: BashRouter) {
    this.#options = options;
    const { agent, handlers, guide, panel, env = process.env, cwd = process.cwd() } = options;
    this.#env = agent === undefined ? env : layered(env, { TODO_AGENT: agent });
    this.#depth = parent ? parent.#depth + 1 : 0;
    this.#maxDepth = parent ? parent.#maxDepth : (options.maxDepth ?? 1);
    this.#session = parent && new ChildSession();
    const settings = settingsInMemory(this.#env, options.cwd);
    const all = handlers ?? agentHandlers(options.store ?? todoStoreOf(agent), settings);
    const writer = all.find((handler) => handler instanceof TodoWriteHandler);
    this.store = writer?.store;
    const ownGuide = () =>
      writer &&
      new Guide({
        store: writer.list,
        settings: (call) => settings(call).settings,
        isSubagent: () => parent !== undefined,
      });
    this.#guide = guide === false ? undefined : (guide ?? ownGuide());
    for (const handler of all) this.register(handler);
    const startShell =
      options.shell ?? ((all, place) => new BashSession({ ...place, handlers: all }));
    this.#shell = startShell(this.#handlers, { env: this.#env, cwd });
    this.#questions = parent ? parent.#questions : new Questions();
    const world = {
      handlers: this.#handlers,
      agent,
      questions: this.#questions,
      shell: this.#shell,
      cwd: () => this.#shell.cwd ?? process.cwd(),
      disposed: this.#disposal.signal,
    };
    this.#permission = new Permission(world, options.approve);
    const ownPanel = (store: TodoStore) =>
      panel && new TaskPanel({ store, stream: panel, env: process.env });
    this.panel = parent?.panel ?? (this.store && ownPanel(this.store));
    this.#panelOwner = parent?.panel ? parent.#panelOwner : this;
    this.#leaveParent = parent ? parent.#adopt(this) : () => {};
  }

  /**
   * Makes a router for a subagent with its own list, bash and environment, in which TODO_AGENT is its name. It inherits the
   * agent commands, the approval, and the panel, which shows its list below the parent's. It is disposed with its parent, if not
   * before; then its tasks in progress are released.
   *
   * Throws Error if this router is disposed, or `maxDepth` deep.
   */
  child(given: ChildOptions): BashRouter {
    if (!given?.agent) throw new TypeError("A child needs a name: child({ agent: 'tester' })");
    const { agent, ...options } = given;
    if (this.#disposal.signal.aborted) throw new Error('The router is disposed');
    if (!(this.#depth < this.#maxDepth)) {
      const deeper = `the first router needs maxDepth: ${this.#depth + 1}`;
      throw new Error(`No child '${agent}': maxDepth is ${this.#maxDepth}; ${deeper}`);
    }
    const { guide, reminders, shell, approve } = this.#options;
    const env = layered(this.#env, options.env ?? {}, { TODO_AGENT: agent });
    const own = agentHandlers(new TodoStore(), settingsInMemory(env, options.cwd));
    const handlers = [...this.#given.values()].map((handler) =>
      handler instanceof TodoCommand
        ? (own.find(({ name }) => name === handler.name) ?? handler)
        : handler,
    );
    const cwd = this.#shell.cwd ?? process.cwd();
    const noGuide = guide === false ? guide : undefined;
    const inherited = { guide: noGuide, reminders, shell, approve, cwd, handlers };
    return new BashRouter({ ...inherited, ...options, agent, env }, this);
  }

  /** Returns a function that removes the child. */
  #adopt(child: BashRouter): () => void {
    this.#children.add(child);
    const { agent = '' } = child.#options;
    const hide = child.store && this.panel?.showBeside(agent, child.store);
    return () => {
      this.#children.delete(child);
      // The last panel keeps the lists of all.
      if (!this.#panelOwner.#disposal.signal.aborted) hide?.();
    };
  }

  /**
   * Adds an agent command, or replaces the one of that name. It exists in the router at once, in bash from the next line on.
   *
   * Throws RangeError if the name is a builtin's, or contains anything but letters, digits, `_` and `-`.
   */
  register(handler: AgentBashHandler): void {
    const { name } = handler;
    if (!isCommandName(name)) {
      const why = "expected letters, digits, '_' and '-', and no builtin of bash";
      throw new RangeError(`Not a name for an agent command: '${name}'; ${why}`);
    }
    this.#given.set(name, handler);
    const complete = (call: Invocation): Invocation => {
      const whyNotRun = (command: string) => this.#permission.whyNotRun(command, call);
      // Not by a spread: V8 takes microseconds for each property before or after one.
      return Object.assign({ whyNotRun, session: this.#session }, call);
    };
    const wrapped =
      this.#guide?.guided(handler, complete) ??
      withExecute(handler, (call) => handler.execute(complete(call)));
    this.#handlers.set(name, wrapped);
  }

  /** The registered agent commands. */
  get commands(): readonly AgentBashHandler[] {
    return [...this.#handlers.values()];
  }

  /** The type that `route` would return. */
  identifyCommandType(line: string): CommandType {
    return readLine(line, this.#handlers).type;
  }

  /**
   * Runs one line, which may contain newlines; lines run in the order of the calls. A failure is a result with an exit code other
   * than 0 and stderr. Rejects only after `dispose()`, and with a TypeError for a line that is no string.
   */
  route(line: string, options: RouteOptions = {}): Promise<RouteResult> {
    const result = this.#routeAfter(this.#queue, line, options);
    this.#queue = result.catch(() => {});
    return result;
  }

  /** Ends the shell with its processes, the children and the panel. */
  async dispose(): Promise<void> {
    this.#disposal.abort();
    for (const limit of [this.#limit, this.#ownLimit])
      limit?.cancel('cancelled: the router was disposed');
    await Promise.all([...this.#children].map((child) => child.dispose()));
    await this.#shell.dispose();
    await this.#session?.end();
    if (this.#options.panel) this.panel?.dispose();
    this.#leaveParent();
  }

  async #routeAfter(
    earlier: Promise<unknown>,
    line: string,
    options: RouteOptions,
  ): Promise<RouteResult> {
    await earlier;
    if (typeof line !== 'string') throw new TypeError(`A line is a string, not ${typeof line}`);
    const { approve, signal } = options;
    const signals = [this.#disposal.signal, ...(signal ? [signal] : [])];
    const world = { handlers: this.#handlers, shell: this.#shell, env: this.#env, signals };
    const reading = executionOf(line, world);
    const read = reading instanceof Promise ? await reading : reading;
    if (signal?.aborted) return this.#notRun(read, 'cancelled');
    const asked = this.#permission.ask(read, approve, signal);
    const decision = asked instanceof Promise ? await asked : asked;
    if (decision === 'cancelled' || 'denied' in decision) return this.#notRun(read, decision);
    const end = this.#permission.begin(approve);
    try {
      return await this.#routeNow(decision, options);
    } finally {
      end?.();
    }
  }

  #notRun({ type }: Execution, decision: { denied: string } | 'cancelled'): RouteResult {
    const isCancelled = decision === 'cancelled';
    if (isCancelled && this.#disposal.signal.aborted) throw new Error('The router is disposed');
    const exitCode = isCancelled ? EXIT.cancelled : EXIT.denied;
    this.#shell.lastExitCode = exitCode;
    const stderr = isCancelled
      ? 'agent-shell: cancelled before it began\n'
      : `Command execution denied: ${decision.denied}\n`;
    return { type, stdout: '', stderr, exitCode };
  }

  async #routeNow(execution: Execution, options: RouteOptions): Promise<RouteResult> {
    const { type, text } = execution;
    if (this.#options.panel) this.panel?.commandStarted();
    this.#guide?.commandStarted(text, type);
    const isLimited = options.timeoutMs !== undefined || options.signal !== undefined;
    this.#ownLimit = isLimited ? new LineTime(options) : undefined;
    const limit = this.#ownLimit ?? this.#limit;
    let result: CommandResult;
    try {
      result = await this.#run(execution, options, limit);
      if (execution.call) this.#shell.lastExitCode = result.exitCode;
    } finally {
      this.#ownLimit?.disarm();
    }
    const due = this.#guide?.commandEnded(result.exitCode) ?? [];
    const news = this.#guide?.news();
    const reminders = news ? [...due, ...(await news)] : due;
    const { stdout, stderr, exitCode } = result;
    if (reminders.length === 0) return { type, stdout, stderr, exitCode };
    if ((options.reminders ?? this.#options.reminders ?? 'field') === 'field')
      return { type, stdout, stderr, exitCode, reminders };
    return { type, stdout, stderr: `${reminders.join('\n')}\n${stderr}`, exitCode };
  }

  #run(execution: Execution, options: RouteOptions, limit: LineTime): Promise<CommandResult> {
    const { call, caller = this.#env } = execution;
    if (call === undefined) return this.#runInBash(execution, options, limit);
    const env = this.#session ? callerVariables(caller) : othersVariables(caller, process.env);
    return callDirectly(call, env, options, limit);
  }

  async #runInBash(
    { text, isMended }: Execution,
    options: RouteOptions,
    limit: LineTime,
  ): Promise<CommandResult> {
    const result = await this.#shell.run(text, options);
    if (isMended) return { ...result, stderr: result.stderr + noteLines([QUOTES_BROKE]) };
    const isDone = result.exitCode === 0 || limit.reached;
    const hint = isDone ? '' : await heredocHint(text, this.#handlers, findBash(this.#env));
    // Looking for bash takes as long as a short line.
    this.#notFound ??= notFoundText(findBash(this.#env), this.#env);
    const notFound = await this.#notFound;
    const stderr = withNearNames(text, result, [...this.#handlers.keys()], notFound);
    return { ...result, stderr: stderr + hint };
  }
}

/** The settings of each call; a `.env` file is looked for in `cwd`, or where the program is then. */
function settingsInMemory(env: Environment, cwd: string | undefined): SettingsSource {
  return settingsOfCalls(env, () => cwd ?? process.cwd(), true);
}
