import type * as z from 'zod/mini';
import type { CommandResult, Invocation } from '../base/command/agent-command.ts';
import {
  beginsJson,
  type OptionTable,
  type ParsedOptions,
  unexpectedArgument,
  wrongUsage,
} from '../base/command/options.ts';
import { refusal } from '../base/command/replies.ts';
import {
  type Field,
  type Fields,
  fieldOf,
  isObject,
  optionTable,
  type TextLimits,
  typeName,
  type ValuesOf,
  withMeantKeys,
  withSpelling,
} from '../base/json/fields.ts';
import {
  type JsonInput,
  orAsTyped,
  readJsonInput,
  type ValidatedJson,
} from '../base/json/json-input.ts';
import { describeProblem, readJson } from '../base/json/json-reader.ts';
import { objectSchema, ProblemLines } from '../base/json/schema.ts';
import { quote } from '../base/line/quotes.ts';
import { briefText, inQuotes, isBlank } from '../base/safe-text.ts';
import type { Awaitable } from '../lists/maybe-async.ts';
import type { Refused } from './reasons.ts';
import { COMMON_OPTIONS, type TaskCall } from './task-call.ts';
import { ID } from './task-fields.ts';

/** Models copy #3 from our output. */
const NO_HASH = '- an id is written 3: bash takes #3 for a comment\n';

export interface TaskForm<Request> {
  readonly name: string;
  /** For a model's system prompt. */
  readonly summary: string;
  /** One line, without `Usage: `. */
  readonly usage: string;
  readonly helpPage: string;
  readonly example: string;
  /** The fields of the request, as JSON and as options. */
  readonly fields: Fields;
  readonly isReadOnly?: boolean;
  /** Options that are not fields, besides those of all task commands. */
  readonly options?: OptionTable;
  /** True if the request is read from standard input if no field is given. */
  readonly readsStdin?: boolean;
  /** True if `--agent` names the subject of the command, not the caller. */
  readonly isAboutAgent?: boolean;
  /** As in `Error: Cannot ...`. */
  readonly purpose: string;
  /** Validates the JSON of the request; default: one object of the fields. */
  validate?(value: unknown, limits: TextLimits): ValidatedJson<Request>;
  /** Returns what is wrong with fields that are valid one by one. */
  rule?(request: Request): string | undefined;
  run(request: Request, call: TaskCall): Awaitable<CommandResult | Refusal | Misuse>;
}

type AnyForm = Pick<TaskForm<never>, 'name' | 'fields' | 'options' | 'isReadOnly'>;

export interface Refusal extends Refused {
  /** As in `Error: TITLE`; default: the command's purpose. */
  readonly title?: string;
  readonly closing?: readonly string[];
}

/** A wrong use of options. */
export interface Misuse {
  readonly misuse: string;
}

/** A command whose request is one object of its fields. */
export function taskForm<const Table extends Fields>(
  form: TaskForm<ValuesOf<Table>> & { readonly fields: Table },
): TaskForm<ValuesOf<Table>> {
  return form;
}

export function optionsOf({
  fields,
  options,
}: Pick<TaskForm<never>, 'fields' | 'options'>): OptionTable {
  return { ...optionTable(fields), ...options, ...COMMON_OPTIONS };
}

/** Reads the request: JSON, as typed, as one argument or on standard input; else the fields as options and words. */
export function readRequest<Request>(
  form: TaskForm<Request>,
  { argv, stdin, raw = '' }: Invocation,
  limits: TextLimits,
  parsed: ParsedOptions<OptionTable>,
): JsonInput<Request> | Promise<JsonInput<Request>> {
  const usage = `Usage: ${form.usage}\n`;
  const hint = Object.values<Field>(form.fields).some(({ words }) => words) ? NO_HASH : '';
  const json = {
    name: form.name,
    noun: 'input',
    example: form.example,
    usage: { missing: hint + usage, invalid: usage },
    validate: (value: unknown) => validatedRequest(form, value, limits),
  };
  // What bash took apart may be JSON as it was typed.
  const orTyped = (refused: CommandResult) => orAsTyped(json, { argv, raw }, { refused });
  // 1. Wrong options.
  if ('problem' in parsed) return orTyped(wrongUsage(withCall(form, parsed, argv), usage));
  const { rest, options } = parsed;
  const [first] = rest;
  const given = givenFields(form, options);
  const isGiven = Object.keys(given).length > 0;
  // 2. JSON: as typed, as an argument, or on standard input.
  const isTyped = raw !== '' && argv.length === 0;
  const isJson =
    first === undefined ? form.readsStdin && !isGiven : first === '-' || beginsJson(first);
  if (isTyped || isJson) {
    return isGiven
      ? orTyped(wrongUsage('Give the fields as JSON or as options, not both', usage))
      : readJsonInput(json, { argv: rest, stdin, raw });
  }
  // 3. Fields, as words and options.
  const { worded, surplus } = fieldsAsWords(form, rest);
  if (surplus === undefined) {
    return readFields(form, { ...given, ...worded }, limits, first === undefined ? hint : '');
  }
  const isSubject = hint === '' && 'subject' in form.fields && given.subject === undefined;
  const way = `. Try: --subject ${subjectWord(rest.join(' '))}`;
  const problem = isSubject
    ? `Unexpected argument ${inQuotes(surplus)}${way}`
    : unexpectedWord(form, surplus, first);
  if (isGiven) return orTyped(wrongUsage(problem, usage));
  if (hint !== '' || !form.readsStdin) return orTyped(refusal(problem, undefined, usage));
  return orTyped(invalidJson(`${inQuotes(surplus)} is not JSON${way}`, usage));
}

/** As bash reads it; one that is blank, long or not safe to print is for the caller to write. */
function subjectWord(subject: string): string {
  return isBlank(subject) || briefText(subject) !== subject ? '"..."' : quote(subject);
}

/** If the id is the word too many, the first one was meant as an option: `done 1` for `1 --status completed`. */
function unexpectedWord(form: AnyForm, surplus: string, first = surplus): string {
  const isId = ID.test(first);
  const id = ID.exec(surplus)?.[1];
  const problem = `Unexpected argument ${inQuotes(surplus)}`;
  if (isId && id && first !== surplus) return `${problem}: one task a call`;
  if (isId && id && 'at' in form.fields) {
    if (form.isReadOnly) return `${problem}. Try: TaskGet ${id}`;
    return `${problem}: --at takes a version, see TaskList --history`;
  }
  if (isId || !id) return unexpectedArgument(surplus, optionsOf(form));
  const call = `Try: ${form.name} ${id} --status`;
  return unexpectedArgument(first, optionsOf(form)).replace('Try: --status', call);
}

/** The fields given as words, and the first word too many. */
function fieldsAsWords({ fields }: AnyForm, words: readonly string[]) {
  const rest = [...words];
  const worded: Record<string, unknown> = {};
  for (const [field, { words: taken }] of Object.entries<Field>(fields)) {
    if (taken && rest.length > 0) worded[field] = taken === 'many' ? rest.splice(0) : rest.shift();
  }
  return { worded, surplus: rest[0] };
}

/** @param ending of the error. */
function readFields<Request>(
  form: TaskForm<Request>,
  given: Record<string, unknown>,
  limits: TextLimits,
  ending: string,
): JsonInput<Request> {
  const texts = readJsonTexts(form, given);
  if (texts.problem !== undefined) {
    return { refused: invalidJson(texts.problem, `Usage: ${form.usage}\n`) };
  }
  const request = validatedRequest(form, given, limits);
  if ('value' in request) return { ...request, notes: [...texts.notes, ...request.notes] };
  const problems = 'problems' in request ? request.problems : undefined;
  return { refused: refusal('Validation failed', problems, ending) };
}

function invalidJson(line: string, usage: string): CommandResult {
  return refusal('Invalid JSON format', { lines: [line] }, usage);
}

function givenFields(
  { fields }: AnyForm,
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const given = Object.entries(options).map(([option, value]) => [fieldOf(option), value] as const);
  return Object.fromEntries(given.filter(([field]) => Object.hasOwn(fields, field)));
}

/** Parses, in place, the options whose text is JSON. */
function readJsonTexts({ fields }: AnyForm, given: Record<string, unknown>) {
  const notes: string[] = [];
  for (const [field, text] of Object.entries(given)) {
    const kind = fields[field]?.kind;
    if (kind?.is !== 'value' || !kind.isJsonText || typeof text !== 'string') continue;
    const reading = readJson(text);
    if ('problem' in reading) {
      return { problem: `--${field}: ${describeProblem(text, reading.problem)}` };
    }
    given[field] = reading.value;
    notes.push(...reading.notes);
  }
  return { notes };
}

/** Adds what is meant by an option of other programs, or of earlier versions: a field of another name, or its value. */
function withCall(
  form: AnyForm,
  { problem, unknown = '' }: { readonly problem: string; readonly unknown?: string },
  argv: readonly string[],
): string {
  const id = argv.find((word) => /^\d+$/.test(word)) ?? 'ID';
  if (unknown === '--prove') return `${problem}. Try: TaskProve ${id}`;
  const table = optionsOf(form);
  const field = fieldOf(unknown);
  const meant = Object.keys(table).find((name) => form.fields[fieldOf(name)]?.others?.test(field));
  const said = meant ? `. Try: ${meant}` : unexpectedArgument(unknown.slice(2), table);
  const [way] = /\. Try: .*/.exec(said) ?? [];
  return way ? problem.replace(/ \(did you.*/, '') + way : problem;
}

function validatedRequest<Request>(
  form: TaskForm<Request>,
  given: unknown,
  limits: TextLimits,
): ValidatedJson<Request> {
  if (form.validate) return form.validate(given, limits);
  if (!isObject(given)) {
    return { problems: { lines: [`Expected object, received ${typeName(given)}`] } };
  }
  const { fields } = form;
  // Models that have read a task's `id` use that name.
  const isId = 'taskId' in fields && Object.hasOwn(given, 'id') && !Object.hasOwn(given, 'taskId');
  const { id, ...others } = given;
  const notes = new Map(isId ? [['taskId', 'read "id" as "taskId"']] : []);
  const read = withSpelling(fields, isId ? { taskId: id, ...others } : given, notes);
  const schema = objectSchema(fields, limits);
  const { data, success } = schema.safeParse(read);
  if (!success) {
    const lines = new ProblemLines(limits);
    addProblems(lines, { fields, schema }, read);
    return { problems: lines.problems() };
  }
  const value = data as Request;
  const problem = form.rule?.(value);
  if (problem !== undefined) return { problems: { lines: [problem] } };
  return { value, notes: [...notes.values()] };
}

/** Adds the problems of an object: other names of its keys, and what is wrong besides. @param at its place in an array. */
export function addProblems(
  lines: ProblemLines,
  { fields, schema }: { readonly fields: Fields; readonly schema: z.ZodMiniType },
  given: unknown,
  at?: number,
): void {
  const place = at === undefined ? [] : [at];
  const { value, hints } = isObject(given)
    ? withMeantKeys(fields, given)
    : { value: given, hints: [] };
  lines.addAt(place, hints);
  for (const issue of schema.safeParse(value).error?.issues ?? []) lines.add(issue, value, place);
}
