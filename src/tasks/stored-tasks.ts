import { STATUSES } from '../base/command/status.ts';
import { isObject, oneOf } from '../base/json/fields.ts';
import {
  isStored,
  type Shape,
  type Stored,
  storedFields,
  wrongThing,
} from '../base/json/stored.ts';
import { PROOF } from '../base/proof/proof.ts';
import type { LogEntry, Steps } from '../lists/log-place.ts';
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

/** The JSON of a task without its texts, or of a comment or a notice. */
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

/** How each agent's inbox changed. Notices are read from the front and added at the end. */
function inboxSteps(
  { inboxes: before = NO_INBOXES }: TaskGraph,
  { inboxes: after = NO_INBOXES }: TaskGraph,
): Record<string, InboxStep> {
  const steps: [agent: string, InboxStep][] = [];
  for (const agent of new Set([...before.keys(), ...after.keys()])) {
    const [old = NO_NOTICES, now = NO_NOTICES] = [before.get(agent), after.get(agent)];
    if (old === now) continue;
    // 1. Up to the first notice that is left, all have been read; if none is left, all of them.
    const [left] = now;
    const at = left === undefined ? -1 : old.indexOf(left);
    const heard = at === -1 ? old.length : at;
    // 2. Those that are left come first; the others are new.
    steps.push([agent, { heard, added: now.slice(old.length - heard) }]);
  }
  return Object.fromEntries(steps);
}

const NO_NOTICES: readonly Notice[] = [];
const NO_INBOXES: NonNullable<TaskGraph['inboxes']> = new Map();

/** In place, since a task from a file belongs to nobody else. */
function freeze(task: Task): Task {
  Object.freeze(task.blocks);
  Object.freeze(task.blockedBy);
  return Object.freeze(task);
}

/** Its words are only shown. */
const STORED_NOTICE: Stored = {
  has: {
    kind: 'text',
    about: { maybe: 'text' },
    taskId: 'id',
    subject: 'text',
    by: 'text',
    at: 'time',
  },
};

const INBOX: Stored = { has: { heard: 'count', added: [STORED_NOTICE] } };

const ENTRY: Stored = {
  has: {
    isWhole: 'flag',
    step: {
      has: {
        nextId: 'id',
        changed: Array.isArray,
        deleted: ['id'],
        by: { maybe: 'text' },
        inboxes: { maybe: (value) => isObject(value) && isStored([INBOX], Object.values(value)) },
      },
    },
  },
};

const TASK: Shape = {
  has: {
    ...storedFields(TASK_FIELDS),
    id: 'id',
    subject: 'text',
    description: 'text',
    status: oneOf(STATUSES),
    blocks: ['id'],
    blockedBy: ['id'],
    createdAt: 'time',
    updatedAt: 'time',
    owner: { maybe: 'text' },
    comments: { maybe: [{ has: { by: 'text', at: 'time', text: 'text' } }] },
    proof: { maybe: PROOF },
    createdBy: { maybe: 'text' },
    lease: {
      maybe: {
        has: { ms: 'count', beat: 'id', clock: 'text', tick: 'count', wall: { maybe: 'count' } },
      },
    },
    begunIn: { maybe: 'text' },
    lostBy: { maybe: ['text'] },
    isArchived: { maybe: (value) => value === true },
  },
};

export function storedEntryProblem(entry: unknown): string | undefined {
  if (!isStored(ENTRY, entry)) return 'it holds no change to tasks';
  return wrongThing('task', TASK, (entry as LogEntry<TaskStep>).step.changed);
}
