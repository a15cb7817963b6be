import type { AgentBashHandler, CommandResult, Invocation } from '../command/agent-command.ts';
import {
  HELP_OPTIONS,
  helpReply,
  type Options,
  parseOptions,
  wrongUsage,
} from '../command/options.ts';
import { refusal } from '../command/refusal.ts';
import { withStorageTrouble } from '../command/storage-trouble.ts';
import { type JsonForm, orAsTyped, readJsonInput } from '../json/json-input.ts';
import { safeText } from '../safe-text.ts';
import { DEFAULT_SETTINGS, type Settings, type SettingsSource } from '../settings.ts';
import { listJson, listText } from './list-text.ts';
import { checkTodoInput, type GivenList } from './todo-input.ts';
import type { TodoList } from './todo-list.ts';
import { LIST_OPTIONS, openSource, type TodoSource } from './todo-source.ts';
import { TodoStore, type TodoVersion, todoStore } from './todo-store.ts';
import helpPage from './todo-write.md';
import { notesOf, sign, undoesUser, unheardChanges } from './user-changes.ts';
import { movedOn } from './version-texts.ts';
import { wrongWord } from './wrong-word.ts';

const SHORT_USAGE = `Usage: TodoWrite '{"todos":[...]}'\n`;
const EXAMPLE = '{"todos":[{"content":"...","activeForm":"...","status":"pending"}]}';
const USAGE = `Usage: TodoWrite '${EXAMPLE}'\n`;
const OPTIONS = {
  '--if-version': 'version',
  '--undo': 'flag',
  '--until-done': 'flag',
  '--output': ['summary', 'list', 'json'],
  ...LIST_OPTIONS,
  ...HELP_OPTIONS,
  '--todos': { instead: `TodoWrite '{"todos":[...]}'` },
  '--file': { instead: 'TodoWrite < FILE' },
  '--list': { instead: 'TodoRead' },
  '--json': { instead: 'TodoRead --json' },
  '--history': { instead: 'TodoRead --history' },
  '--clear': { instead: `TodoWrite '{"todos":[]}'` },
} as const;

type WriteOptions = Options<typeof OPTIONS>;

/** Takes note that an agent should not stop before its list is done, from the version on that is about to be written. */
type UntilDone = (list: TodoList, version: number) => void;

const NOTHING: { options: WriteOptions; rest: readonly string[] } = { options: {}, rest: [] };

/**
 * `TodoWrite`: replaces the whole list by the one that is given as JSON, in one argument or on standard input.
 *
 * Exit code 0: the list is replaced; stdout is the one line that counts its items, or with `--output` the whole list.
 * Exit code 1: stderr says what is wrong, in at most 4 KB, and the list is untouched; so it is with 2, for arguments
 * that are not understood, and 3, where the list cannot be read or saved, and stderr names the file. What else there is
 * to say is on stderr, a line each: `Note: ...` for a slip that was forgiven, `Warning: ...` for an invalid setting.
 */
export class TodoWriteHandler implements AgentBashHandler {
  readonly name = 'TodoWrite';
  readonly summary = 'replaces your task list; repeat every item, the completed ones too';
  readonly readsRawJson = true;
  readonly jsonExample = EXAMPLE;
  readonly #source: TodoSource;
  readonly #settings: SettingsSource;
  readonly #untilDone: UntilDone | undefined;

  /**
   * @param settings Asked at each call, so that a change counts at once. Without it the defaults hold.
   * @param untilDone Called with `--until-done`, before the list is replaced. Without it there is no such option.
   */
  constructor(
    source: TodoSource = todoStore,
    settings: SettingsSource = () => ({ settings: DEFAULT_SETTINGS, warnings: [] }),
    untilDone?: UntilDone,
  ) {
    this.#source = source;
    this.#settings = settings;
    this.#untilDone = untilDone;
  }

  /** The list that is written where a call names no other one. */
  get list(): { get(): TodoVersion | undefined } {
    return {
      get: () => {
        // Asked before and after each line; a store of its own needs no settings to be found.
        if (this.#source instanceof TodoStore) return this.#source.get();
        const list = openSource(this.#source, {}, this.#settings().settings, undefined);
        return list instanceof Promise || 'problem' in list ? undefined : list.shown.get();
      },
    };
  }

  /** Never rejects. The words of a list whose quotes broke ask for nothing, though one of them be `--help`. */
  async execute(invocation: Invocation): Promise<CommandResult> {
    try {
      const { settings, warnings } = this.#settings(invocation);
      const result = await withStorageTrouble('Cannot update the list', () =>
        this.#execute(invocation, settings),
      );
      return { ...result, stderr: result.stderr + warnings.map((line) => `${line}\n`).join('') };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return refusal('Cannot update the list', { lines: [safeText(reason, 200)] });
    }
  }

  async #execute(invocation: Invocation, settings: Settings): Promise<CommandResult> {
    const { argv, stdin, raw = '' } = invocation;
    const form: JsonForm<GivenList> = {
      name: this.name,
      noun: 'list',
      example: EXAMPLE,
      usage: { missing: SHORT_USAGE, invalid: USAGE },
      check: (value) => checkTodoInput(value, settings),
    };
    const parsed = parseOptions(argv, OPTIONS);
    const { options, rest } = 'problem' in parsed ? NOTHING : parsed;
    const help = helpReply(options, USAGE, () => helpPageFor(settings));
    if (help) return help;
    const misused = 'problem' in parsed ? parsed.problem : wrongWord(rest);
    const list = await openSource(
      this.#source,
      options,
      settings,
      invocation.env && this.#settings,
    );
    if ('problem' in list) return wrongUsage(list.problem, USAGE);
    if (options['--until-done'] && this.#untilDone === undefined) {
      return wrongUsage('--until-done is for lists in files, where agent-shell hook reads it', '');
    }
    if (options['--undo']) return undo(list, options, rest);
    // What was typed begins with the options, and so is no list.
    const typed = rest.length < argv.length ? '' : raw;
    const input = misused
      ? orAsTyped(form, { argv, raw: typed }, { refused: wrongUsage(misused, '') })
      : await readJsonInput(form, { argv: rest, stdin, raw: typed });
    if ('refused' in input) return input.refused;
    if (options['--until-done']) this.#untilDone?.(list, (await list.read()).version + 1);
    return replace(list, options, input, settings);
  }
}

async function replace(
  list: TodoList,
  options: WriteOptions,
  { value: { items, version }, notes }: { value: GivenList; notes: readonly string[] },
  settings: Settings,
): Promise<CommandResult> {
  const expected = options['--if-version'] ?? version;
  if (version !== undefined && expected !== version) {
    return wrongUsage(`--if-version ${expected} contradicts "version":${version} in the JSON`, '');
  }
  const isFinished = items.length > 0 && items.every(({ status }) => status === 'completed');
  const how = { emptied: settings.clearWhenDone && isFinished };
  if (expected !== undefined) {
    const written = await list.updateIf(expected, items, how);
    return written ? updated(written, options, notes) : movedOn(await list.read(), expected);
  }
  for (;;) {
    const { version } = await list.read();
    const unheard = await unheardChanges(list);
    if (unheard?.changes.some((change) => change.isUndoneBy(items))) {
      const told = await sign(list, unheard.now);
      if (told) return undoesUser(unheard, told);
      continue;
    }
    const written = await list.updateIf(unheard?.now.version ?? version, items, how);
    if (written) return updated(written, options, [...notes, ...(unheard ? notesOf(unheard) : [])]);
  }
}

async function undo(
  list: TodoList,
  options: WriteOptions,
  rest: readonly string[],
): Promise<CommandResult> {
  if (options['--if-version'] !== undefined || options['--until-done'] || rest.length > 0) {
    return wrongUsage('--undo takes no list, no --if-version and no --until-done', USAGE);
  }
  const unheard = await unheardChanges(list);
  const told = unheard && (await sign(list, unheard.now));
  if (told) return undoesUser(unheard, told);
  const undone = await list.undo();
  if (undone === undefined) {
    return refusal('Nothing to undo', { lines: ['no list before this one is kept'] });
  }
  return updated(undone, options);
}

function updated(
  list: TodoVersion,
  { '--output': output = 'summary' }: WriteOptions,
  notes: readonly string[] = [],
): CommandResult {
  const { items, asWritten = items } = list;
  return {
    stdout: REPLIES[output]({ ...list, items: asWritten }),
    stderr: [...new Set(notes)].map((note) => `Note: ${note}\n`).join(''),
    exitCode: 0,
  };
}

/** What TodoWrite can print of the list that it has written. */
const REPLIES = {
  summary: ({ items }: TodoVersion) => summary(items),
  list: ({ items }: TodoVersion) => listText(items),
  json: (list: TodoVersion) => listJson(list),
};

function summary(items: TodoVersion['items']): string {
  let completed = 0;
  let inProgress = 0;
  for (const { status } of items) {
    if (status === 'completed') completed++;
    else if (status === 'in_progress') inProgress++;
  }
  const pending = items.length - completed - inProgress;
  return `Todo list updated: ${completed} completed, ${inProgress} in_progress, ${pending} pending\n`;
}

/** The page with the limits that hold. */
function helpPageFor({ maxItems, maxContentLength }: Settings): string {
  return helpPage
    .replace('{items}', String(maxItems))
    .replace('{characters}', String(maxContentLength));
}
