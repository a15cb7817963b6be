import * as z from 'zod/mini';
import { PRIORITIES } from '../command/status.ts';
import {
  type Fields,
  type Kind,
  objectSchema,
  oneOf,
  otherNames,
  shortText,
} from '../json/fields.ts';
import { isObject, typeName } from '../json/json-value.ts';
import { ProblemLines, textProblem } from '../json/schema-issues.ts';
import { characterCount, inQuotes } from '../safe-text.ts';
import { parseDuration } from '../settings/duration.ts';
import { MAX_LONG_TEXT, metadataProblem, tooLong } from './metadata.ts';
import type { RequestSchema } from './task-form.ts';

const MAX_REF_CHARACTERS = 40;
const WHOLE_NUMBER = { type: 'integer', minimum: 1 };
const ID = /^#?([1-9]\d{0,14})$/;

/** Who is to have a task. Nobody is no owner: there is a command for that. */
export const ownerName = {
  schema: ({ maxContentLength }) =>
    z.pipe(
      checked((value) => {
        if (value === null || (typeof value === 'string' && value.trim() === '')) {
          return "Cannot be blank; TaskRelease ID makes a task nobody's";
        }
        if (typeof value !== 'string') return `Expected string, received ${typeName(value)}`;
        return textProblem(value, maxContentLength);
      }),
      z.transform((value) => value as string),
    ),
  json: shortText.json,
} satisfies Kind;

export const longText = {
  schema: () => LONG_TEXT,
  json: () => ({ type: 'string', maxLength: MAX_LONG_TEXT }),
} satisfies Kind;

const LONG_TEXT = checkedText((text) => {
  if (text.length <= MAX_LONG_TEXT) return undefined;
  const length = characterCount(text);
  return length > MAX_LONG_TEXT ? tooLong(length) : undefined;
});

export const flag = {
  schema: () => z.boolean(),
  json: () => ({ type: 'boolean' }),
  option: 'flag',
} satisfies Kind;

const A_TIME = 'a time such as 90s, 30m or 8h';

/** `30m` as milliseconds; 0 for `off`. */
export const duration = {
  schema: () => DURATION,
  json: () => ({ type: 'string' }),
  option: { needs: A_TIME, fits: (text) => durationOf(text) !== undefined },
} satisfies Kind;

const DURATION = z.pipe(
  checked((value) =>
    durationOf(value) === undefined ? `Expected ${A_TIME}, received ${shown(value)}` : undefined,
  ),
  z.transform((value) => durationOf(value) as number),
);

function durationOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  return value === 'off' ? 0 : parseDuration(value);
}

const versionNumber = {
  ...wholeNumber('the number of a version'),
  option: 'version',
} satisfies Kind;

/** @param what as in `Expected the number of a version`. */
export function wholeNumber(what: string) {
  const fits = (value: unknown) => {
    const number = typeof value === 'string' ? Number(value) : value;
    return Number.isSafeInteger(number) && (number as number) > 0;
  };
  const schema = z.pipe(
    checked((value) => (fits(value) ? undefined : `Expected ${what}, received ${shown(value)}`)),
    z.transform((value) => Number(value)),
  );
  const option = { needs: what, fits };
  return { schema: () => schema, json: () => WHOLE_NUMBER, option } satisfies Kind;
}

const A_TASK_ID = 'a task id such as 3';

/** 3, '3' or '#3'. */
export const taskId = { schema: () => TASK_ID, json: () => WHOLE_NUMBER } satisfies Kind;

export const taskIds = {
  schema: () => z.array(TASK_ID),
  json: () => ({ type: 'array', items: WHOLE_NUMBER }),
  option: { needs: A_TASK_ID, fits: (text) => idOf(text) !== undefined, isRepeated: true },
} satisfies Kind;

const TASK_ID = z.pipe(
  checked((value) => (idOf(value) === undefined ? notAnId(value) : undefined)),
  z.transform((value) => idOf(value) as number),
);

/** The refs of a batch, with the places of the tasks that have them: one each, where all is well. */
export type Refs = ReadonlyMap<string, readonly number[]>;

/** What a batch calls one of its tasks; never a word that could be an id. */
export function taskRef(refs: Refs) {
  const schema = checkedText((text) => {
    if (idOf(text) !== undefined) return `Cannot look like a task id, received ${shown(text)}`;
    const places = refs.get(text) ?? [];
    if (places.length > 1)
      return `Must be unique, is that of ${places.map((at) => `[${at}]`).join(' and ')}`;
    return textProblem(text, MAX_REF_CHARACTERS);
  });
  const json = { type: 'string', maxLength: MAX_REF_CHARACTERS };
  return { schema: () => schema, json: () => json } satisfies Kind;
}

/** Ids, or the refs of tasks of the same call, given as those tasks' places in it. */
export function taskIdsOrRefs(refs: Refs) {
  const schema = z.pipe(
    checked((value) => {
      if (idOf(value) !== undefined || refs.has(value as string)) return undefined;
      return notAnId(value) + (refs.size > 0 ? ', or the "ref" of a task in this call' : '');
    }),
    z.transform((value) => {
      const place = refs.get(value as string)?.[0];
      return place === undefined ? { id: idOf(value) as number } : { place };
    }),
  );
  return { ...taskIds, schema: () => z.array(schema) } satisfies Kind;
}

function notAnId(value: unknown): string {
  return `Expected ${A_TASK_ID}, received ${shown(value)}`;
}

export const metadata = {
  schema: () => METADATA,
  json: () => ({ type: 'object' }),
  isJsonText: true,
} satisfies Kind;

const METADATA = z.pipe(
  checked(metadataProblem),
  z.transform((value) => value as Record<string, unknown>),
);

/** The fields of a task that several commands take, a row each. */
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
} as const satisfies Fields;

export const OWNERS = /^(?:assignee|assigned_?to|agent)$/i;
export const BLOCKERS = /^(?:blocked_?by|blockers|depends_?on|dependencies|requires)$/i;

/** The task that a command is about, as its first word. */
export const ONE_TASK = { kind: taskId, isRequired: true, isNoOption: true } as const;
/** A version of the list, as an option. */
export const AT = { kind: versionNumber, hint: 'The number of a version' } as const;

/** Checks one request against the fields that it may have. */
export function requestSchema<const Table extends Fields>(
  table: Table,
  mend: (value: unknown) => { value: unknown; notes: readonly string[] } = unmended,
): RequestSchema<z.output<ReturnType<typeof objectSchema<Table>>>> {
  const otherWords = otherNames(table);
  return (given, limits) => {
    const { value, notes } = mend(given);
    if (!isObject(value))
      return { problems: { lines: [`Expected object, received ${typeName(value)}`] } };
    const lines = new ProblemLines(otherWords);
    const request = parse(objectSchema(table, limits), value, lines);
    return request === undefined ? { problems: lines.problems() } : { request, notes };
  };
}

/** Parses one value, or adds what is wrong with it. @param path where the value stands in what was given. */
export function parse<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  lines: ProblemLines,
  path?: { root: unknown; at: number },
): z.output<Schema> | undefined {
  const { data, error } = schema.safeParse(value);
  for (const issue of error?.issues ?? []) {
    const located = path ? { ...issue, path: [path.at, ...issue.path] } : issue;
    lines.add(located, path?.root ?? value);
  }
  return data;
}

function unmended(value: unknown) {
  return { value, notes: [] };
}

function checkedText(problemOf: (text: string) => string | undefined) {
  return z.string().check(({ value, issues }) => {
    const message = problemOf(value);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  });
}

function checked(problemOf: (value: unknown) => string | undefined) {
  return z.unknown().check(({ value, issues }) => {
    const message = problemOf(value);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  });
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
