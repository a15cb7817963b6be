import type {
  AgentBashHandler,
  CommandResult,
  Invocation,
  JsonSchema,
} from '../base/command/agent-command.ts';
import { wrongUsage } from '../base/command/options.ts';
import { perform } from '../base/command/perform.ts';
import { refusal } from '../base/command/replies.ts';
import { type JsonForm, orAsTyped, readJsonInput } from '../base/json/json-input.ts';
import type { Settings } from '../base/settings/settings.ts';
import { type GivenList, validateTodoInput } from './todo-input.ts';
import { todoInputSchema } from './todo-schema.ts';
import { LIST_FORM, TodoCommand } from './todo-source.ts';
import { TodoStore } from './todo-store.ts';
import type { TodoVersion } from './todo-version.ts';
import helpPage from './todo-write.md';
import { adopt, replyTo, undo, write } from './write-list.ts';
import {
  type GivenWriteOptions,
  misuse,
  stepsOfOptions,
  WRITE_OPTIONS,
  wrongOption,
  wrongWord,
} from './write-options.ts';

const WRITE_USAGE = `Usage: TodoWrite '{"todos":[...]}'\n`;
const EXAMPLE = '{"todos":[{"content":"...","activeForm":"...","status":"pending"}]}';
const UNTIL_DONE = '- --until-done needs a whole list\n';
const ONE_LINE = `TodoWrite '${EXAMPLE}'`;
const FULL_USAGE = `Usage: ${ONE_LINE}\n`;
const WRITE_FORM = {
  options: WRITE_OPTIONS,
  usage: ONE_LINE,
  purpose: 'update the list',
  ...LIST_FORM,
  helpPage,
};

/** The words of a call, and what is wrong with its options. */
interface GivenCall {
  readonly options: GivenWriteOptions;
  readonly rest: readonly string[];
  readonly problem?: string;
  readonly unknown?: string;
}

/**
 * `TodoWrite`: replaces the whole list with the one given as JSON, in one argument or on standard input.
 *
 * Exit code 0: the list is replaced; stdout is the one line that counts its items, or with `--output` the whole list.
 * Exit code 1: stderr says what is wrong, in at most 4 KB, and the list is untouched. The same holds for 2, an unknown
 * option or a wrong use of one, and 3, if the list cannot be read or saved. Anything else is on stderr, one line each: `Note: ...` for a
 * forgiven slip, `Warning: ...` for an invalid setting.
 */
export class TodoWriteHandler extends TodoCommand implements AgentBashHandler {
  readonly name = 'TodoWrite';
  readonly summary = 'replaces your task list';
  readonly readsRawJson = true;
  readonly jsonExample = EXAMPLE;
  readonly isReadOnly = false;
  /** One of two lists written at the same time replaces the other. */
  readonly isConcurrencySafe = false;

  get inputSchema(): JsonSchema {
    return todoInputSchema(this.settings().settings);
  }

  /** The list, if it is in this program and the same for all calls. */
  get store(): TodoStore | undefined {
    return this.source instanceof TodoStore ? this.source : undefined;
  }

  /** The default list. */
  get list(): { get(): TodoVersion | undefined } {
    return {
      get: () => {
        // Asked before and after each line; its own store needs no settings.
        if (this.source instanceof TodoStore) return this.source.get();
        const list = this.open({}, this.settings().settings, {});
        return list instanceof Promise || 'problem' in list ? undefined : list.get();
      },
    };
  }

  /** Never rejects. The words of a list with broken quotes are not options, even if one of them is `--help`. */
  execute(invocation: Invocation): Promise<CommandResult> {
    return perform(WRITE_FORM, invocation, this.settings, (parsed, settings, call) => {
      const given: GivenCall = Object.assign({ options: {}, rest: [] }, parsed);
      return this.#run(call, settings, given);
    });
  }

  async #run(invocation: Invocation, settings: Settings, given: GivenCall): Promise<CommandResult> {
    // 1. Open the list.
    const { options } = given;
    const opened = this.open(options, settings, invocation);
    const list = opened instanceof Promise ? await opened : opened;
    if ('problem' in list) return wrongUsage(list.problem, FULL_USAGE);
    if (options['--until-done'] && !this.home?.setUntilDone) {
      return wrongUsage('--until-done is for lists in files, where agent-shell hook reads it', '');
    }
    // 2. Read the wanted change.
    const change = await changeOf(invocation, settings, given);
    if ('refused' in change) return change.refused;
    const { wanted, version, notes } = change;
    // 3. Make it.
    if (options['--until-done']) {
      this.home?.setUntilDone?.(list, (await list.readToReplace()).version + 1);
    }
    const rules = { isRequired: settings.requireProof };
    const outcome = await (wanted
      ? write(list, wanted, version, settings, rules)
      : options['--adopt']
        ? adopt(list)
        : undo(list, options['--at']));
    if ('refused' in outcome) return outcome.refused;
    // 4. Reply.
    const isSummed = options['--undo'] || (wanted && 'items' in wanted);
    const { '--output': output = isSummed ? 'summary' : 'next' } = options;
    const { replaced, written } = outcome;
    const advice = this.advise ? await this.advise(list, replaced, written) : [];
    return replyTo(written, output, [...notes, ...outcome.notes, ...advice]);
  }
}

/** Reads the change from the options, or as a whole list; none for --undo and --adopt. */
async function changeOf(invocation: Invocation, settings: Settings, given: GivenCall) {
  const { options, rest } = given;
  const { '--undo': isUndo, '--adopt': isAdopted, '--at': at, '--if-version': expected } = options;
  const steps = stepsOfOptions(options);
  if (steps || isUndo || isAdopted || at !== undefined) {
    const wrong = misuse(options, steps, rest);
    if (wrong) return { refused: wrongUsage(wrong, '') };
    return { wanted: steps && { steps }, version: expected, notes: [] };
  }
  const reading = listOf(invocation, settings, given);
  const list = reading instanceof Promise ? await reading : reading;
  if ('refused' in list) return list;
  const { items, version } = list.value;
  // A late list's refusal names the option, and the version in its JSON is still the old one.
  return { wanted: { items }, version: expected ?? version, notes: list.notes };
}

/** Reads the list from an argument, from standard input, or as typed. */
function listOf({ argv, stdin, raw = '' }: Invocation, settings: Settings, given: GivenCall) {
  const { options, rest } = given;
  const isUntilDone = options['--until-done'];
  const form: JsonForm<GivenList> = {
    name: 'TodoWrite',
    noun: 'list',
    example: EXAMPLE,
    usage: { missing: isUntilDone ? UNTIL_DONE + WRITE_USAGE : WRITE_USAGE, invalid: FULL_USAGE },
    validate: (value) => validateTodoInput(value, settings),
  };
  // Text that begins with options is no list.
  const typed = rest.length < argv.length ? '' : raw;
  const refused = misuseOf(given, argv);
  return refused
    ? orAsTyped(form, { argv, raw: typed }, { refused })
    : readJsonInput(form, { argv: rest, stdin, raw: typed });
}

/** Refuses wrong options and words that cannot be a list. */
function misuseOf(
  { problem, unknown, rest }: GivenCall,
  argv: readonly string[],
): CommandResult | undefined {
  if (problem !== undefined) return wrongUsage(wrongOption({ problem, unknown }, argv), '');
  const word = wrongWord(rest);
  return word === undefined ? undefined : refusal('Invalid JSON format', { lines: [word] });
}
