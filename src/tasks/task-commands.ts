import type {
  AgentBashHandler,
  CommandResult,
  Invocation,
  JsonSchema,
} from '../command/agent-command.ts';
import type { OptionTable, ParsedOptions } from '../command/options.ts';
import { type CommandForm, perform } from '../command/perform.ts';
import { noteLines, refusal } from '../command/replies.ts';
import { objectJson } from '../json/fields.ts';
import type { Settings } from '../settings/settings.ts';
import { damageNote } from '../state/place.ts';
import { releaseBegunIn } from './claims.ts';
import type { TaskGraph } from './task.ts';
import { TASK_ARCHIVE } from './task-archive.ts';
import { type GivenOptions, TaskCall } from './task-call.ts';
import { TASK_CLAIM, TASK_RELEASE } from './task-claim.ts';
import { attend, settingsOf, type TaskContext } from './task-context.ts';
import { TASK_CREATE } from './task-create.ts';
import { optionsOf, readRequest, type TaskForm } from './task-form.ts';
import { TASK_GET, TASK_INBOX, TASK_LIST } from './task-list.ts';
import { reasonLines } from './task-text.ts';
import { TASK_UNDO } from './task-undo.ts';
import { TASK_UPDATE } from './task-update.ts';

/** The commands on a team's tasks. A new one is one line here. */
export const TASK_FORMS: readonly TaskForm<unknown>[] = [
  TASK_CREATE,
  TASK_UPDATE,
  TASK_LIST,
  TASK_GET,
  TASK_CLAIM,
  TASK_RELEASE,
  TASK_INBOX,
  TASK_UNDO,
  TASK_ARCHIVE,
];

/** The commands, on the lists of `context`. */
export function taskCommands(context: TaskContext): AgentBashHandler[] {
  return TASK_FORMS.map((form) => new TaskCommand(form, context));
}

/** For a list without an intact version. */
const REPAIR = 'no older version is intact: restore a backup, or delete the list';

/**
 * A command on a team's shared list of tasks.
 *
 * Exit code 0: done. 1: refused, with all reasons on stderr and nothing changed. 2: wrong usage. 3: the list cannot be read
 * or saved.
 */
export class TaskCommand implements AgentBashHandler {
  readonly name: string;
  readonly summary: string;
  readonly jsonExample: string;
  readonly readsRawJson = true;
  readonly isReadOnly: boolean;
  /** A change that finds a newer version is computed again. */
  readonly isConcurrencySafe = true;
  readonly #form: TaskForm<unknown>;
  readonly #common: CommandForm<OptionTable>;
  readonly #context: TaskContext;

  constructor(form: TaskForm<unknown>, context: TaskContext) {
    this.name = form.name;
    this.summary = form.summary;
    this.jsonExample = form.example;
    this.isReadOnly = form.isReadOnly ?? false;
    this.#form = form;
    const { usage, purpose, helpPage } = form;
    const options = optionsOf(form);
    this.#common = { usage, purpose, repair: REPAIR, helpPage, options };
    this.#context = context;
  }

  get inputSchema(): JsonSchema {
    const { fields, summary } = this.#form;
    const schema = objectJson(fields, settingsOf(this.#context).settings);
    const isEmpty = Object.keys(fields).length === 0;
    return isEmpty ? { ...schema, description: `Takes no input; ${summary}` } : schema;
  }

  execute(invocation: Invocation): Promise<CommandResult> {
    const reading = () => settingsOf(this.#context, invocation);
    return perform(this.#common, invocation.argv, reading, (parsed, settings) =>
      this.#run(invocation, settings, parsed),
    );
  }

  async #run(
    invocation: Invocation,
    settings: Settings,
    parsed: ParsedOptions<OptionTable>,
  ): Promise<CommandResult> {
    const form = this.#form;
    const input = await readRequest(form, invocation, settings, parsed);
    if ('refused' in input) return input.refused;
    // A union of tables; options of all commands have the types that they have there.
    const options = ('options' in parsed ? parsed.options : {}) as GivenOptions;
    const call = new TaskCall(this.#context, invocation, settings, options, form.isAboutAgent);
    const { store, agent } = call;
    const reply = await form.run(input.value, call);
    const { stdout, stderr, exitCode } = call.told(
      'refused' in reply
        ? refusal(reply.title ?? `Cannot ${form.purpose}`, {
            ...reasonLines(reply.refused),
            closing: reply.closing,
          })
        : reply,
    );
    const { session } = invocation;
    if (session && settings.releaseAtExit !== false) {
      const released = (graph: TaskGraph, at: string) => releaseBegunIn(graph, session.id, at);
      session.atEnd(store, () => store.change(released, undefined, agent));
    }
    // The change is made even if the news fails.
    const news = await attend(agent, store, settings.guidance !== 'off').catch(() => []);
    const damage = damageNote(store.seen);
    const notes = noteLines(damage === undefined ? news : [damage, ...news]);
    return { stdout, stderr: noteLines(input.notes) + stderr + notes, exitCode };
  }
}
