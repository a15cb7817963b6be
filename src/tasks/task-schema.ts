import * as z from 'zod/mini';
import type { JsonSchema } from '../command/agent-command.ts';
import { PRIORITIES } from '../command/status.ts';
import {
  type Fields,
  type Kind,
  objectSchema,
  oneOf,
  otherNames,
  type StoredField,
  shortText,
  type TextLimits,
} from '../json/fields.ts';
import type { CheckedJson } from '../json/json-input.ts';
import { isObject, typeName } from '../json/json-value.ts';
import { ProblemLines, textProblem } from '../json/schema-issues.ts';
import { characterCount, inQuotes } from '../safe-text.ts';
import { parseDuration } from '../settings/setting-rows.ts';

const MAX_REF_CHARACTERS = 40;
/** The most characters of a description, and of the JSON of a task's metadata. */
const MAX_LONG_TEXT = 10_000;
const MAX_DEPTH = 20;
const WHOLE_NUMBER = { type: 'integer', minimum: 1 };
const ID = /^#?([1-9]\d{0,14})$/;

/** Who is to have a task. Nobody is no owner: there is a command for that. */
export const ownerName = {
  schema: ({ maxContentLength }) =>
    checkedValue((value) => {
      if (value === null || (typeof value === 'string' && value.trim() === '')) {
        return "Cannot be blank; TaskRelease ID makes a task nobody's";
      }
      if (typeof value !== 'string') return `Expected string, received ${typeName(value)}`;
      return textProblem(value, maxContentLength);
    }, String),
  json: shortText.json,
} satisfies Kind;

export const longText = {
  ...shortText,
  ...kindOf(
    () =>
      checkedText((text) => {
        if (text.length <= MAX_LONG_TEXT) return undefined;
        const length = characterCount(text);
        return length > MAX_LONG_TEXT ? tooLong(length) : undefined;
      }),
    { type: 'string', maxLength: MAX_LONG_TEXT },
  ),
};

export const flag = { ...kindOf(() => z.boolean(), { type: 'boolean' }), option: 'flag' } as const;

/** `30m` as milliseconds; 0 for `off`. */
export const duration = readAs(durationOf, 'a time such as 90s, 30m or 8h', { type: 'string' });

function durationOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  return value === 'off' ? 0 : parseDuration(value);
}

/** @param what as in `Expected the number of a version`. */
export function wholeNumber(what: string) {
  return readAs(numberOf, what, WHOLE_NUMBER);
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) > 0 ? (number as number) : undefined;
}

const A_TASK_ID = 'a task id such as 3';

/** 3, '3' or '#3'. */
export const taskId = readAs(idOf, A_TASK_ID, WHOLE_NUMBER);

const SOME_IDS = { type: 'array', items: WHOLE_NUMBER };

export const taskIds = {
  ...kindOf(() => z.array(taskId.schema()), SOME_IDS),
  option: { ...taskId.option, isRepeated: true },
} satisfies Kind;

/** The refs of a batch, with the places of the tasks that have them: one each, where all is well. */
export type Refs = ReadonlyMap<string, readonly number[]>;

/** What a batch calls one of its tasks; never a word that could be an id. */
export function taskRef(refs: Refs) {
  const build = () =>
    checkedText((text) => {
      if (idOf(text) !== undefined) return `Cannot look like a task id, received ${shown(text)}`;
      const places = refs.get(text) ?? [];
      if (places.length > 1)
        return `Must be unique, is that of ${places.map((at) => `[${at}]`).join(' and ')}`;
      return textProblem(text, MAX_REF_CHARACTERS);
    });
  return kindOf(build, { type: 'string', maxLength: MAX_REF_CHARACTERS });
}

/** Ids, or the refs of tasks of the same call, given as those tasks' places in it. */
export function taskIdsOrRefs(refs: Refs) {
  const build = () =>
    checkedValue(
      (value) => {
        if (idOf(value) !== undefined || refs.has(value as string)) return undefined;
        const orRef = refs.size > 0 ? ', or the "ref" of a task in this call' : '';
        return `Expected ${A_TASK_ID}, received ${shown(value)}${orRef}`;
      },
      (value) => {
        const place = refs.get(value as string)?.[0];
        return place === undefined ? { id: idOf(value) as number } : { place };
      },
    );
  return { ...taskIds, ...kindOf(() => z.array(build()), SOME_IDS) };
}

const metadata = {
  ...kindOf(() => checkedValue(metadataProblem, (value) => value as Record<string, unknown>), {
    type: 'object',
  }),
  isJsonText: true,
  isStored: (value: unknown) => metadataProblem(value) === undefined,
  wrong: shortText.wrong,
} as const;

/** The fields of a task that are stored as they are given, a row each: TaskCreate and TaskUpdate take all of them. */
export const TASK_FIELDS = {
  subject: { kind: shortText, others: /^(?:title|name|content|task|text|todo|summary)$/i },
  description: { kind: longText, others: /^(?:desc|details|body)$/i },
  activeForm: {
    kind: shortText,
    hint: 'The subject while it is being done: "Running tests"',
    others: /^active[_-]form$|^(?:activeform|active)$/i,
  },
  priority: { kind: oneOf(PRIORITIES) },
  check: {
    kind: shortText,
    hint: 'A command that proves that it is done',
    others: /^(?:checks|verify|verification|command|test)$/i,
  },
  metadata: { kind: metadata },
} as const satisfies Readonly<Record<string, StoredField>>;

export const OWNERS = /^(?:assignee|assigned_?to|agent)$/i;
export const BLOCKERS = /^(?:blocked_?by|blockers|depends_?on|dependencies|requires)$/i;

/** The task that a command is about, as its first word. */
export const ONE_TASK = { kind: taskId, isRequired: true, words: 'one' } as const;
/** The tasks that a command is about, as words. */
export const SOME_TASKS = { kind: taskIds, words: 'many' } as const;
/** A version of the list, as an option. */
export const AT = {
  kind: { ...wholeNumber('the number of a version'), option: 'version' },
  hint: 'The number of a version',
} as const;

/** Checks a request. Gives it as it is understood, or everything that is wrong with it. */
export type RequestCheck<Request> = (value: unknown, limits: TextLimits) => CheckedJson<Request>;

/** What a request with these fields is. */
export type RequestOf<Table extends Fields> = z.output<ReturnType<typeof objectSchema<Table>>>;

/**
 * Checks one request against the fields that it may have. Models that have read a task's `id` write its `taskId` under
 * that name.
 *
 * @param rule what is wrong with a request whose fields are right each by itself.
 */
export function checkRequest<const Table extends Fields>(
  table: Table,
  given: unknown,
  limits: TextLimits,
  rule?: (request: RequestOf<Table>) => string | undefined,
): CheckedJson<RequestOf<Table>> {
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

/** What is wrong with a value as the metadata of a task, if anything. */
export function metadataProblem(value: unknown): string | undefined {
  if (!isObject(value)) return `Expected object, received ${typeName(value)}`;
  if (isDeeperThan(MAX_DEPTH, value)) return `Must be nested at most ${MAX_DEPTH} deep`;
  const size = JSON.stringify(value).length;
  return size > MAX_LONG_TEXT ? tooLong(size) : undefined;
}

function tooLong(length: number): string {
  return `Must be at most ${MAX_LONG_TEXT} characters, received ${length}`;
}

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner));
}

/** A kind that depends on no limits. Its schema is built when it is first needed: a command needs few of them. */
function kindOf<Schema extends z.ZodMiniType>(build: () => Schema, json: JsonSchema) {
  let built: Schema | undefined;
  const schema = () => {
    built ??= build();
    return built;
  };
  return { schema, json: () => json } satisfies Kind;
}

/** A kind whose values are read. @param what as in `Expected a task id such as 3`. */
function readAs<Value>(
  read: (given: unknown) => Value | undefined,
  what: string,
  json: JsonSchema,
) {
  const fits = (given: unknown) => read(given) !== undefined;
  const build = () =>
    checkedValue(
      (given) => (fits(given) ? undefined : `Expected ${what}, received ${shown(given)}`),
      (given) => read(given) as Value,
    );
  return { ...kindOf(build, json), option: { needs: what, fits } } satisfies Kind;
}

function checkedText(problemOf: (text: string) => string | undefined) {
  return z.string().check(problemCheck(problemOf));
}

function checkedValue<Value>(
  problemOf: (value: unknown) => string | undefined,
  toValue: (value: unknown) => Value,
) {
  return z.pipe(z.unknown().check(problemCheck(problemOf)), z.transform(toValue));
}

function problemCheck<Value>(problemOf: (value: Value) => string | undefined) {
  return ({ value, issues }: z.core.ParsePayload<Value>) => {
    const message = problemOf(value);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  };
}

function idOf(value: unknown): number | undefined {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && value > 0 ? value : undefined;
  const [, digits] = (typeof value === 'string' && ID.exec(value.trim())) || [];
  return digits === undefined ? undefined : Number(digits);
}

function shown(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? inQuotes(value) : typeName(value);
}
