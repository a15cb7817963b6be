import type { AgentBashHandler, CommandResult, Invocation } from '../command/agent-command.ts';
import { type Options, parseOptions, wrongUsage } from '../command/options.ts';
import { refusal } from '../command/refusal.ts';
import { withStorageTrouble } from '../command/storage-trouble.ts';
import { SHORT_USAGE, USAGE } from '../command/usage.ts';
import { MAX_LIST_BYTES } from '../json/list-size.ts';
import { isJsonCollection, QUOTES_BROKE, withoutOuterQuotes } from '../json/raw-json.ts';
import { explainAccident } from '../json/shell-accidents.ts';
import { safeText } from '../safe-text.ts';
import {
  DEFAULT_SETTINGS,
  type ListLimits,
  type ListSettings,
  type SettingsSource,
} from '../settings.ts';
import { readTodoInput } from './todo-input.ts';
import { validateTodoList } from './todo-schema.ts';
import { LIST_OPTIONS, openSource, type TodoSource } from './todo-source.ts';
import { type TodoItem, type TodoStore, type TodoVersion, todoStore } from './todo-store.ts';
import helpPage from './todo-write.md';
import { movedOn } from './version-texts.ts';
import { replyFor } from './write-reply.ts';

const OPTIONS = {
  '--if-version': 'version',
  '--undo': 'flag',
  '--output': 'text',
  ...LIST_OPTIONS,
} as const;
const MAX_QUOTED_CHARACTERS = 40;

type WriteOptions = Options<typeof OPTIONS>;
type Reply = (list: TodoVersion) => string;

/**
 * `TodoWrite`: replaces the whole list by the one that is given as JSON, in one argument or on standard input.
 *
 * Exit code 0: the list is replaced; stdout is the one line that counts its items, or with `--output` the whole list.
 * Exit code 1: stderr says what is wrong, in at most 4 KB, and the list is untouched; so it is with 2, for options that
 * are not understood, and 3, where the list cannot be read or saved, and stderr names the file. What else there is to
 * say is on stderr, a line each: `Note: ...` for a slip that was forgiven, `Warning: ...` for a setting that could not
 * be used.
 */
export class TodoWriteHandler implements AgentBashHandler {
  readonly name = 'TodoWrite';
  readonly summary = 'replaces your task list; repeat every item, the completed ones too';
  readonly readsRawJson = true;
  readonly #source: TodoSource;
  readonly #settings: SettingsSource;

  /** @param settings Asked at each call, so that a change counts at once. Without it the defaults hold. */
  constructor(
    source: TodoSource = todoStore,
    settings: SettingsSource = () => ({ settings: DEFAULT_SETTINGS, warnings: [] }),
  ) {
    this.#source = source;
    this.#settings = settings;
  }

  /**
   * Never rejects. Help is asked for by a first argument that is `-h` or `--help`; the first one only, since the words
   * of a list whose quotes broke may hold either.
   */
  async execute(invocation: Invocation): Promise<CommandResult> {
    const parsed = parseOptions(invocation.argv, OPTIONS);
    if ('problem' in parsed) return wrongUsage(parsed.problem, USAGE);
    const { options, rest } = parsed;
    const reply = replyFor(options['--output'] ?? 'summary');
    if ('problem' in reply) return wrongUsage(reply.problem, USAGE);
    if (rest[0] === '-h') return { stdout: USAGE, stderr: '', exitCode: 0 };
    if (rest[0] === '--help') return { stdout: helpPage, stderr: '', exitCode: 0 };
    // What was typed begins with the options, and so is no list.
    const { stdin, raw = '' } = invocation;
    const list = { argv: rest, stdin, raw: rest.length < invocation.argv.length ? '' : raw };
    try {
      const { settings, warnings } = this.#settings(invocation);
      const result = await withStorageTrouble('Cannot update the list', () => {
        const store = openSource(this.#source, options, settings, invocation.env && this.#settings);
        if ('problem' in store) return wrongUsage(store.problem, USAGE);
        return options['--undo']
          ? undo(store, options, rest, reply)
          : replace(store, options, list, settings, reply);
      });
      return { ...result, stderr: result.stderr + warnings.map((line) => `${line}\n`).join('') };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return refusal('Cannot update the list', { lines: [safeText(reason, 200)] });
    }
  }
}

async function replace(
  store: TodoStore,
  { '--if-version': expected }: WriteOptions,
  list: Invocation,
  settings: ListSettings,
  reply: Reply,
): Promise<CommandResult> {
  const reading = readList(list, await givenText(list), settings);
  if ('refused' in reading) return reading.refused;
  const { items, notes } = reading;
  const written = expected === undefined ? store.update(items) : store.updateIf(expected, items);
  if (written === undefined) return movedOn(store.get(), expected ?? 0);
  if (settings.clearWhenDone && items.every(({ status }) => status === 'completed')) store.clear();
  return updated(reply(written), notes);
}

function undo(
  store: TodoStore,
  { '--if-version': expected }: WriteOptions,
  rest: readonly string[],
  reply: Reply,
): CommandResult {
  if (expected !== undefined || rest.length > 0) {
    return wrongUsage('--undo goes with no list and no --if-version', USAGE);
  }
  const undone = store.undo();
  if (undone === undefined) {
    return refusal('Nothing to undo', { lines: ['no list before this one is kept'] });
  }
  return updated(reply(undone));
}

function updated(stdout: string, notes: readonly string[] = []): CommandResult {
  return {
    stdout,
    stderr: [...new Set(notes)].map((note) => `Note: ${note}\n`).join(''),
    exitCode: 0,
  };
}

type ListReading =
  | { readonly items: readonly TodoItem[]; readonly notes: readonly string[] }
  | { readonly refused: CommandResult };

/** What bash passes as the list. Standard input is not read when something was typed, or when there is too much. */
function givenText({ argv, stdin, raw = '' }: Invocation): string | Promise<string> {
  const [first = raw === '' ? '-' : ''] = argv;
  return first === '-' && argv.length <= 1 ? stdin() : first;
}

/** Bash's own reading comes first; what was typed counts only where that gives no list, or where there is none. */
function readList(
  { argv, raw = '' }: Invocation,
  given: string,
  settings: ListLimits,
): ListReading {
  const asBashReadIt =
    argv.length > 1 ? { refused: tooManyArguments(argv) } : readText(given, settings);
  if ('items' in asBashReadIt) return asBashReadIt;
  if (isTooLarge(raw)) return { refused: tooLarge(raw) };
  const typed = withoutOuterQuotes(raw);
  if (typed === argv[0] || !isJsonCollection(typed)) return asBashReadIt;
  const asTyped = readText(typed, settings);
  return 'items' in asTyped ? { ...asTyped, notes: [QUOTES_BROKE, ...asTyped.notes] } : asTyped;
}

function readText(text: string, settings: ListLimits): ListReading {
  if (isTooLarge(text)) return { refused: tooLarge(text) };
  if (text.trim() === '') {
    return { refused: refusal('Missing JSON parameter', { lines: [] }, SHORT_USAGE) };
  }
  const input = readTodoInput(text);
  if ('problem' in input) {
    const hint = input.kind === 'other' ? '' : explainAccident(input.kind);
    return { refused: refusal('Invalid JSON format', { lines: [input.problem] }, hint + USAGE) };
  }
  const validation = validateTodoList(input.value, settings);
  if ('problems' in validation) {
    return { refused: refusal('Validation failed', validation.problems) };
  }
  return { items: validation.items, notes: input.notes };
}

function tooManyArguments(argv: readonly string[]): CommandResult {
  const start = safeText(argv[0] ?? '', MAX_QUOTED_CHARACTERS);
  const lines = [
    `expected the JSON as one argument, received ${argv.length}; the first is ${start}`,
  ];
  return refusal('Invalid JSON format', { lines }, explainAccident('split') + USAGE);
}

function isTooLarge(text: string): boolean {
  // A code unit is never less than a byte of UTF-8, so the length alone tells most of the time.
  return text.length > MAX_LIST_BYTES || Buffer.byteLength(text) > MAX_LIST_BYTES;
}

function tooLarge(text: string): CommandResult {
  const lines = [`The list must be at most 1 MiB, received ${Buffer.byteLength(text)} bytes`];
  return refusal('Validation failed', { lines });
}
