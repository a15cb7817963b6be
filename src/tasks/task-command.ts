import type {
  AgentBashHandler,
  CommandResult,
  Invocation,
  JsonSchema,
} from '../command/agent-command.ts';
import type { OptionTable, ParsedOptions } from '../command/options.ts';
import { type CommandForm, perform } from '../command/perform.ts';
import { noteLines } from '../command/replies.ts';
import { objectJson } from '../json/fields.ts';
import { Evidence } from '../proof/proof.ts';
import type { Settings } from '../settings/settings.ts';
import { damageNote } from '../state/place.ts';
import { releaseBegunIn } from './claims.ts';
import { askHook, type HookSurroundings } from './hooks.ts';
import type { TaskGraph } from './task.ts';
import { callerOf, newsFor, renew, settingsOf, type TaskContext } from './task-context.ts';
import {
  type GivenOptions,
  optionsOf,
  readRequest,
  type TaskCall,
  type TaskForm,
} from './task-form.ts';

/** For a list without an intact version. */
const REPAIR = 'no older version is intact: restore a backup, or delete the list';
const NOTHING_AROUND: HookSurroundings = { environment: {}, cwd: '/' };

/**
 * A command on a team's shared list of tasks.
 *
 * Exit code 0: done. 1: refused, with all reasons on stderr and nothing changed. 2: wrong usage. 3: the list cannot be read
 * or saved.
 */
export class TaskCommand<Request> implements AgentBashHandler {
  readonly name: string;
  readonly summary: string;
  readonly jsonExample: string;
  readonly readsRawJson = true;
  readonly isReadOnly: boolean;
  /** A change that finds a newer version is computed again. */
  readonly isConcurrencySafe = true;
  readonly #form: TaskForm<Request>;
  readonly #common: CommandForm<OptionTable, Settings>;
  readonly #context: TaskContext;

  constructor(form: TaskForm<Request>, context: TaskContext) {
    this.name = form.name;
    this.summary = form.summary;
    this.jsonExample = form.example;
    this.isReadOnly = form.isReadOnly ?? false;
    this.#form = form;
    const { usage, purpose, helpPage } = form;
    const options = optionsOf(form);
    this.#common = { usage, purpose, repair: REPAIR, helpPage: () => helpPage, options };
    this.#context = context;
  }

  get inputSchema(): JsonSchema {
    const { fields, summary } = this.#form;
    const schema = objectJson(fields, settingsOf(this.#context).settings);
    const isEmpty = Object.keys(fields).length === 0;
    return isEmpty ? { ...schema, description: `Takes no input; ${summary}` } : schema;
  }

  execute(invocation: Invocation): Promise<CommandResult> {
    const read = () => settingsOf(this.#context, invocation);
    return perform(this.#common, invocation.argv, read, (parsed, settings) =>
      this.#run(invocation, settings, parsed),
    );
  }

  async #run(
    invocation: Invocation,
    settings: Settings,
    parsed: ParsedOptions<OptionTable>,
  ): Promise<CommandResult> {
    const input = await readRequest(this.#form, invocation, settings, parsed);
    if ('refused' in input) return input.refused;
    // A union of tables; options of all commands have the types that they have there.
    const options = ('options' in parsed ? parsed.options : {}) as GivenOptions;
    const call = this.#callOf(invocation, settings, options);
    const { store, agent } = call;
    const result = call.evidence.told(await this.#form.run(input.value, call));
    const { session } = invocation;
    if (session && settings.releaseAtExit !== false) {
      const released = (graph: TaskGraph, at: string) => releaseBegunIn(graph, session.id, at);
      session.atEnd(store, () => store.change(released, undefined, agent));
    }
    // The change is made even if the news fails.
    const news = settings.guidance === 'off' ? [] : await newsFor(agent, store).catch(() => []);
    await renew(agent, store).catch(() => {});
    const damage = damageNote(store.seen);
    const notes = noteLines(damage === undefined ? news : [damage, ...news]);
    return { ...result, stderr: noteLines(input.notes) + result.stderr + notes };
  }

  #callOf(invocation: Invocation, settings: Settings, options: GivenOptions): TaskCall {
    const { '--list': list, '--agent': named, '--check-busy': checkBusy = false } = options;
    const { around, forPeople, session, open } = this.#context;
    // A caller may name itself even if the host's settings ignore callers.
    const said = invocation.env?.TODO_AGENT || settings.agent;
    const who = this.#form.isAboutAgent ? said : (named ?? said);
    const agent = callerOf(this.#context, { agent: who });
    const store = open(list, { ...settings, agent });
    const isOwn = list === undefined && settings.taskList === undefined;
    return {
      store,
      agent,
      change: (plan, approve) => store.change(plan, approve, agent),
      claimant: (graph) => who ?? nameOfOnly(agent, isOwn, graph),
      rules: {
        checkBusy: settings.oneTaskPerAgent || checkBusy === true,
        clock: store.clock,
        leaseMs: settings.leaseMs,
        session: invocation.session?.id ?? session,
      },
      settings,
      options,
      evidence: new Evidence(invocation, { by: agent, timeout: settings.proofTimeout, around }),
      approve: this.#approver(agent, settings.hooksDir),
      forPeople,
    };
  }

  /** A change that is recomputed after another one is approved again only if it differs. */
  #approver(agent: string, directory: string | undefined): TaskCall['approve'] {
    const passed = new Set<string>();
    return async (name, tasks) => {
      const question = JSON.stringify([name, tasks.map((task) => ({ ...task, ...NO_TIMES }))]);
      if (passed.has(question)) return undefined;
      const { around = NOTHING_AROUND } = this.#context;
      const reason = await askHook(name, { agent, tasks }, directory, around);
      if (reason === undefined) passed.add(question);
      return reason;
    };
  }
}

const NO_TIMES = { createdAt: '', updatedAt: '' };

/**
 * The agent's name if it needs none of its own: on its own list, which no other agent uses, or with the id of its harness's
 * session.
 */
function nameOfOnly(agent: string, isOwn: boolean, { tasks }: TaskGraph): string | undefined {
  if (agent.includes('@')) return agent;
  const isOther = (name: string | undefined) => name !== undefined && name !== agent;
  const isShared = [...tasks.values()].some(
    ({ owner, createdBy }) => isOther(owner) || isOther(createdBy),
  );
  return isOwn && !isShared ? agent : undefined;
}
