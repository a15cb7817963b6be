import { PRIORITIES, type Priority, STATUSES, type Status } from '../command/status.ts';
import { isObject } from '../json/json-value.ts';
import { isProof } from '../proof/proof.ts';
import { NOTICE_WORDS } from './inbox.ts';
import { metadataProblem } from './metadata.ts';

/**
 * What is wrong with a change to a list of tasks that was read from a file, which anyone may have written: the first thing
 * only, since nobody will fix it by hand. Lengths are not judged: the limits may have been others.
 */
export function storedEntryProblem(entry: unknown): string | undefined {
  const step = isObject(entry) ? entry.step : undefined;
  if (!isObject(entry) || typeof entry.isWhole !== 'boolean' || !isObject(step)) {
    return 'it holds no change to tasks';
  }
  const { nextId, changed, deleted, by } = step;
  if (!isId(nextId) || !Array.isArray(changed) || !areIds(deleted) || !areInboxes(step.inboxes)) {
    return 'it holds no change to tasks';
  }
  if (!isTextIfAny(by)) return 'it does not say who changed the tasks';
  for (const [index, task] of changed.entries()) {
    const wrong = isObject(task) ? wrongField(task) : 'is not a task';
    if (wrong !== undefined) return `task ${index} ${wrong}`;
  }
  return undefined;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const isId = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
const areIds = (value: unknown) => Array.isArray(value) && value.every(isId);
const isTime = (value: unknown) => typeof value === 'string' && TIME.test(value);
const isText = (value: unknown) => typeof value === 'string';
const isTextIfAny = (value: unknown) => value === undefined || isText(value);
const isMetadataIfAny = (value: unknown) =>
  value === undefined || metadataProblem(value) === undefined;

const isNumber = (value: unknown) => typeof value === 'number' && value >= 0;

type Fields = Readonly<Record<string, (value: unknown) => boolean>>;

const LEASE: Fields = { ms: isNumber, beat: isId, clock: isText, tick: isNumber };
const NOTICE: Fields = {
  kind: (value) => typeof value === 'string' && Object.hasOwn(NOTICE_WORDS, value),
  field: (value) => value === undefined || value === 'check',
  taskId: isId,
  subject: isText,
  by: isText,
  at: isTime,
};

const has = (value: unknown, fields: Fields) =>
  isObject(value) && Object.entries(fields).every(([name, isRight]) => isRight(value[name]));
const areAll = (values: unknown, fields: Fields) =>
  Array.isArray(values) && values.every((value) => has(value, fields));

function areInboxes(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  return Object.values(value).every(
    (inbox) => isObject(inbox) && isNumber(inbox.heard) && areAll(inbox.added, NOTICE),
  );
}

/** The fields that a task may have, and what they must be. */
const FIELDS: Fields = {
  id: isId,
  subject: isText,
  description: isText,
  activeForm: isTextIfAny,
  owner: isTextIfAny,
  status: (value) => STATUSES.includes(value as Status),
  blocks: areIds,
  blockedBy: areIds,
  metadata: isMetadataIfAny,
  priority: (value) => value === undefined || PRIORITIES.includes(value as Priority),
  comments: (value) =>
    value === undefined || areAll(value, { by: isText, at: isTime, text: isText }),
  check: isTextIfAny,
  proof: (value) => value === undefined || isProof(value),
  createdBy: isTextIfAny,
  lease: (value) => value === undefined || has(value, LEASE),
  begunIn: isTextIfAny,
  lostBy: (value) => value === undefined || (Array.isArray(value) && value.every(isText)),
  isArchived: (value) => value === undefined || value === true,
  createdAt: isTime,
  updatedAt: isTime,
};

function wrongField(task: Record<string, unknown>): string | undefined {
  for (const name in FIELDS) {
    if (!FIELDS[name]?.(task[name])) return `has no ${name} that could be one`;
  }
  return undefined;
}
