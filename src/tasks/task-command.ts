import type {
  AgentBashHandler,
  CommandResult,
  Invocation,
  JsonSchema,
} from '../command/agent-command.ts';
import { noteLines, withWarnings } from '../command/notes.ts';
import { withStorageTrouble } from '../command/storage-trouble.ts';
import { Evidence } from '../proof/proof.ts';
import { readSettings, type Settings, type SettingsReading } from '../settings/settings.ts';
import { DEFAULT_AGENT } from '../state/place.ts';
import { askHook, type HookChange, type HookName } from './hooks.ts';
import { machineClock } from './lease-clock.ts';
import { newsFor, renew } from './news.ts';
import type { Reason } from './reasons.ts';
import { releaseBegunIn } from './release-tasks.ts';
import type { TaskGraph } from './task.ts';
import type { TaskContext } from './task-context.ts';
import type { TaskCall, TaskForm } from './task-form.ts';
import { readRequest } from './task-input.ts';
import { taskInputSchema } from './task-input-schema.ts';

/** The settings that hold for a caller, or for the host itself. */
export function settingsOf(
  { settings }: Pick<TaskContext, 'settings'>,
  caller?: Invocation,
): SettingsReading {
  return settings ? settings(caller) : readSettings(caller?.env ?? {}, undefined);
}

const NOTHING_AROUND = () => ({ environment: {}, cwd: '/' });
const ownClock = machineClock();

/**
 * A command on the list of tasks that a team shares.
 *
 * Exit code 0: done; stdout says what. 1: refused, with all reasons on stderr; nothing is changed. 2: wrong usage. 3:
 * the list cannot be read or saved.
 */
export class TaskCommand<Request> implements AgentBashHandler {
  readonly name: string;
  readonly summary: string;
  readonly jsonExample: string;
  readonly readsRawJson = true;
  readonly isReadOnly: boolean;
  /** A change that finds the list changed is made again on what it finds. */
  readonly isConcurrencySafe = true;
  readonly #form: TaskForm<Request>;
  readonly #context: Required<Pick<TaskContext, 'hooks' | 'unnamedAgent' | 'clock'>> & TaskContext;
  readonly #around: TaskContext['hooks'];

  constructor(form: TaskForm<Request>, context: TaskContext) {
    this.name = form.name;
    this.summary = form.summary;
    this.jsonExample = form.example;
    this.isReadOnly = form.isReadOnly ?? false;
    this.#form = form;
    this.#around = context.hooks;
    this.#context = {
      hooks: NOTHING_AROUND,
      unnamedAgent: DEFAULT_AGENT,
      clock: () => ownClock,
      ...context,
    };
  }

  get inputSchema(): JsonSchema {
    return taskInputSchema(this.#form);
  }

  async execute(invocation: Invocation): Promise<CommandResult> {
    const { settings, warnings } = settingsOf(this.#context, invocation);
    const result = await withStorageTrouble(`Cannot ${this.#form.purpose}`, () =>
      this.#run(invocation, settings),
    );
    return withWarnings(result, warnings);
  }

  async #run(invocation: Invocation, settings: Settings): Promise<CommandResult> {
    const input = await readRequest(this.#form, invocation, settings);
    if ('refused' in input) return input.refused;
    const { request, options, flags, notes } = input;
    const { '--list': list, '--agent': named } = options;
    // Even if a host's settings do not follow its callers, a caller may say who it is.
    const said = invocation.env?.TODO_AGENT || settings.agent;
    const who = this.#form.isAboutAgent ? said : (named ?? said);
    const agent = who ?? this.#context.unnamedAgent;
    const store = this.#context.open(list, { ...settings, agent });
    const clock = this.#context.clock(list, settings);
    const isOwn = list === undefined && settings.taskList === undefined;
    const call: TaskCall = {
      store,
      agent,
      claimant: (graph) => who ?? nameOfOnly(agent, isOwn, graph),
      namedAgent: named,
      clock,
      leaseMs: settings.leaseMs,
      session: invocation.session?.id ?? this.#context.session,
      oneTaskPerAgent: settings.oneTaskPerAgent,
      requireProof: settings.requireProof,
      evidence: new Evidence(invocation, {
        by: agent,
        timeout: settings.proofTimeout,
        around: this.#around?.(),
      }),
      flags,
      format: options['--format'],
      forPeople: this.#context.forPeople,
      change: (plan, approve) => {
        const planIfSame: typeof plan = (graph, at) => {
          const reason = this.#context.objection?.(graph);
          return reason ? { refused: [reason] } : plan(graph, at);
        };
        return store.change(planIfSame, approve, agent);
      },
      approve: this.#approver(agent, settings.hooksDir),
    };
    const result = call.evidence.told(await this.#form.run(request, call));
    const { session } = invocation;
    if (session && settings.releaseAtExit !== false) {
      const released = (graph: TaskGraph, at: string) => releaseBegunIn(graph, session.id, at);
      session.atEnd(store, () => store.change(released, undefined, agent));
    }
    // The change is made, whether or not there is any news.
    const news = settings.guidance === 'off' ? [] : await newsFor(agent, store).catch(() => []);
    await renew(agent, store, clock).catch(() => {});
    return { ...result, stderr: noteLines(notes) + result.stderr + noteLines(news) };
  }

  /** A change that is recomputed because another came in between is approved again only if it differs. */
  #approver(agent: string, directory: string | undefined): TaskCall['approve'] {
    const passed = new Set<string>();
    return async (name: HookName, { tasks }: HookChange): Promise<Reason | undefined> => {
      const question = JSON.stringify([name, tasks.map((task) => ({ ...task, ...NO_TIMES }))]);
      if (passed.has(question)) return undefined;
      const reason = await askHook(name, { agent, tasks }, { ...this.#context.hooks(), directory });
      if (reason === undefined) passed.add(question);
      return reason;
    };
  }
}

const NO_TIMES = { createdAt: '', updatedAt: '' };

/**
 * The name of an agent that did not say it but needs none: on its own list, which no other agent uses. An agent with
 * the id of its harness's session never needs one.
 */
function nameOfOnly(agent: string, isOwn: boolean, { tasks }: TaskGraph): string | undefined {
  if (agent.includes('@')) return agent;
  const isOther = (name: string | undefined) => name !== undefined && name !== agent;
  const isShared = [...tasks.values()].some(
    ({ owner, createdBy }) => isOther(owner) || isOther(createdBy),
  );
  return isOwn && !isShared ? agent : undefined;
}
