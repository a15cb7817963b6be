import { reasonOf } from '../safe-text.ts';
import { asResult, type CommandResult, type Invocation } from './agent-command.ts';
import { helpReply, type OptionTable, type ParsedOptions, parseOptions } from './options.ts';
import { noteLines, refusal, storageTrouble, withSameOptions, withWarnings } from './replies.ts';
import { StateError } from './state-error.ts';
import { limitCommand, type ServerTime } from './time-limit.ts';
import { InvalidUtf8, refuseInvalidUtf8 } from './utf8.ts';

export interface CommandForm<Table extends OptionTable> {
  readonly options: Table;
  /** One line. */
  readonly usage: string;
  readonly helpPage: string;
  /** The verb phrase for errors, as in `Error: Cannot ...`. */
  readonly purpose: string;
  /** The options that name the caller and its list in calls advised by a text. */
  readonly ofCaller?: (advice: string) => readonly string[];
  /** Advice for a list of which every version is damaged. */
  readonly repair?: string;
}

const MAX_USAGE_REASON = 200;
const CARRIAGE_RETURNS =
  'ignored a carriage return at the end of an argument: the script has Windows line ends';
const NOT_A_CALL =
  "execute takes the arguments and a reader of standard input: execute({ argv: [json], stdin: async () => '' })";

/**
 * The frame of all agent commands: replies with help, or does the work on the parsed options. Requests to a server take at most
 * TODO_STATE_TIMEOUT in all. Warnings about the settings come last. Never rejects.
 *
 * @param read returns the settings of the call.
 * @param work gets the problem if the options could not be parsed, and the call without carriage returns.
 */
export function perform<
  Table extends OptionTable,
  Settings extends ServerTime,
  Call extends Pick<Invocation, 'argv'>,
>(
  form: CommandForm<Table>,
  call: Call,
  read: (call: Call) => { readonly settings: Settings; readonly warnings: readonly string[] },
  work: (parsed: ParsedOptions<Table>, settings: Settings, call: Call) => Promise<CommandResult>,
): Promise<CommandResult> {
  let unsaid: readonly string[] = [];
  return asResult(
    () => {
      const { settings, warnings } = read(call);
      unsaid = warnings;
      if (!Array.isArray(call.argv)) throw new TypeError(NOT_A_CALL);
      const hasReturns = call.argv.some((argument) => argument.endsWith('\r'));
      const asMeant = hasReturns ? { ...call, argv: withoutReturns(call.argv) } : call;
      if (hasReturns) unsaid = [noteLines([CARRIAGE_RETURNS]).trimEnd(), ...warnings];
      const parsed = parseOptions(asMeant.argv, form.options);
      const options = 'problem' in parsed ? {} : parsed.options;
      const help = helpReply(options, `Usage: ${form.usage}\n`, form.helpPage, settings);
      return help ?? limitCommand(settings, () => work(parsed, settings, asMeant));
    },
    (error) => wordsOf(error, form),
    (result) => withWarnings(withSameOptions(result, call.argv, form.ofCaller), unsaid),
  );
}

function wordsOf(
  error: unknown,
  { purpose, repair }: Pick<CommandForm<OptionTable>, 'purpose' | 'repair'>,
): CommandResult {
  const title = `Cannot ${purpose}`;
  if (error instanceof StateError) return storageTrouble(title, error, repair);
  if (error instanceof InvalidUtf8) return refuseInvalidUtf8(error);
  return refusal(title, { lines: [reasonOf(error, MAX_USAGE_REASON)] });
}

/** A return ends the last argument of each line of a script with Windows line ends, or is an argument after a blank. */
function withoutReturns(argv: readonly string[]): string[] {
  return argv
    .filter((argument) => argument !== '\r')
    .map((argument) => argument.replace(/\r+$/, ''));
}
