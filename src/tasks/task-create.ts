import { done } from '../base/command/agent-command.ts';
import {
  isObject,
  LIST_NAMES,
  typeName,
  type ValuesOf,
  withSpelling,
} from '../base/json/fields.ts';
import type { ValidatedJson } from '../base/json/json-input.ts';
import { objectSchema, ProblemLines } from '../base/json/schema.ts';
import { safeText } from '../base/safe-text.ts';
import { findAnyCycle, unknownIds } from './dependencies.ts';
import { because, type Refused } from './reasons.ts';
import { type Task, type TaskGraph, withTasks } from './task.ts';
import helpPage from './task-create.md';
import {
  BLOCKERS,
  firstOwner,
  OWNERS,
  type RefLimits,
  type Refs,
  TASK_FIELDS,
  taskIdsOrRefs,
  taskRef,
} from './task-fields.ts';
import { addProblems, type TaskForm } from './task-form.ts';

const HOW_TO_REFER =
  'to wait for a task of this call, give it a ref: [{"subject":"A","ref":"a"},{"subject":"B","blockedBy":["a"]}]';

/** Validation stops after a block of so many tasks if one of them has errors. */
const TASKS_A_BLOCK = 1000;

const NEW_TASK_FIELDS = {
  ...TASK_FIELDS,
  subject: { ...TASK_FIELDS.subject, isRequired: true },
  owner: { kind: firstOwner, others: OWNERS },
  blockedBy: {
    kind: taskIdsOrRefs,
    hint: 'Ids of tasks that must be completed first',
    others: BLOCKERS,
  },
  ref: { kind: taskRef, isOfArrays: true },
} as const;

export const TASK_CREATE: TaskForm<readonly NewTask[]> = {
  name: 'TaskCreate',
  summary: "adds to the team's tasks: --subject, --description, or JSON",
  usage: `TaskCreate '{"subject":"..."}' | TaskCreate --subject "..."`,
  helpPage,
  example: '{"subject":"...","description":"..."}',
  fields: NEW_TASK_FIELDS,
  readsStdin: true,
  purpose: 'create the task',
  validate: validateTasks,
  run: async (requests, call) => {
    const outcome = await call.change(
      (graph, at) => createTasks(graph, requests, at, call.agent),
      ({ created }) => call.approve('task-created', created),
    );
    if ('refused' in outcome) {
      const isMissing = outcome.refused.some(({ code }) => code === 'task_not_found');
      return { ...outcome, closing: isMissing && requests.length > 1 ? [HOW_TO_REFER] : [] };
    }
    const lines = outcome.change.created.map(
      (task) => `Task #${task.id} created: ${safeText(task.subject)}\n`,
    );
    return done(lines.join(''));
  },
};

function validateTasks(given: unknown, limits: RefLimits): ValidatedJson<readonly NewTask[]> {
  const [[key, held] = [''], ...others] = isObject(given) ? Object.entries(given) : [];
  const isList = LIST_NAMES.test(key) && Array.isArray(held) && others.length === 0;
  const value: unknown = isList ? held : given;
  if (!Array.isArray(value) && !isObject(value)) {
    const line = `Expected {"subject":"..."} or an array of these, received ${typeName(value)}`;
    return { problems: { lines: [line] } };
  }
  if (Array.isArray(value) && value.length === 0) {
    return { problems: { lines: ['Expected at least one task, received none'] } };
  }
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  const schema = objectSchema(NEW_TASK_FIELDS, { ...limits, refs: refsOf(all) } as RefLimits);
  const notes = new Map(isList ? [['tasks', `read the array in "${key}" as the tasks`]] : []);
  const lines = new ProblemLines(limits);
  const request: NewTask[] = [];
  for (const [at, item] of all.entries()) {
    if (!lines.isEmpty && at % TASKS_A_BLOCK === 0) {
      const closing = [`only the first ${at} of ${all.length} tasks were checked`];
      return { problems: lines.problems([], closing) };
    }
    const read = isObject(item) ? withSpelling(NEW_TASK_FIELDS, item, notes, true) : item;
    const { data } = schema.safeParse(read);
    if (data) request.push(data);
    else
      addProblems(
        lines,
        { fields: NEW_TASK_FIELDS, schema },
        read,
        isObject(value) ? undefined : at,
      );
  }
  if (!lines.isEmpty) return { problems: lines.problems() };
  return { value: request, notes: [...notes.values()] };
}

function refsOf(tasks: readonly unknown[]): Refs {
  const refs = new Map<string, number[]>();
  for (const [at, task] of tasks.entries()) {
    if (!isObject(task) || typeof task.ref !== 'string') continue;
    const places = refs.get(task.ref);
    if (places === undefined) refs.set(task.ref, [at]);
    // The error names two.
    else if (places.length === 1) places.push(at);
  }
  return refs;
}

export type NewTask = ValuesOf<typeof NEW_TASK_FIELDS>;

export interface Created {
  readonly graph: TaskGraph;
  /** In the order of the requests. */
  readonly created: readonly Task[];
}

/** Adds tasks, all or none. They may wait for existing tasks and for each other. */
export function createTasks(
  graph: TaskGraph,
  requests: readonly NewTask[],
  at: string,
  by?: string,
): Created | Refused {
  const refused = requests.flatMap(({ blockedBy = [] }, index) => {
    const known = blockedBy.filter((blocker) => typeof blocker === 'number');
    return unknownIds(graph, known, requests.length > 1 ? `[${index}].blockedBy` : 'blockedBy');
  });
  if (refused.length > 0) return { refused };
  const ids = requests.map((_, index) => graph.nextId + index);
  const tasks = requests.map((request, index) =>
    newTask(ids[index] as number, request, blockerIds(request, ids), at, by),
  );
  // Only those with refs can wait for themselves or each other. Their ids do not exist if they are refused.
  const refOf = (id: number) => requests[id - graph.nextId]?.ref ?? id;
  const own = tasks.find(({ id, blockedBy }) => blockedBy.includes(id));
  if (own) return { refused: [because('blocks_itself', refOf(own.id))] };
  const after = withTasks(graph, withBlocks(graph, tasks, at));
  const isLinked = tasks.some(({ blockedBy }) => blockedBy.some((id) => id >= graph.nextId));
  const path = isLinked ? findAnyCycle(after, ids) : undefined;
  if (path) return { refused: [because('cycle', path.map(refOf))] };
  return { graph: after, created: ids.map((id) => after.tasks.get(id) as Task) };
}

/** Those of existing tasks, then those of new ones. @param ids of the new tasks. */
function blockerIds({ blockedBy = [] }: NewTask, ids: readonly number[]): number[] {
  const known = blockedBy.filter((blocker) => typeof blocker === 'number');
  const added = blockedBy.filter((blocker) => typeof blocker !== 'number');
  return [...new Set([...known, ...added.map(({ index }) => ids[index] as number)])];
}

/** New tasks, and all that they wait for with the links back. */
function withBlocks(graph: TaskGraph, tasks: readonly Task[], at: string): Iterable<Task> {
  // One array for each blocker, so that a task that thousands wait for is copied once.
  const waiting = new Map<number, number[]>();
  for (const { id, blockedBy } of tasks) {
    for (const blocker of blockedBy) {
      const known = waiting.get(blocker);
      if (known) known.push(id);
      else waiting.set(blocker, [id]);
    }
  }
  const draft = new Map(tasks.map((task) => [task.id, task]));
  for (const [blocker, blocked] of waiting) {
    const task = draft.get(blocker) ?? (graph.tasks.get(blocker) as Task);
    draft.set(blocker, { ...task, blocks: [...task.blocks, ...blocked], updatedAt: at });
  }
  return draft.values();
}

function newTask(
  id: number,
  { subject, description = '', blockedBy: _, ref: __, ...fields }: NewTask,
  blockedBy: readonly number[],
  at: string,
  createdBy: string | undefined,
): Task {
  return {
    id,
    subject,
    description,
    ...fields,
    status: 'pending',
    blocks: [],
    blockedBy,
    createdBy,
    createdAt: at,
    updatedAt: at,
  };
}
