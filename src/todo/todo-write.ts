import type { AgentBashHandler, CommandResult, Invocation } from '../command.ts';
import { safeText } from '../safe-text.ts';
import { DEFAULT_SETTINGS, type ListLimits } from '../settings.ts';
import { isJsonCollection, withoutOuterQuotes } from './raw-json.ts';
import { refusal } from './refusal.ts';
import { explainAccident } from './shell-accidents.ts';
import { readTodoInput } from './todo-input.ts';
import { validateTodoList } from './todo-schema.ts';
import { type TodoItem, type TodoStatus, type TodoStore, todoStore } from './todo-store.ts';
import helpPage from './todo-write.md';
import { SHORT_USAGE, USAGE } from './usage.ts';

const MAX_LIST_BYTES = 1024 * 1024;
const MAX_QUOTED_CHARACTERS = 40;
const QUOTES_BROKE =
  "read the JSON as it was typed, since its quotes broke in bash; write ' as '\\'' or pass it by heredoc";

/** As much of `SettingsReading` as the command needs. */
interface LimitsReading {
  readonly settings: ListLimits;
  readonly warnings: readonly string[];
}

/**
 * `TodoWrite`: replaces the whole list by the one that is given as JSON, in one argument or on standard input.
 *
 * Exit code 0: the list is replaced; stdout is the one line that counts its items. Exit code 1: stderr says what is
 * wrong, in at most 4 KB, and the list is untouched. What else there is to say is on stderr, a line each: `Note: ...`
 * for a slip that was forgiven, `Warning: ...` for a setting that could not be used.
 */
export class TodoWriteHandler implements AgentBashHandler {
  readonly name = 'TodoWrite';
  readonly readsRawJson = true;
  readonly #store: TodoStore;
  readonly #settings: () => LimitsReading;

  /** @param settings Asked at each call, so that a change counts at once. Without it the defaults hold. */
  constructor(
    store: TodoStore = todoStore,
    settings: () => LimitsReading = () => ({ settings: DEFAULT_SETTINGS, warnings: [] }),
  ) {
    this.#store = store;
    this.#settings = settings;
  }

  /**
   * Never rejects. Help is asked for by a first argument that is `-h` or `--help`; the first one only, since the words
   * of a list whose quotes broke may hold either.
   */
  async execute(invocation: Invocation): Promise<CommandResult> {
    const [first] = invocation.argv;
    if (first === '-h') return { stdout: USAGE, stderr: '', exitCode: 0 };
    if (first === '--help') return { stdout: helpPage, stderr: '', exitCode: 0 };
    try {
      const { settings, warnings } = this.#settings();
      const result = this.#replace(await readList(invocation, settings));
      return { ...result, stderr: result.stderr + warnings.map((line) => `${line}\n`).join('') };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return refusal('Cannot update the list', { lines: [safeText(reason, 200)] });
    }
  }

  #replace(reading: ListReading): CommandResult {
    if ('refused' in reading) return reading.refused;
    this.#store.update(reading.items);
    return {
      stdout: summary(reading.items),
      stderr: [...new Set(reading.notes)].map((note) => `Note: ${note}\n`).join(''),
      exitCode: 0,
    };
  }
}

type ListReading =
  | { readonly items: readonly TodoItem[]; readonly notes: readonly string[] }
  | { readonly refused: CommandResult };

/**
 * Bash's own reading comes first; what was typed counts only where that gives no list, or where there is none: standard
 * input is not read when something was typed.
 */
async function readList(invocation: Invocation, settings: ListLimits): Promise<ListReading> {
  const { argv, raw = '' } = invocation;
  const isOnlyTyped = argv.length === 0 && raw !== '';
  const asBashReadIt = isOnlyTyped
    ? readText('', settings)
    : await readArguments(invocation, settings);
  if ('items' in asBashReadIt) return asBashReadIt;
  if (isTooLarge(raw)) return { refused: tooLarge(raw) };
  const typed = withoutOuterQuotes(raw);
  if (typed === argv[0] || !isJsonCollection(typed)) return asBashReadIt;
  const asTyped = readText(typed, settings);
  return 'items' in asTyped ? { ...asTyped, notes: [QUOTES_BROKE, ...asTyped.notes] } : asTyped;
}

async function readArguments(
  { argv, stdin }: Invocation,
  settings: ListLimits,
): Promise<ListReading> {
  const [first = '-'] = argv;
  if (argv.length > 1) return { refused: tooManyArguments(argv) };
  return readText(first === '-' ? await stdin() : first, settings);
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

function summary(items: readonly TodoItem[]): string {
  const count = (status: TodoStatus) => items.filter((item) => item.status === status).length;
  return `Todo list updated: ${count('completed')} completed, ${count('in_progress')} in_progress, ${count('pending')} pending\n`;
}
