import type { JsonSchema } from '../command/agent-command.ts';
import { PRIORITIES } from '../command/status.ts';
import {
  type Fields,
  type FlagKind,
  type ListKind,
  oneOf,
  type Reading,
  type ReadKind,
  shortText,
  type TextKind,
} from '../json/fields.ts';
import { isObject, typeName } from '../json/json-value.ts';
import { textProblem } from '../json/schema-issues.ts';
import { characterCount, inQuotes } from '../safe-text.ts';
import { parseDuration } from '../settings/setting-rows.ts';

const MAX_REF_CHARACTERS = 40;
/** In characters, of a description and of metadata as JSON. */
const MAX_LONG_TEXT = 10_000;
const MAX_DEPTH = 20;
const WHOLE_NUMBER = { type: 'integer', minimum: 1 };
const ID = /^#?([1-9]\d{0,14})$/;

/** Blank is refused, since TaskRelease removes an owner. */
export const ownerName: ReadKind<string> = {
  is: 'read',
  read: (value, { maxContentLength }) => {
    if (value === null || (typeof value === 'string' && value.trim() === '')) {
      return { problem: 'Cannot be blank; to clear the owner: TaskRelease ID' };
    }
    if (typeof value !== 'string')
      return { problem: `Expected string, received ${typeName(value)}` };
    const problem = textProblem(value, maxContentLength);
    return problem === undefined ? { value } : { problem };
  },
  json: ({ maxContentLength }) => ({ type: 'string', pattern: '\\S', maxLength: maxContentLength }),
  option: 'text',
};

export const longText: TextKind = {
  is: 'text',
  most: () => MAX_LONG_TEXT,
  problem: (text, most) => {
    const length = text.length > most ? characterCount(text) : 0;
    return length > most ? tooLong(length) : undefined;
  },
};

export const flag: FlagKind = { is: 'flag' };

/** `30m` as milliseconds; 0 for `off`. */
export const duration = readAs(durationOf, 'a time such as 90s, 30m or 8h', { type: 'string' });

function durationOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  return value === 'off' ? 0 : parseDuration(value);
}

/** @param what as in `Expected the number of a version`. */
export function wholeNumber(what: string): ReadKind<number> {
  return readAs(numberOf, what, WHOLE_NUMBER);
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) > 0 ? (number as number) : undefined;
}

const A_TASK_ID = 'a task id such as 3';

/** 3, '3' or '#3'. */
export const taskId = readAs(idOf, A_TASK_ID, WHOLE_NUMBER);
export const taskIds: ListKind<number> = { is: 'list', of: taskId };

/** The refs of a call, with the indices of their tasks: one each, if all is well. */
export type Refs = ReadonlyMap<string, readonly number[]>;

/** The name of a task within one call; never like an id. */
export function taskRef(refs: Refs): TextKind {
  return {
    is: 'text',
    most: () => MAX_REF_CHARACTERS,
    problem: (text, most) => {
      if (idOf(text) !== undefined) return `Cannot look like a task id, received ${shown(text)}`;
      const places = refs.get(text) ?? [];
      if (places.length > 1)
        return `Must be unique, is used by ${places.map((at) => `[${at}]`).join(' and ')}`;
      return textProblem(text, most);
    },
  };
}

/** A task to wait for: an existing one by id, or one of the same call by index. */
export type Blocker = { readonly id: number } | { readonly place: number };

export function taskIdsOrRefs(refs: Refs): ListKind<Blocker> {
  const read = (value: unknown): Reading<Blocker> => {
    const [id, place] = [idOf(value), refs.get(value as string)?.[0]];
    if (place !== undefined) return { value: { place } };
    if (id !== undefined) return { value: { id } };
    const orRef = refs.size > 0 ? ', or the "ref" of a task in this call' : '';
    return { problem: `Expected ${A_TASK_ID}, received ${shown(value)}${orRef}` };
  };
  return { is: 'list', of: { ...taskId, read } };
}

const metadata: ReadKind<Readonly<Record<string, unknown>>> = {
  is: 'read',
  read: (value) => {
    const problem = metadataProblem(value);
    return problem === undefined ? { value: value as Record<string, unknown> } : { problem };
  },
  json: () => ({ type: 'object' }),
  option: 'text',
  isJsonText: true,
  isStored: (value) => metadataProblem(value) === undefined,
};

/** The fields that TaskCreate and TaskUpdate accept and store as given. */
export const TASK_FIELDS = {
  /** The task on one line: "Fix login". */
  subject: { kind: shortText, others: /^(?:title|name|content|task|text|todo|summary)$/i },
  description: { kind: longText, others: /^(?:desc|details|body)$/i },
  /** The subject while it is being done: "Fixing login". */
  activeForm: {
    kind: shortText,
    hint: 'The subject while it is being done: "Running tests"',
    others: /^active[_-]form$|^(?:activeform|active)$/i,
  },
  priority: { kind: oneOf(PRIORITIES) },
  /** A command that exits with 0 once the task is done. */
  check: {
    kind: shortText,
    hint: 'A command that proves that it is done',
    others: /^(?:checks|verify|verification|command|test)$/i,
  },
  metadata: { kind: metadata },
} as const satisfies Fields;

export const TASK_FIELD_NAMES = Object.keys(TASK_FIELDS) as (keyof typeof TASK_FIELDS)[];

export const OWNERS = /^(?:assignee|assigned_?to|agent)$/i;
export const BLOCKERS = /^(?:blocked_?by|blockers|depends_?on|dependencies|requires)$/i;

/** The first word of a command. */
export const ONE_TASK = { kind: taskId, isRequired: true, words: 'one' } as const;
export const SOME_TASKS = { kind: taskIds, words: 'many' } as const;
export const AT = {
  kind: wholeNumber('the number of a version'),
  hint: 'The number of a version',
} as const;

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

/** @param what as in `Expected a task id such as 3`. */
function readAs<Value>(
  understand: (given: unknown) => Value | undefined,
  what: string,
  json: JsonSchema,
): ReadKind<Value> {
  return {
    is: 'read',
    read: (given) => {
      const value = understand(given);
      if (value !== undefined) return { value };
      return { problem: `Expected ${what}, received ${shown(given)}` };
    },
    json: () => json,
    option: { needs: what, fits: (text) => understand(text) !== undefined },
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
