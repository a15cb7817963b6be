import {
  type AgentBashHandler,
  type CommandResult,
  done,
  type Invocation,
} from '../base/command/agent-command.ts';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  HELP_OPTIONS,
  type Options,
  unexpectedArgument,
  wrongUsage,
} from '../base/command/options.ts';
import { perform } from '../base/command/perform.ts';
import { noteLines, refusal } from '../base/command/replies.ts';
import type { SettingsSource } from '../base/settings/settings.ts';
import { historyText, LIST_EXPORTS, listLine, listText, notKept } from './list-text.ts';
import helpPage from './todo-read.md';
import { LIST_FORM, LIST_OPTIONS, TodoCommand, type TodoSource } from './todo-source.ts';
import type { TodoList } from './todo-store.ts';
import { leftBehindNotes, type TodoVersion } from './todo-version.ts';
import { notesOf, takeUserChanges, unreadChanges } from './user-changes.ts';

/** For errors: most wrong calls mean this one. */
const READ_USAGE = 'Usage: TodoRead [--json]\n';
export const READ_OPTIONS = {
  '--json': 'flag',
  '--line': 'flag',
  '--at': 'version',
  '--history': 'flag',
  '--format': EXPORT_FORMATS,
  ...LIST_OPTIONS,
  ...HELP_OPTIONS,
} as const;

const READ_FORM = {
  options: READ_OPTIONS,
  usage: 'TodoRead [--json | --line | --format md] [--at VERSION | --history]',
  purpose: 'read the list',
  ...LIST_FORM,
  helpPage,
};

type ReadOptions = Options<typeof READ_OPTIONS>;

/** Undefined: text for a model. */
type Form = ExportFormat | 'line' | undefined;

/** Prints a list for a person: the shown version and those before it, newest first. */
type ForPeople = (versions: readonly TodoVersion[]) => string | Promise<string>;

/** `TodoRead`: shows the list, for a model or, with `--json`, for a program. Notes a person's changes on stderr, once. */
export class TodoReadHandler extends TodoCommand implements AgentBashHandler {
  readonly name = 'TodoRead';
  readonly summary = 'shows your task list';
  readonly inputSchema = {
    type: 'object',
    description: 'Takes no input; shows your task list',
    properties: {},
    additionalProperties: false,
  };
  readonly isReadOnly = true;
  readonly isConcurrencySafe = true;
  readonly #forPeople: ForPeople | undefined;

  constructor(source?: TodoSource, settings?: SettingsSource, forPeople?: ForPeople) {
    super(source, settings);
    this.#forPeople = forPeople;
  }

  /**
   * Exit code 0; 1 for a version that is not kept, or an unknown word; 2 for an unknown or misused option; 3 if the list
   * cannot be read, with the file on stderr.
   */
  execute(call: Pick<Invocation, 'argv' | 'env'>): Promise<CommandResult> {
    const read = () => {
      const { settings, ofFolder = [] } = this.settings(call);
      return { settings, warnings: ofFolder };
    };
    return perform(READ_FORM, call, read, async (parsed, settings) => {
      if ('problem' in parsed) {
        const call = parsed.unknown === '--prove' ? '. Try: TodoProve' : '';
        return wrongUsage(parsed.problem + call, READ_USAGE);
      }
      const { options, rest } = parsed;
      // Hosts write a tool call without input as `{}`.
      if (rest[0] !== undefined && !(rest.length === 1 && /^\s*\{\s*\}\s*$/.test(rest[0]))) {
        return refusal(unexpectedArgument(rest[0], READ_FORM.options), undefined, READ_USAGE);
      }
      const list = await this.open(options, settings, call);
      return 'problem' in list
        ? wrongUsage(list.problem, READ_USAGE)
        : readList(list, options, this.#forPeople);
    });
  }
}

async function readList(
  list: TodoList,
  options: ReadOptions,
  forPeople: ForPeople | undefined,
): Promise<CommandResult> {
  // 1. What is asked for.
  const { '--json': asJson, '--line': asLine, '--format': format, '--at': at } = options;
  if ([asJson, asLine, format].filter(Boolean).length > 1) {
    return wrongUsage('--json, --line and --format cannot be combined', READ_USAGE);
  }
  const form: Form = asJson ? 'json' : asLine ? 'line' : format;
  // 2. The history, an older version, or the newest one for a person.
  if (options['--history']) {
    if (form !== undefined || at !== undefined) {
      return wrongUsage('--history takes neither --json, --line, --format nor --at', READ_USAGE);
    }
    const versions = await list.history();
    return done(historyText(versions, forPeople !== undefined), noteLines([versions[0]?.damage]));
  }
  const print = form === undefined ? forPeople : undefined;
  if (at !== undefined) return readVersion(list, at, form, print);
  if (print) return readByPerson(list, print);
  // 3. The newest version. A status line asks all the time, and no agent reads it.
  if (asLine) return done(listForm(await list.read(), form));
  const found = await list.read();
  const ofUser = await takeUserChanges(list, found);
  const newest = ofUser.length > 0 ? await list.read() : found;
  const notes = [...ofUser, ...(await leftBehindNotes(list, newest)), newest.damage];
  return done(listForm(newest, form), noteLines(notes));
}

async function readVersion(
  list: TodoList,
  at: number,
  form: Form,
  print: ForPeople | undefined,
): Promise<CommandResult> {
  const kept = await list.history();
  const index = kept.findIndex(({ version }) => version === at);
  const version = kept[index];
  if (version === undefined) return notKept(at, kept);
  const text = print ? await print(kept.slice(index)) : listForm(version, form);
  return done(text, noteLines([index === 0 ? version.damage : undefined]));
}

/** Notes for the agent stay unread. */
async function readByPerson(list: TodoList, forPeople: ForPeople): Promise<CommandResult> {
  const unread = await unreadChanges(list);
  const notes = unread ? notesOf(unread) : [];
  const versions = await list.history();
  return done(await forPeople(versions), noteLines([...notes, versions[0]?.damage]));
}

function listForm(version: TodoVersion, form: Form): string {
  if (form === 'line') return listLine(version.items);
  return form ? LIST_EXPORTS[form](version) : listText(version.items);
}
