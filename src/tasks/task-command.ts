import type { AgentBashHandler, CommandResult, Invocation } from '../command/agent-command.ts';
import { withStorageTrouble } from '../command/storage-trouble.ts';
import { readSettings, type Settings, type SettingsSource } from '../settings.ts';
import { askHook, type HookChange, type HookName, type HookOptions } from './hooks.ts';
import type { Reason } from './refused.ts';
import type { TaskCall, TaskForm } from './task-form.ts';
import { readRequest } from './task-input.ts';
import type { TaskStore } from './task-store.ts';

/** What the task commands work with. */
export interface TaskContext {
  /** Opens a list by its name; without one, the list that the settings of the call mean. */
  readonly open: (list: string | undefined, settings: Settings) => TaskStore;
  /** Asked at each call, so that a change counts at once. Without it: the caller's names, and defaults for all else. */
  readonly settings?: SettingsSource;
  /** What hooks find around them: an empty environment, and `/`, unless given. */
  readonly hooks?: () => Omit<HookOptions, 'directory'>;
}

const DEFAULTS_FOR: SettingsSource = (call) => readSettings(call?.env ?? {}, undefined);
const NOTHING_AROUND = () => ({ environment: {}, cwd: '/' });

/**
 * A command on the list of tasks that a team shares.
 *
 * Exit code 0: done; stdout says what. 1: refused, with all reasons on stderr, and nothing is changed. 2: the options
 * are not understood. 3: the list cannot be read or saved.
 */
export class TaskCommand<Request> implements AgentBashHandler {
  readonly name: string;
  readonly summary: string;
  readonly jsonExample: string;
  readonly readsRawJson = true;
  readonly #form: TaskForm<Request>;
  readonly #context: Required<TaskContext>;

  constructor(form: TaskForm<Request>, context: TaskContext) {
    this.name = form.name;
    this.summary = form.summary;
    this.jsonExample = form.example;
    this.#form = form;
    this.#context = { settings: DEFAULTS_FOR, hooks: NOTHING_AROUND, ...context };
  }

  async execute(invocation: Invocation): Promise<CommandResult> {
    const { settings, warnings } = this.#context.settings(invocation);
    const result = await withStorageTrouble(`Cannot ${this.#form.purpose}`, () =>
      this.#run(invocation, settings),
    );
    return { ...result, stderr: result.stderr + warnings.map((line) => `${line}\n`).join('') };
  }

  async #run(invocation: Invocation, settings: Settings): Promise<CommandResult> {
    const input = await readRequest(this.#form, invocation, settings);
    if ('refused' in input) return input.refused;
    const { request, options, flags, notes } = input;
    const { '--list': list, '--agent': named } = options;
    // A host whose settings do not follow its callers may still be told by one who it is.
    const agent = named ?? settings.agent ?? (invocation.env?.TODO_AGENT || undefined);
    const call: TaskCall = {
      store: this.#context.open(list, settings),
      agent,
      isAgentGiven: named !== undefined,
      oneTaskPerAgent: settings.oneTaskPerAgent,
      flags,
      approve: this.#approver(agent, settings.hooksDir),
    };
    const result = await this.#form.run(request, call);
    return { ...result, stderr: notes.map((note) => `Note: ${note}\n`).join('') + result.stderr };
  }

  /** A change that is computed again since another came in between is not asked for again, unless it is another one. */
  #approver(agent: string | undefined, directory: string | undefined): TaskCall['approve'] {
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
