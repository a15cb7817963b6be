import { STATUSES, type Status } from '../command/status.ts';
import { isStored } from '../json/fields.ts';
import { isObject } from '../json/json-value.ts';
import { isProof } from '../proof/proof.ts';
import type { Steps } from '../state/log-place.ts';
import { NOTICE_WORDS } from './inbox.ts';
import { changedIds, NO_TASKS, type Notice, type Task, type TaskGraph } from './task.ts';
import { TASK_FIELDS } from './task-fields.ts';

/** A change of a list of tasks, as it is stored. */
export interface TaskStep {
  readonly nextId: number;
  readonly changed: readonly Task[];
  readonly deleted: readonly number[];
  readonly by?: string;
  /** By agent: how many of its oldest notices it has read, and its new ones. */
  readonly inboxes?: Readonly<Record<string, InboxStep>>;
}

interface InboxStep {
  readonly heard: number;
  readonly added: readonly Notice[];
}

/** A task's JSON beside its texts; about as much as a comment or a notice. */
const BYTES_PER_TASK = 300;

/** A list of tasks as steps. Tasks are compared by identity, since a change replaces them. */
export const TASK_STEPS: Steps<TaskGraph, TaskStep> = {
  empty: NO_TASKS,
  between: (before, after) => {
    const ids = changedIds(before, after);
    return {
      nextId: after.nextId,
      changed: ids.flatMap((id) => after.tasks.get(id) ?? []),
      deleted: ids.filter((id) => !after.tasks.has(id)),
      ...(after.by !== undefined && { by: after.by }),
      ...(before.inboxes !== after.inboxes && { inboxes: inboxSteps(before, after) }),
    };
  },
  apply: (before, steps) => {
    const tasks = new Map(before.tasks);
    const notices = new Map(before.inboxes);
    for (const { changed, deleted, inboxes = {} } of steps) {
      for (const task of changed) tasks.set(task.id, freeze(task));
      for (const id of deleted) tasks.delete(id);
      for (const [agent, { heard, added }] of Object.entries(inboxes)) {
        const rest = [...(notices.get(agent)?.slice(heard) ?? []), ...added];
        if (rest.length > 0) notices.set(agent, rest);
        else notices.delete(agent);
      }
    }
    const { nextId = before.nextId, by } = steps.at(-1) ?? {};
    return {
      nextId,
      tasks: inOrder(tasks),
      by,
      ...(notices.size > 0 && { inboxes: notices }),
    };
  },
  size: ({ tasks, inboxes = new Map() }) => {
    let bytes = 0;
    for (const { subject, description, comments = [], metadata } of tasks.values()) {
      bytes += BYTES_PER_TASK + subject.length + description.length;
      for (const { text } of comments) bytes += BYTES_PER_TASK + text.length;
      if (metadata) bytes += BYTES_PER_TASK;
    }
    for (const notices of inboxes.values()) bytes += BYTES_PER_TASK * notices.length;
    return bytes;
  },
};

/** Sorts by id: a task whose deletion was undone comes last. */
export function inOrder(tasks: ReadonlyMap<number, Task>): ReadonlyMap<number, Task> {
  let last = 0;
  for (const id of tasks.keys()) {
    if (id < last) return new Map([...tasks].sort(([a], [b]) => a - b));
    last = id;
  }
  return tasks;
}

function inboxSteps(before: TaskGraph, after: TaskGraph): Record<string, InboxStep> {
  const steps: [string, InboxStep][] = [];
  for (const agent of new Set([
    ...(before.inboxes?.keys() ?? []),
    ...(after.inboxes?.keys() ?? []),
  ])) {
    const old = before.inboxes?.get(agent) ?? [];
    const now = after.inboxes?.get(agent) ?? [];
    if (old === now) continue;
    // Notices are read from the front and added at the end.
    const first = now[0];
    const kept = first === undefined ? -1 : old.indexOf(first);
    const heard = kept === -1 ? old.length : kept;
    steps.push([agent, { heard, added: now.slice(old.length - heard) }]);
  }
  return Object.fromEntries(steps);
}

/** In place, since a task from a file belongs to nobody else. */
function freeze(task: Task): Task {
  Object.freeze(task.blocks);
  Object.freeze(task.blockedBy);
  return Object.freeze(task);
}

/**
 * Returns the first problem of a stored change, which anyone may have written; the first only, since nobody will fix it by
 * hand. Lengths are not checked: the limits may have been others.
 */
export function storedEntryProblem(entry: unknown): string | undefined {
  const step = isObject(entry) ? entry.step : undefined;
  if (!isObject(entry) || typeof entry.isWhole !== 'boolean' || !isObject(step)) {
    return 'it holds no change to tasks';
  }
  const { nextId, changed, deleted, by } = step;
  if (
    !isId(nextId) ||
    !Array.isArray(changed) ||
    !areAll(isId)(deleted) ||
    !areInboxes(step.inboxes)
  ) {
    return 'it holds no change to tasks';
  }
  if (!ifAny(isText)(by)) return 'it has no author';
  for (const [index, task] of changed.entries()) {
    const wrong = isObject(task) ? wrongField(task) : 'is not a task';
    if (wrong !== undefined) return `task ${index} ${wrong}`;
  }
  return undefined;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type IsRight = (value: unknown) => boolean;
type Checks = Readonly<Record<string, IsRight>>;

const isId: IsRight = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const isTime: IsRight = (value) => typeof value === 'string' && TIME.test(value);
const isText: IsRight = (value) => typeof value === 'string';
const isNumber: IsRight = (value) => typeof value === 'number' && value >= 0;
const areAll =
  (isRight: IsRight): IsRight =>
  (values) =>
    Array.isArray(values) && values.every(isRight);
const ifAny =
  (isRight: IsRight): IsRight =>
  (value) =>
    value === undefined || isRight(value);
const has =
  (checks: Checks): IsRight =>
  (value) =>
    isObject(value) && Object.entries(checks).every(([name, isRight]) => isRight(value[name]));

const NOTICE: Checks = {
  kind: (value) => typeof value === 'string' && Object.hasOwn(NOTICE_WORDS, value),
  field: ifAny((value) => value === 'check'),
  taskId: isId,
  subject: isText,
  by: isText,
  at: isTime,
};
const areInboxes = ifAny(
  (value) =>
    isObject(value) &&
    Object.values(value).every(has({ heard: isNumber, added: areAll(has(NOTICE)) })),
);

const FIELDS: Checks = {
  ...Object.fromEntries(
    Object.entries(TASK_FIELDS).map(([name, { kind }]) => [
      name,
      ifAny((value) => isStored(kind, value)),
    ]),
  ),
  id: isId,
  subject: isText,
  description: isText,
  owner: ifAny(isText),
  status: (value) => STATUSES.includes(value as Status),
  blocks: areAll(isId),
  blockedBy: areAll(isId),
  comments: ifAny(areAll(has({ by: isText, at: isTime, text: isText }))),
  proof: ifAny(isProof),
  createdBy: ifAny(isText),
  lease: ifAny(has({ ms: isNumber, beat: isId, clock: isText, tick: isNumber })),
  begunIn: ifAny(isText),
  lostBy: ifAny(areAll(isText)),
  isArchived: ifAny((value) => value === true),
  createdAt: isTime,
  updatedAt: isTime,
};

function wrongField(task: Record<string, unknown>): string | undefined {
  for (const name in FIELDS) {
    if (!FIELDS[name]?.(task[name])) return `has an invalid ${name}`;
  }
  return undefined;
}
