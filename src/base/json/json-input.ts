import type { CommandResult, Invocation } from '../command/agent-command.ts';
import { type Problems, refusal } from '../command/replies.ts';
import { mayExpand, withoutOuterQuotes } from '../line/quotes.ts';
import { briefText } from '../safe-text.ts';
import type { JsonProblem } from './json-problem.ts';
import { describeProblem, readJson } from './json-reader.ts';

/** A longer JSON text is refused unread. */
export const MAX_JSON_BYTES = 1024 * 1024;

/** How a command that takes JSON describes and validates it. */
export interface JsonForm<Value> {
  readonly name: string;
  /** The noun for its JSON: `list` or `input`. */
  readonly noun: string;
  /** For the heredoc in an error. */
  readonly example: string;
  /** The last line of an error, with its newline: for missing and for invalid JSON. */
  readonly usage: { readonly missing: string; readonly invalid: string };
  readonly validate: (value: unknown) => ValidatedJson<Value>;
}

export type ValidatedJson<Value> =
  | { readonly value: Value; readonly notes: readonly string[] }
  | { readonly problems: Problems }
  /** A string in the JSON contains broken JSON; the line says where. */
  | { readonly malformed: string; readonly kind: JsonProblem['kind'] };

/** The valid value, with a note for each corrected slip; or the refusal. */
export type JsonInput<Value> =
  | { readonly value: Value; readonly notes: readonly string[] }
  | { readonly refused: CommandResult };

/** The known ways in which bash breaks a JSON argument. */
const ACCIDENTS: Record<Exclude<JsonProblem['kind'], 'other'> | 'split', string> = {
  cut: 'The JSON is cut short: perhaps an unescaped quote, a backtick or $( in its text ended it.',
  split: 'The JSON came in pieces: perhaps an unescaped quote in its text split it.',
  unquoted: 'A name or a text in the JSON has no double quotes: perhaps bash removed them.',
  'inner quote':
    'A double quote inside a text must be written \\"; if it is, bash has replaced it.',
  joined:
    'Several objects have become one: perhaps an unescaped apostrophe in each ended the quotes.',
};
export const QUOTES_BROKE =
  "read the JSON as it was typed, since its quotes broke in bash; write ' as '\\'' or pass it by heredoc";

/** `\bword\b` is meant as a pattern, but is valid JSON. */
const STORED_CONTROLS = /(?<!\\)(?:\\\\)*\\[bf]/;
const CONTROLS_READ =
  'read \\b and \\f as control characters, as JSON has them; a backslash itself is written \\\\';
const TWICE = 'read the JSON that was encoded twice; write " in it, not \\"';

/** Reads a command's JSON from its only argument, or from standard input (none, or `-`); if that is refused, as it was typed. */
export function readJsonInput<Value>(
  form: JsonForm<Value>,
  { argv, stdin, raw = '' }: Pick<Invocation, 'argv' | 'stdin' | 'raw'>,
): JsonInput<Value> | Promise<JsonInput<Value>> {
  // If something was typed, standard input is not read.
  const [argument = raw ? '' : '-'] = argv;
  const read = (text: string) => orAsTyped(form, { argv, raw }, readJsonText(form, text));
  if (argv.length > 1)
    return orAsTyped(form, { argv, raw }, { refused: tooManyArguments(form, argv) });
  return argument === '-' ? Promise.resolve(stdin()).then(read) : read(argument);
}

/** The reading of bash's words; if it was refused, or has lost quotes, the reading of the typed text, if that is JSON. */
export function orAsTyped<Value, Reading extends JsonInput<unknown>>(
  form: JsonForm<Value>,
  { argv, raw = '' }: Pick<Invocation, 'argv' | 'raw'>,
  reading: Reading,
): Reading | JsonInput<Value> {
  const [read = ''] = argv;
  const typed = withoutOuterQuotes(raw);
  // The usual form: quotes that hold.
  if (raw === '' || typed === read) return reading;
  if (isTooLarge(raw)) return { refused: tooLarge(form) };
  if (mayExpand(raw) || !isJsonCollection(typed)) return reading;
  const isBroken = hasLostQuotes(read, typed);
  if (!('refused' in reading) && !isBroken) return reading;
  const asTyped = readJsonText(form, typed);
  if ('refused' in asTyped || !isBroken) return asTyped;
  return { ...asTyped, notes: [QUOTES_BROKE, ...asTyped.notes] };
}

/** True if bash removed quotes of the JSON: the texts have run together, and may still look like JSON. */
export function hasLostQuotes(read: string, typed: string): boolean {
  return ['"', "'"].some((mark) => read.split(mark).length < typed.split(mark).length);
}

function readJsonText<Value>(form: JsonForm<Value>, text: string): JsonInput<Value> {
  if (isTooLarge(text)) return { refused: tooLarge(form) };
  if (text.trim() === '') {
    return { refused: refusal('Missing JSON parameter', undefined, form.usage.missing) };
  }
  const reading = ENCODED.test(text) ? readEncoded(text) : readJson(text);
  if ('problem' in reading) {
    const { problem } = reading;
    return { refused: notJson(form, describeProblem(text, problem), problem.kind) };
  }
  const given = form.validate(reading.value);
  if ('malformed' in given) return { refused: notJson(form, given.malformed, given.kind) };
  if ('problems' in given) return { refused: refusal('Validation failed', given.problems) };
  const controls = text.includes('\\') && STORED_CONTROLS.test(text) ? [CONTROLS_READ] : [];
  return { value: given.value, notes: [...reading.notes, ...controls, ...given.notes] };
}

/** How JSON begins that a harness or model has encoded twice, with or without the outer quotes. */
const ENCODED = /^\s*"?[[{](?:[[{\s]|\\n)*\\"/;

function readEncoded(text: string) {
  const outer = readJson(text.trimStart().startsWith('"') ? text : `"${text}"`);
  const inner = 'value' in outer && typeof outer.value === 'string' && readJson(outer.value);
  return inner && 'value' in inner ? { ...inner, notes: [TWICE, ...inner.notes] } : readJson(text);
}

function tooManyArguments<Value>(form: JsonForm<Value>, argv: readonly string[]): CommandResult {
  const start = briefText(argv[0] ?? '');
  const line = `expected the JSON as one argument, received ${argv.length}; the first is ${start}`;
  return notJson(form, line, 'split');
}

/** Shows the heredoc form if bash may be the cause. */
function notJson<Value>(
  { name, example, usage }: JsonForm<Value>,
  line: string,
  kind: JsonProblem['kind'] | 'split',
): CommandResult {
  const hint =
    kind === 'other'
      ? ''
      : `- ${ACCIDENTS[kind]} In a heredoc bash changes nothing:\n${heredoc(name, example)}`;
  return refusal('Invalid JSON format', { lines: [line] }, hint + usage.invalid);
}

/** The command with its JSON in a heredoc, ready to paste. */
export function heredoc(name: string, example: string): string {
  return `${name} <<'EOF'\n${example}\nEOF\n`;
}

function isTooLarge(text: string): boolean {
  // Each code unit is one to three bytes.
  return text.length > MAX_JSON_BYTES / 3 && Buffer.byteLength(text) > MAX_JSON_BYTES;
}

function tooLarge({ noun }: { readonly noun: string }): CommandResult {
  // Without its size: of standard input no more was read.
  return refusal('Validation failed', { lines: [`The ${noun} must be at most 1 MiB`] });
}

/** True if the whole text is one JSON object or array, perhaps with slips that `readJson` corrects. Takes linear time. */
export function isJsonCollection(text: string): boolean {
  const reading = readJson(text);
  return 'value' in reading && typeof reading.value === 'object' && reading.value !== null;
}
