import type { CommandResult, Invocation } from '../command/agent-command.ts';
import { wrongUsage } from '../command/options.ts';
import { refusal } from '../command/refusal.ts';
import { describeProblem } from '../json/describe-problem.ts';
import { readJson } from '../json/json-reader.ts';
import { MAX_LIST_BYTES } from '../json/list-size.ts';
import { isJsonCollection, QUOTES_BROKE, withoutOuterQuotes } from '../json/raw-json.ts';
import { explainAccident, type ShellAccident } from '../json/shell-accidents.ts';
import { safeText } from '../safe-text.ts';
import type { RequestLimits, TaskForm } from './task-form.ts';
import { fieldOf, type ReadOptions, readOptions } from './task-options.ts';

/** A request that is right, or the result that says what is wrong with it. */
export type RequestReading<Request> =
  | {
      readonly request: Request;
      readonly options: ReadOptions;
      readonly notes: readonly string[];
    }
  | { readonly refused: CommandResult };

const MAX_QUOTED_CHARACTERS = 40;

/**
 * Reads what a call asks for: fields as options, or JSON as one argument or on standard input. As with TodoWrite, bash's
 * own reading comes first, and what was typed counts only where that gives no request.
 */
export async function readRequest<Request>(
  form: TaskForm<Request>,
  invocation: Invocation,
  limits: RequestLimits,
): Promise<RequestReading<Request>> {
  const { argv, raw = '' } = invocation;
  const isOnlyTyped = argv.length === 0 && raw !== '';
  const asBashReadIt = isOnlyTyped
    ? { refused: missingJson(form) }
    : await readArguments(form, invocation, limits);
  if ('request' in asBashReadIt || isTooLarge(raw)) return asBashReadIt;
  const typed = withoutOuterQuotes(raw);
  if (typed === argv[0] || !isJsonCollection(typed)) return asBashReadIt;
  const asTyped = readText(form, typed, NO_OPTIONS, limits);
  return 'request' in asTyped ? { ...asTyped, notes: [QUOTES_BROKE, ...asTyped.notes] } : asTyped;
}

const NO_OPTIONS: ReadOptions = { fields: {}, positionals: [], flags: new Set() };

async function readArguments<Request>(
  form: TaskForm<Request>,
  { argv, stdin }: Invocation,
  limits: RequestLimits,
): Promise<RequestReading<Request>> {
  if (isJson(argv[0]) && argv.length > 1 && !argv[1]?.startsWith('--'))
    return { refused: tooManyArguments(form, argv) };
  const options = readOptions(form, argv);
  if ('problem' in options) return { refused: wrongUsage(options.problem, usageOf(form)) };
  const { fields, positionals } = options;
  const [first] = positionals;
  const hasFields = Object.keys(fields).length > 0;
  const isFromStdin = first === '-' || (first === undefined && !hasFields && form.readsStdin);
  if (!isFromStdin && !isJson(first)) return readFields(form, options, limits);
  if (hasFields) {
    const problem = 'Give the fields as JSON or as options, not both';
    return { refused: wrongUsage(problem, usageOf(form)) };
  }
  if (positionals.length > 1) return { refused: tooManyArguments(form, positionals) };
  return readText(form, isFromStdin ? await stdin() : (first ?? ''), options, limits);
}

function readFields<Request>(
  form: TaskForm<Request>,
  options: ReadOptions,
  limits: RequestLimits,
): RequestReading<Request> {
  const { positional } = form;
  const { positionals } = options;
  if (positionals.length > (positional?.isList ? positionals.length : positional ? 1 : 0)) {
    const unexpected = safeText(positionals[positional ? 1 : 0] ?? '', MAX_QUOTED_CHARACTERS);
    return { refused: wrongUsage(`Unexpected argument '${unexpected}'`, usageOf(form)) };
  }
  const fields: Record<string, unknown> = { ...options.fields };
  if (positional && positionals.length > 0) {
    fields[positional.field] = positional.isList ? positionals : positionals[0];
  }
  const notes: string[] = [];
  for (const [option, kind] of Object.entries(form.fields)) {
    const field = fieldOf(option);
    const text = fields[field];
    if (kind !== 'json' || typeof text !== 'string') continue;
    const reading = readJson(text);
    if ('problem' in reading) {
      const line = `--${option}: ${describeProblem(text, reading.problem)}`;
      return { refused: refusal('Invalid JSON format', { lines: [line] }, usageOf(form)) };
    }
    fields[field] = reading.value;
    notes.push(...reading.notes);
  }
  return checked(form, fields, notes, options, limits);
}

function readText<Request>(
  form: TaskForm<Request>,
  text: string,
  options: ReadOptions,
  limits: RequestLimits,
): RequestReading<Request> {
  if (isTooLarge(text)) {
    const size = Buffer.byteLength(text);
    const lines = [`The input must be at most 1 MiB, received ${size} bytes`];
    return { refused: refusal('Validation failed', { lines }) };
  }
  if (text.trim() === '') return { refused: missingJson(form) };
  const reading = readJson(text);
  if ('problem' in reading) {
    const { kind } = reading.problem;
    const ending = (kind === 'other' ? '' : explain(form, kind)) + usageOf(form);
    const lines = [describeProblem(text, reading.problem)];
    return { refused: refusal('Invalid JSON format', { lines }, ending) };
  }
  return checked(form, reading.value, reading.notes, options, limits);
}

function checked<Request>(
  form: TaskForm<Request>,
  value: unknown,
  notes: readonly string[],
  options: ReadOptions,
  limits: RequestLimits,
): RequestReading<Request> {
  const result = form.check(value, limits);
  if ('problems' in result) return { refused: refusal('Validation failed', result.problems) };
  return { request: result.request, options, notes: [...notes, ...(result.notes ?? [])] };
}

function isJson(argument: string | undefined): boolean {
  return argument !== undefined && /^\s*[[{]/.test(argument);
}

function isTooLarge(text: string): boolean {
  return text.length > MAX_LIST_BYTES || Buffer.byteLength(text) > MAX_LIST_BYTES;
}

function missingJson<Request>(form: TaskForm<Request>): CommandResult {
  return refusal('Missing JSON parameter', { lines: [] }, usageOf(form));
}

function tooManyArguments<Request>(
  form: TaskForm<Request>,
  argv: readonly string[],
): CommandResult {
  const start = safeText(argv[0] ?? '', MAX_QUOTED_CHARACTERS);
  const lines = [
    `expected the JSON as one argument, received ${argv.length}; the first is ${start}`,
  ];
  return refusal('Invalid JSON format', { lines }, explain(form, 'split') + usageOf(form));
}

function explain<Request>({ name, example }: TaskForm<Request>, accident: ShellAccident): string {
  return explainAccident(accident, `${name} <<'EOF'\n${example}\nEOF\n`);
}

function usageOf<Request>({ usage }: TaskForm<Request>): string {
  return `Usage: ${usage}\n`;
}
