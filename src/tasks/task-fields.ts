import { PRIORITIES, STATUSES } from '../base/command/status.ts';
import { parseDuration } from '../base/duration.ts';
import {
  type Fields,
  type FlagKind,
  isDeeperThan,
  isObject,
  type ListKind,
  oneOf,
  shellCommand,
  shortText,
  type TextKind,
  type TextLimits,
  textProblem,
  typeName,
  unexpected,
  type ValueKind,
  type ValuesOf,
} from '../base/json/fields.ts';
import { characterCount, inQuotes } from '../base/safe-text.ts';

const MAX_REF_CHARACTERS = 40;
/** In characters, of a description and of metadata as JSON. */
const MAX_LONG_TEXT = 10_000;
const MAX_DEPTH = 20;
export const ID = /^#?([1-9]\d{0,14})$/;

/** Models write these for no owner. Such an agent never comes, and nobody else could claim its task. */
const NOBODY = /^\s*(?:none|null|nobody|unassigned)\s*$/i;

/** Of a new task. */
export const firstOwner: TextKind = {
  ...shortText,
  problem: (text, most) =>
    NOBODY.test(text)
      ? `No agent is called ${inQuotes(text)}; without an owner, leave it out`
      : textProblem(text, most),
};

/** Blank is refused, since TaskRelease removes an owner. */
const ownerName: ValueKind<string> = {
  is: 'value',
  from: (value, limits = NO_LIMITS) =>
    ownerProblem(value, limits) === undefined ? (value as string).trim() : undefined,
  whyNot: ownerProblem,
  needs: 'a name',
  json: ({ maxContentLength }) => ({ type: 'string', pattern: '\\S', maxLength: maxContentLength }),
  option: 'text',
};

function ownerProblem(value: unknown, { maxContentLength }: TextLimits): string | undefined {
  if (value === null || (typeof value === 'string' && value.trim() === '')) {
    return 'Cannot be blank; to clear the owner: TaskRelease ID';
  }
  if (typeof value !== 'string') return `Expected string, received ${typeName(value)}`;
  if (NOBODY.test(value))
    return `No agent is called ${inQuotes(value)}; to clear the owner: TaskRelease ID`;
  return textProblem(value, maxContentLength);
}

/** Of long texts, which a caller may expect there. */
const NO_DASH = "Cannot be '-': standard input takes the whole JSON, not one field";

const longText: TextKind = {
  is: 'text',
  most: () => MAX_LONG_TEXT,
  problem: (text, most) => {
    if (text === '-') return NO_DASH;
    const length = text.length > most ? characterCount(text) : 0;
    return length > most ? tooLong(length) : undefined;
  },
};

/** Empty, it removes the field. */
const removable = (kind: TextKind): TextKind => ({
  ...kind,
  problem: (text, ...more) => (text === '' ? undefined : kind.problem(text, ...more)),
  json: {},
});

export const flag: FlagKind = { is: 'flag' };

/** `30m` as milliseconds. */
export const duration: ValueKind<number> = {
  is: 'value',
  from: (value) => parseDuration(String(value)),
  needs: 'a time such as 90s, 30m or 8h',
  json: { type: 'string' },
};

/** 0 for `off`. */
export const leaseTime: ValueKind<number> = {
  ...duration,
  needs: `${duration.needs}, or off`,
  from: (value) => (value === 'off' ? 0 : duration.from(value)),
};

export const wholeNumber: ValueKind<number> = {
  is: 'value',
  needs: 'a whole number',
  from: (value) =>
    positive(typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
  json: { type: 'integer', minimum: 1 },
};

function positive(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;
}

/** 3, '3' or '#3'. */
export const taskId: ValueKind<number> = {
  ...wholeNumber,
  from: (value) => {
    const [, digits] = (typeof value === 'string' && ID.exec(value.trim())) || [];
    return digits === undefined ? positive(value) : Number(digits);
  },
  needs: 'a task id such as 3',
};
export const taskIds: ListKind<number> = { is: 'list', of: taskId };

/** The refs of a call, with the indices of their tasks: one each, if all is well. */
export type Refs = ReadonlyMap<string, readonly number[]>;
/** The limits of texts, and the refs that may be named. */
export interface RefLimits extends TextLimits {
  readonly refs?: Refs;
}
const NO_REFS: Refs = new Map();
const NO_LIMITS: TextLimits = { maxContentLength: Number.POSITIVE_INFINITY };

/** The name of a task within one call; never like an id. */
export const taskRef: TextKind = {
  is: 'text',
  most: () => MAX_REF_CHARACTERS,
  problem: (text, most, { refs = NO_REFS }: RefLimits) => {
    if (taskId.from(text) !== undefined) {
      return `Cannot look like a task id, received ${inQuotes(text)}`;
    }
    const places = refs.get(text) ?? [];
    if (places.length > 1)
      return `Must be unique, is used by ${places.map((at) => `[${at}]`).join(' and ')}`;
    return textProblem(text, most);
  },
};

/** A task to wait for: an existing one by id, or one of the same call by index. */
export type Blocker = number | { readonly index: number };

export const taskIdsOrRefs: ListKind<Blocker> = {
  is: 'list',
  of: {
    ...taskId,
    from: (value, { refs = NO_REFS }: RefLimits = NO_LIMITS) => {
      const index = refs.get(value as string)?.[0];
      return index === undefined ? taskId.from(value) : { index };
    },
    whyNot: (value, { refs = NO_REFS }: RefLimits) =>
      unexpected(taskId, value) + (refs.size > 0 ? ', or the "ref" of a task in this call' : ''),
  },
};

const metadata: ValueKind<Readonly<Record<string, unknown>>> = {
  is: 'value',
  from: (value, limits) =>
    (metadataProblem(value) ?? (limits && numberProblem(value))) === undefined
      ? (value as Record<string, unknown>)
      : undefined,
  whyNot: (value) => metadataProblem(value) ?? numberProblem(value),
  needs: 'a JSON object',
  json: { type: 'object' },
  option: 'text',
  isJsonText: true,
};

/** The fields that TaskCreate and TaskUpdate accept and store as given. */
export const TASK_FIELDS = {
  /** The task on one line: "Fix login". */
  subject: {
    kind: shortText,
    others: /^(?:title|name|content|task|text|todo|step|item|summary)$/i,
  },
  description: { kind: longText, others: /^(?:desc|details|body)$/i },
  /** The subject while it is being done: "Fixing login". */
  activeForm: { kind: shortText, hint: 'The subject while it is being done: "Running tests"' },
  priority: { kind: oneOf(PRIORITIES) },
  /** A command that exits with 0 once the task is done. */
  check: {
    kind: shellCommand,
    hint: 'A command that proves that it is done',
    others: /^(?:checks|verify|verification|command|test)$/i,
  },
  metadata: { kind: metadata },
} as const satisfies Fields;

export const TASK_FIELD_NAMES = Object.keys(TASK_FIELDS) as (keyof typeof TASK_FIELDS)[];

export const OWNERS = /^(?:assign|assignee|assigned_?to|agent)$/i;
export const BLOCKERS = /^(?:(?:add_?)?blocked_?by|blockers|depends_?on|dependencies|requires)$/i;

/** The first word of a command. */
export const ONE_TASK = { kind: taskId, isRequired: true, words: 'one' } as const;
export const SOME_TASKS = { kind: taskIds, words: 'many', others: /^(?:taskId|ids?)$/i } as const;
export const AT = {
  kind: { ...wholeNumber, needs: 'the number of a version' },
  hint: 'The number of a version',
} as const;

/** A change of one task. Metadata is merged; null deletes a key. A comment is appended. */
export const UPDATE_FIELDS = {
  taskId: ONE_TASK,
  ...TASK_FIELDS,
  activeForm: { ...TASK_FIELDS.activeForm, kind: removable(shortText) },
  check: { ...TASK_FIELDS.check, kind: removable(shellCommand) },
  status: { kind: oneOf([...STATUSES, 'deleted']), others: /^state$/i },
  owner: { kind: ownerName, others: OWNERS },
  addBlocks: { kind: taskIds, others: /^blocks$/i },
  addBlockedBy: { kind: taskIds, others: BLOCKERS },
  removeBlocks: { kind: taskIds },
  removeBlockedBy: { kind: taskIds },
  comment: {
    kind: {
      ...shortText,
      most: longText.most,
      problem: (text, most) => (text === '-' ? NO_DASH : textProblem(text, most)),
    },
    others: /^(?:comments|add_?comment|note|message)$/i,
  },
} as const satisfies Fields;
export type TaskChanges = ValuesOf<typeof UPDATE_FIELDS>;

export function metadataProblem(value: unknown): string | undefined {
  if (!isObject(value)) return `Expected object, received ${typeName(value)}`;
  if (isDeeperThan(MAX_DEPTH, value)) return `Must be nested at most ${MAX_DEPTH} deep`;
  const size = JSON.stringify(value).length;
  return size > MAX_LONG_TEXT ? tooLong(size) : undefined;
}

/** Of a new value: stored ones have been rounded already. */
function numberProblem(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null)
    return Object.values(value).map(numberProblem).find(Boolean);
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER
    ? `Numbers above ${Number.MAX_SAFE_INTEGER} would lose digits; write them as text, in double quotes`
    : undefined;
}

function tooLong(length: number): string {
  return `Must be at most ${MAX_LONG_TEXT} characters, received ${length}`;
}
