import type { CommandResult, Invocation } from '../command/agent-command.ts';
import {
  beginsJson,
  HELP_OPTIONS,
  type Options,
  type OptionTable,
  type ParsedOptions,
  wrongUsage,
} from '../command/options.ts';
import { refusal } from '../command/replies.ts';
import {
  type Fields,
  fieldOf,
  optionTable,
  otherNames,
  type TextLimits,
  type ValuesOf,
} from '../json/fields.ts';
import { type CheckedJson, type JsonInput, orAsTyped, readJsonInput } from '../json/json-input.ts';
import { describeProblem, readJson } from '../json/json-reader.ts';
import { isObject, typeName } from '../json/json-value.ts';
import { objectSchema } from '../json/object-schema.ts';
import { ProblemLines } from '../json/schema-issues.ts';
import type { Evidence } from '../proof/proof.ts';
import { inQuotes } from '../safe-text.ts';
import type { Settings } from '../settings/settings.ts';
import type { ClaimRules } from './claims.ts';
import type { HookName } from './hooks.ts';
import type { LeaseClock } from './lease.ts';
import type { Reason, Refused } from './reasons.ts';
import type { Task, TaskGraph } from './task.ts';
import type { Done, NotDone, TaskStore } from './task-store.ts';

/** The definition of a task command. */
export interface TaskForm<Request> {
  readonly name: string;
  /** For a model's system prompt. */
  readonly summary: string;
  /** One line, without `Usage: `. */
  readonly usage: string;
  readonly helpPage: string;
  /** An example for errors. */
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
  readonly check: (value: unknown, limits: TextLimits) => CheckedJson<Request>;
  readonly run: (request: Request, call: TaskCall) => CommandResult | Promise<CommandResult>;
}

/** A command whose request is one object of its fields. @param form its `rule` checks fields together. */
export function taskForm<const Table extends Fields>({
  rule,
  ...form
}: Omit<TaskForm<ValuesOf<Table>>, 'fields' | 'check'> & {
  readonly fields: Table;
  readonly rule?: (request: ValuesOf<Table>) => string | undefined;
}): TaskForm<ValuesOf<Table>> {
  return { ...form, check: (value, limits) => checkRequest(form.fields, value, limits, rule) };
}

/** Prints tasks for a person. */
export type TasksForPeople = (
  graph: TaskGraph,
  tasks: readonly Task[],
  clock: LeaseClock,
) => string | Promise<string>;

export interface TaskCall {
  readonly store: TaskStore;
  /** The caller; by default `main`. */
  readonly agent: string;
  /** Makes a change in the caller's name. */
  readonly change: <Change extends { readonly graph: TaskGraph }>(
    plan: (graph: TaskGraph, at: string) => Change | Refused,
    approve?: (change: Change) => Promise<Reason | undefined>,
  ) => Promise<Done<Change> | NotDone>;
  /** The claiming agent; undefined if the caller has no name and several agents use this list. */
  readonly claimant: (graph: TaskGraph) => string | undefined;
  readonly rules: ClaimRules;
  readonly settings: Settings;
  readonly options: GivenOptions;
  readonly evidence: Evidence;
  /** Asks a hook for approval, with the tasks as they would be after the change. */
  readonly approve: (hook: HookName, tasks: readonly Task[]) => Promise<Reason | undefined>;
  readonly forPeople: TasksForPeople | undefined;
}

const COMMON_OPTIONS = { '--list': 'name', '--agent': 'name', ...HELP_OPTIONS } as const;

/** Typed for the options of all commands only. */
export type GivenOptions = Options<typeof COMMON_OPTIONS> &
  Readonly<Record<`--${string}`, unknown>>;

export function optionsOf({
  fields,
  options,
}: Pick<TaskForm<never>, 'fields' | 'options'>): OptionTable {
  return { ...optionTable(fields), ...options, ...COMMON_OPTIONS };
}

/** Reads the request: fields as options and words, or JSON as one argument or on standard input. */
export function readRequest<Request>(
  form: TaskForm<Request>,
  { argv, stdin, raw = '' }: Invocation,
  limits: TextLimits,
  parsed: ParsedOptions<OptionTable>,
): JsonInput<Request> | Promise<JsonInput<Request>> {
  const usage = `Usage: ${form.usage}\n`;
  const json = {
    name: form.name,
    noun: 'input',
    example: form.example,
    usage: { missing: usage, invalid: usage },
    check: (value: unknown) => form.check(value, limits),
  };
  const typedOr = (refused: CommandResult) => orAsTyped(json, { argv, raw }, { refused });
  const wrong = (problem: string) => typedOr(wrongUsage(problem, usage));

  if ('problem' in parsed) return wrong(parsed.problem);
  const { rest, options } = parsed;
  const names = Object.keys(options).filter((name) => Object.hasOwn(form.fields, fieldOf(name)));
  const [first] = rest;
  const isTyped = raw !== '' && argv.length === 0;
  const isJson =
    first === undefined
      ? form.readsStdin && names.length === 0
      : first === '-' || beginsJson(first);
  if (isTyped || isJson) {
    if (names.length > 0) return wrong('Give the fields as JSON or as options, not both');
    return readJsonInput(json, { argv: rest, stdin, raw });
  }
  const given = fieldsOf(form, names, options);
  if ('refused' in given) return given;
  const [word, row] = Object.entries(form.fields).find(([, { words }]) => words) ?? [];
  const isMany = row?.words === 'many';
  const unexpected = rest[row === undefined ? 0 : isMany ? rest.length : 1];
  if (unexpected !== undefined) {
    if (names.length > 0) return wrong(`Unexpected argument ${inQuotes(unexpected)}`);
    if (word !== undefined || !form.readsStdin) {
      return typedOr(refusal(`Unexpected argument ${inQuotes(unexpected)}`, undefined, usage));
    }
    const line = `${inQuotes(unexpected)} is not JSON`;
    return typedOr(refusal('Invalid JSON format', { lines: [line] }, usage));
  }
  if (word !== undefined && first !== undefined) given.value[word] = isMany ? rest : first;
  const checked = form.check(given.value, limits);
  return 'value' in checked
    ? { ...checked, notes: [...given.notes, ...checked.notes] }
    : {
        refused: refusal('Validation failed', 'problems' in checked ? checked.problems : undefined),
      };
}

/** `--add-blocked-by` is the field `addBlockedBy`. */
function fieldsOf(
  { fields, usage }: Pick<TaskForm<never>, 'fields' | 'usage'>,
  names: readonly string[],
  options: Readonly<Record<string, unknown>>,
): { value: Record<string, unknown>; notes: string[] } | { refused: CommandResult } {
  const value: Record<string, unknown> = {};
  const notes: string[] = [];
  for (const name of names) {
    const field = fieldOf(name);
    const text = options[name];
    value[field] = text;
    const kind = fields[field]?.kind;
    if (kind?.is !== 'read' || !kind.isJsonText || typeof text !== 'string') continue;
    const reading = readJson(text);
    if ('problem' in reading) {
      const line = `${name}: ${describeProblem(text, reading.problem)}`;
      return { refused: refusal('Invalid JSON format', { lines: [line] }, `Usage: ${usage}\n`) };
    }
    value[field] = reading.value;
    notes.push(...reading.notes);
  }
  return { value, notes };
}

/**
 * Models that have read a task's `id` use that name for `taskId`.
 *
 * @param rule returns what is wrong with fields that are valid one by one.
 */
function checkRequest<const Table extends Fields>(
  table: Table,
  given: unknown,
  limits: TextLimits,
  rule?: (request: ValuesOf<Table>) => string | undefined,
): CheckedJson<ValuesOf<Table>> {
  if (!isObject(given)) {
    return { problems: { lines: [`Expected object, received ${typeName(given)}`] } };
  }
  const isId = 'taskId' in table && Object.hasOwn(given, 'id') && !Object.hasOwn(given, 'taskId');
  const { id, ...others } = given;
  const mended = isId ? { taskId: id, ...others } : given;
  const { data, error } = objectSchema(table, limits).safeParse(mended);
  if (error) {
    const lines = new ProblemLines(otherNames(table));
    for (const issue of error.issues) lines.add(issue, mended);
    return { problems: lines.problems() };
  }
  const problem = rule?.(data);
  if (problem !== undefined) return { problems: { lines: [problem] } };
  return { value: data, notes: isId ? ['read "id" as "taskId"'] : [] };
}
