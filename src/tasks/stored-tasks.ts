import { STATUSES } from '../command/status.ts';
import { isStored, type Kind, oneOf } from '../json/fields.ts';
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
    const changed: Task[] = [];
    const deleted: number[] = [];
    for (const id of changedIds(before, after)) {
      const task = after.tasks.get(id);
      if (task) changed.push(task);
      else deleted.push(id);
    }
    return {
      nextId: after.nextId,
      changed,
      deleted,
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
  if (!isA(ENTRY, entry)) return 'it holds no change to tasks';
  const { changed, by = '' } = (entry as { step: { changed: unknown[]; by?: unknown } }).step;
  if (!isA('text', by)) return 'it has no author';
  for (const [index, task] of changed.entries()) {
    if (!isObject(task)) return `task ${index} is not a task`;
    const wrong = wrongField(TASK, task);
    if (wrong !== undefined) return `task ${index} has an invalid ${wrong}`;
  }
  return undefined;
}

/** A basic type, the kind of a field, an array, an object, or a check of its own. */
type Type =
  | 'text'
  | 'flag'
  | 'id'
  | 'count'
  | 'time'
  | Kind
  | readonly [Type]
  | Shape
  | ((value: unknown) => boolean);
interface Shape {
  readonly has: Readonly<Record<string, Type>>;
  readonly mayHave?: Readonly<Record<string, Type>>;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const NOTICE: Shape = {
  has: {
    kind: (value) => typeof value === 'string' && Object.hasOwn(NOTICE_WORDS, value),
    taskId: 'id',
    subject: 'text',
    by: 'text',
    at: 'time',
  },
  mayHave: { field: (value) => value === 'check' },
};

const INBOX: Shape = { has: { heard: 'count', added: [NOTICE] } };

const STEP: Shape = {
  has: { nextId: 'id', changed: Array.isArray, deleted: ['id'] },
  mayHave: { inboxes: (value) => isObject(value) && isA([INBOX], Object.values(value)) },
};

const ENTRY: Shape = { has: { isWhole: 'flag', step: STEP } };

const TASK: Shape = {
  has: {
    id: 'id',
    subject: 'text',
    description: 'text',
    status: oneOf(STATUSES),
    blocks: ['id'],
    blockedBy: ['id'],
    createdAt: 'time',
    updatedAt: 'time',
  },
  mayHave: {
    ...Object.fromEntries(Object.entries(TASK_FIELDS).map(([name, { kind }]) => [name, kind])),
    owner: 'text',
    comments: [{ has: { by: 'text', at: 'time', text: 'text' } }],
    proof: isProof,
    createdBy: 'text',
    lease: { has: { ms: 'count', beat: 'id', clock: 'text', tick: 'count' } },
    begunIn: 'text',
    lostBy: ['text'],
    isArchived: (value) => value === true,
  },
};

function isA(type: Type, value: unknown): boolean {
  if (type === 'flag') return typeof value === 'boolean';
  if (type === 'text') return typeof value === 'string';
  if (type === 'time') return typeof value === 'string' && TIME.test(value);
  if (type === 'id') return Number.isSafeInteger(value) && (value as number) > 0;
  if (type === 'count') return typeof value === 'number' && value >= 0;
  if (typeof type === 'function') return type(value);
  if ('is' in type) return isStored(type, value);
  if ('has' in type) return isObject(value) && wrongField(type, value) === undefined;
  return Array.isArray(value) && value.every((each) => isA(type[0], each));
}

function wrongField(
  { has, mayHave = {} }: Shape,
  thing: Record<string, unknown>,
): string | undefined {
  for (const name in has) if (!isA(has[name] as Type, thing[name])) return name;
  for (const name in mayHave) {
    if (thing[name] !== undefined && !isA(mayHave[name] as Type, thing[name])) return name;
  }
  return undefined;
}
