import * as z from 'zod/mini';
import { PRIORITIES } from '../command/status.ts';
import { isObject, typeName } from '../json/json-value.ts';
import { type OtherWords, ProblemLines, textProblem } from '../json/schema-issues.ts';
import { characterCount, inQuotes } from '../safe-text.ts';
import { parseDuration } from '../settings/duration.ts';
import { MAX_LONG_TEXT, metadataProblem, tooLong } from './metadata.ts';
import type { RequestLimits, RequestSchema } from './task-form.ts';

const MAX_REF_CHARACTERS = 40;
const ID = /^#?([1-9]\d{0,14})$/;

/** Other words for what a task has. */
export const OTHER_WORDS: OtherWords = [
  ['subject', /^(?:title|name|content|task|text|todo|summary)$/i],
  ['description', /^(?:desc|details|body)$/i],
  ['activeForm', /^active[_-]form$|^(?:activeform|active)$/i],
  ['owner', /^(?:assignee|assigned_?to|agent)$/i],
  ['check', /^(?:checks|verify|verification|command|test)$/i],
];

export const BLOCKERS = /^(?:blocked_?by|blockers|depends_?on|dependencies|requires)$/i;

/** A text on one line that is not blank. */
export function shortText({ maxContentLength }: RequestLimits) {
  return checkedText((text) => textProblem(text, maxContentLength));
}

/** Who is to have a task. Nobody is no owner: there is a command for that. */
export function ownerName({ maxContentLength }: RequestLimits) {
  return z.pipe(
    checked((value) => {
      if (value === null || (typeof value === 'string' && value.trim() === '')) {
        return "Cannot be blank; TaskRelease ID makes a task nobody's";
      }
      if (typeof value !== 'string') return `Expected string, received ${typeName(value)}`;
      return textProblem(value, maxContentLength);
    }),
    z.transform((value) => value as string),
  );
}

export const longText = checkedText((text) => {
  if (text.length <= MAX_LONG_TEXT) return undefined;
  const length = characterCount(text);
  return length > MAX_LONG_TEXT ? tooLong(length) : undefined;
});

/** `30m` as milliseconds; 0 for `off`. */
export const duration = z.pipe(
  checked((value) =>
    durationOf(value) === undefined
      ? `Expected a time such as 90s, 30m or 8h, received ${shown(value)}`
      : undefined,
  ),
  z.transform((value) => durationOf(value) as number),
);

function durationOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  return value === 'off' ? 0 : parseDuration(value);
}

export const versionNumber = wholeNumber('the number of a version');

/** @param what as in `Expected the number of a version`. */
export function wholeNumber(what: string) {
  return z.pipe(
    checked((value) => {
      const number = typeof value === 'string' ? Number(value) : value;
      return Number.isSafeInteger(number) && (number as number) > 0
        ? undefined
        : `Expected ${what}, received ${shown(value)}`;
    }),
    z.transform((value) => Number(value)),
  );
}

export const priority = z.enum(PRIORITIES);

/** 3, '3' or '#3'. */
export const taskId = z.pipe(
  checked((value) => (idOf(value) === undefined ? notAnId(value) : undefined)),
  z.transform((value) => idOf(value) as number),
);

export const taskIds = z.array(taskId);

/** The refs of a batch, with the places of the tasks that have them: one each, where all is well. */
export type Refs = ReadonlyMap<string, readonly number[]>;

/** What a batch calls one of its tasks; never a word that could be an id. */
export function taskRef(refs: Refs) {
  return checkedText((text) => {
    if (idOf(text) !== undefined) return `Cannot look like a task id, received ${shown(text)}`;
    const places = refs.get(text) ?? [];
    if (places.length > 1)
      return `Must be unique, is that of ${places.map((at) => `[${at}]`).join(' and ')}`;
    return textProblem(text, MAX_REF_CHARACTERS);
  });
}

/** An id, or the ref of a task of the same call, given as that task's place in it. */
export function taskIdOrRef(refs: Refs) {
  return z.pipe(
    checked((value) => {
      if (idOf(value) !== undefined || refs.has(value as string)) return undefined;
      return notAnId(value) + (refs.size > 0 ? ', or the "ref" of a task in this call' : '');
    }),
    z.transform((value) => {
      const place = refs.get(value as string)?.[0];
      return place === undefined ? { id: idOf(value) as number } : { place };
    }),
  );
}

function notAnId(value: unknown): string {
  return `Expected a task id such as 3, received ${shown(value)}`;
}

export const metadata = z.pipe(
  checked(metadataProblem),
  z.transform((value) => value as Record<string, unknown>),
);

/** Checks one request against the fields that it may have. */
export function requestSchema<Schema extends z.ZodMiniType>(
  build: (limits: RequestLimits) => Schema,
  mend: (value: unknown) => { value: unknown; notes: readonly string[] } = unmended,
  otherWords: OtherWords = [],
): RequestSchema<z.output<Schema>> {
  return (given, limits) => {
    const { value, notes } = mend(given);
    if (!isObject(value))
      return { problems: { lines: [`Expected object, received ${typeName(value)}`] } };
    const lines = new ProblemLines(otherWords);
    const request = parse(build(limits), value, lines);
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
