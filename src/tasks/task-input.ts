import type { CommandResult, Invocation } from '../command/agent-command.ts';
import {
  beginsJson,
  type OptionTable,
  type ParsedOptions,
  wrongUsage,
} from '../command/options.ts';
import { refusal } from '../command/refusal.ts';
import { fieldOf, optionTable } from '../json/fields.ts';
import { type JsonForm, orAsTyped, readJsonInput } from '../json/json-input.ts';
import { describeProblem, readJson } from '../json/json-reader.ts';
import { inQuotes } from '../safe-text.ts';
import {
  COMMON_OPTIONS,
  type GivenOptions,
  type RequestLimits,
  type TaskForm,
} from './task-form.ts';

/** A request that is right; or the result of a call that asks for help, or that is wrong. */
export type RequestReading<Request> =
  | {
      readonly request: Request;
      readonly options: GivenOptions;
      readonly notes: readonly string[];
    }
  | { readonly refused: CommandResult };

/** All options of a command. */
export function optionsOf({
  fields,
  options,
}: Pick<TaskForm<unknown>, 'fields' | 'options'>): OptionTable {
  return { ...optionTable(fields), ...options, ...COMMON_OPTIONS };
}

/** Reads what a call asks for: fields as options, or JSON as one argument or on standard input. */
export async function readRequest<Request>(
  form: TaskForm<Request>,
  invocation: Invocation,
  limits: RequestLimits,
  parsed: ParsedOptions<OptionTable>,
): Promise<RequestReading<Request>> {
  const { argv, stdin, raw = '' } = invocation;
  const usage = `Usage: ${form.usage}\n`;
  const json = jsonForm(form, usage, limits);
  const complete = (
    input: { value: Request; notes: readonly string[] } | { refused: CommandResult },
    options: GivenOptions = {},
  ) => ('refused' in input ? input : { request: input.value, notes: input.notes, options });
  const typedOr = (refused: CommandResult) => complete(orAsTyped(json, { argv, raw }, { refused }));
  const wrong = (problem: string) => typedOr(wrongUsage(problem, usage));

  if ('problem' in parsed) return wrong(parsed.problem);
  const { rest } = parsed;
  // The table is made of several: what is common to all commands has the types that it has there.
  const options = parsed.options as GivenOptions;
  const names = Object.keys(optionTable(form.fields)).filter((name) =>
    Object.hasOwn(options, name),
  );
  const isTyped = raw !== '' && argv.length === 0;
  const isJson = rest.length > 0 ? rest[0] === '-' || beginsJson(rest[0] ?? '') : form.readsStdin;
  if (!isTyped && (!isJson || (rest.length === 0 && names.length > 0))) {
    const fields = fieldsOf(form, names, options);
    if ('refused' in fields) return fields;
    const { positional } = form;
    const unexpected = rest[positional ? (positional.isList ? rest.length : 1) : 0];
    if (unexpected !== undefined) {
      if (names.length > 0) return wrong(`Unexpected argument ${inQuotes(unexpected)}`);
      return typedOr(
        positional || !form.readsStdin
          ? refusal(`Unexpected argument ${inQuotes(unexpected)}`, undefined, usage)
          : refusal(
              'Invalid JSON format',
              { lines: [`${inQuotes(unexpected)} is not JSON`] },
              usage,
            ),
      );
    }
    if (positional && rest.length > 0) {
      fields.value[positional.field] = positional.isList ? rest : rest[0];
    }
    const checked = form.check(fields.value, limits);
    return 'problems' in checked
      ? { refused: refusal('Validation failed', checked.problems) }
      : complete(
          { value: checked.request, notes: [...fields.notes, ...(checked.notes ?? [])] },
          options,
        );
  }
  if (names.length > 0) return wrong('Give the fields as JSON or as options, not both');
  return complete(await readJsonInput(json, { argv: rest, stdin, raw }), options);
}

function jsonForm<Request>(
  { name, example, check }: TaskForm<Request>,
  usage: string,
  limits: RequestLimits,
): JsonForm<Request> {
  return {
    name,
    noun: 'input',
    example,
    usage: { missing: usage, invalid: usage },
    check: (value) => {
      const checked = check(value, limits);
      return 'problems' in checked
        ? checked
        : { value: checked.request, notes: checked.notes ?? [] };
    },
  };
}

/** The fields that options stand for: `--add-blocked-by` is `addBlockedBy`. */
function fieldsOf<Request>(
  { fields, usage }: TaskForm<Request>,
  names: readonly string[],
  options: Readonly<Record<string, unknown>>,
): { value: Record<string, unknown>; notes: string[] } | { refused: CommandResult } {
  const value: Record<string, unknown> = {};
  const notes: string[] = [];
  for (const name of names) {
    const field = fieldOf(name);
    const text = options[name];
    value[field] = text;
    if (!fields[field]?.kind.isJsonText || typeof text !== 'string') continue;
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
