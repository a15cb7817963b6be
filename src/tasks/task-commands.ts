import type { AgentBashHandler, CommandResult, Invocation } from '../base/command/agent-command.ts';
import { type OptionTable, type ParsedOptions, wrongUsage } from '../base/command/options.ts';
import { perform } from '../base/command/perform.ts';
import { noteLines, refusal } from '../base/command/replies.ts';
import { mustHave } from '../base/given.ts';
import { objectJson } from '../base/json/fields.ts';
import { PROVERS } from '../base/proof/proof.ts';
import type { Settings } from '../base/settings/settings.ts';
import { releaseSession } from './claims.ts';
import { TASK_ARCHIVE } from './task-archive.ts';
import { hooksWarnings, TaskCall, type TaskOptions } from './task-call.ts';
import { TASK_CLAIM, TASK_RELEASE } from './task-claim.ts';
import { settingsOf, type TaskContext } from './task-context.ts';
import { TASK_CREATE } from './task-create.ts';
import { type Misuse, optionsOf, type Refusal, readRequest, type TaskForm } from './task-form.ts';
import { TASK_GET, TASK_INBOX, TASK_LIST } from './task-list.ts';
import { reasonLines } from './task-text.ts';
import { TASK_UNDO } from './task-undo.ts';
import { TASK_PROVE, TASK_UPDATE } from './task-update.ts';

/** The commands on a team's tasks. A new one is one line here. */
export const TASK_FORMS: readonly TaskForm<unknown>[] = [
  TASK_CREATE,
  TASK_UPDATE,
  TASK_LIST,
  TASK_GET,
  TASK_CLAIM,
  TASK_PROVE,
  TASK_RELEASE,
  TASK_INBOX,
  TASK_UNDO,
  TASK_ARCHIVE,
];

/** Those whose `--agent` does not name the caller. */
const ABOUT_AGENT = TASK_FORMS.filter(({ isAboutAgent }) => isAboutAgent);

/** The commands, on the lists of `context`. */
export function taskCommands(context: TaskContext): AgentBashHandler[] {
  mustHave('taskCommands', context, 'open');
  return TASK_FORMS.map((form) => taskCommand(form, context));
}

/** For a list without an intact version. */
const TASKS_REPAIR = 'no older version is intact: restore a backup, or delete the list';

/**
 * A command on a team's shared list of tasks.
 *
 * Exit code 0: done. 1: refused, with all reasons on stderr and nothing changed. 2: wrong usage. 3: the list cannot be read
 * or saved.
 */
export function taskCommand(form: TaskForm<unknown>, context: TaskContext): AgentBashHandler {
  const { name, summary, usage, purpose, helpPage, fields, isReadOnly = false } = form;
  const common = {
    usage,
    purpose,
    repair: TASKS_REPAIR,
    helpPage,
    options: optionsOf(form),
    ofCaller: (advice: string) =>
      ABOUT_AGENT.some((one) => one === form || advice.includes(one.name))
        ? ['--list']
        : ['--list', '--agent'],
  };
  const settings = settingsOf(context);
  const read = (call: Invocation) => {
    const { settings: ofCall, warnings } = settings(call);
    return { settings: ofCall, warnings: [...warnings, ...hooksWarnings(context, ofCall)] };
  };
  return {
    name,
    summary,
    jsonExample: form.example,
    // A call that runs checks is read as bash reads it.
    readsRawJson: !PROVERS.has(name),
    isReadOnly,
    // A change that finds a newer version is computed again.
    isConcurrencySafe: true,
    get inputSchema() {
      const schema = objectJson(fields, settings().settings);
      const isEmpty = Object.keys(fields).length === 0;
      return isEmpty ? { ...schema, description: `Takes no input; ${summary}` } : schema;
    },
    execute: (invocation) =>
      perform(common, invocation, read, (parsed, ofCall, call) =>
        runForm(form, context, call, ofCall, parsed),
      ),
  };
}

async function runForm(
  form: TaskForm<unknown>,
  context: TaskContext,
  invocation: Invocation,
  settings: Settings,
  parsed: ParsedOptions<OptionTable>,
): Promise<CommandResult> {
  const input = await readRequest(form, invocation, settings, parsed);
  if ('refused' in input) return input.refused;
  // TypeScript does not know the options of one command among ten.
  const options = ('options' in parsed ? parsed.options : {}) as TaskOptions;
  const call = new TaskCall(context, invocation, settings, options, form.isAboutAgent);
  const { store, agent } = call;
  const reply = resultOf(form, await form.run(input.value, call));
  const { stdout, stderr, exitCode } = call.checks.told(reply);
  const { session } = invocation;
  if (session && settings.releaseAtExit !== false) {
    session.atEnd(store, () => store.change(releaseSession(session.id), undefined, agent));
  }
  // The change is made even if the news fails.
  const news = await call.news().catch(() => []);
  const notes = noteLines([store.seen.damage, ...news]);
  return { stdout, stderr: noteLines(input.notes) + stderr + notes, exitCode };
}

function resultOf(
  { purpose, usage }: TaskForm<unknown>,
  reply: CommandResult | Refusal | Misuse,
): CommandResult {
  if ('misuse' in reply) return wrongUsage(reply.misuse, `Usage: ${usage}\n`);
  if (!('refused' in reply)) return reply;
  const { title = `Cannot ${purpose}`, refused, closing } = reply;
  return refusal(title, { ...reasonLines(refused), closing });
}
