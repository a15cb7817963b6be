import type * as z from 'zod/mini';
import { done } from '../command/agent-command.ts';
import { refusal } from '../command/refusal.ts';
import { objectSchema, otherNames, shortText } from '../json/fields.ts';
import { isObject, typeName } from '../json/json-value.ts';
import { ProblemLines } from '../json/schema-issues.ts';
import { createTasks, type NewTask } from './create-tasks.ts';
import helpPage from './task-create.md';
import type { RequestSchema, TaskForm } from './task-form.ts';
import {
  BLOCKERS,
  OWNERS,
  parse,
  type Refs,
  TASK_FIELDS,
  taskIdsOrRefs,
  taskRef,
} from './task-schema.ts';
import { reasonLines, subjectText } from './task-text.ts';

const HOW_TO_REFER =
  'to wait for a task of this call, give it a ref: [{"subject":"A","ref":"a"},{"subject":"B","blockedBy":["a"]}]';

/** After a block of this many tasks with errors, the tasks behind it are not checked. */
const BLOCK = 1000;

/** `TaskCreate`: adds one task, or several at once. */
export const TASK_CREATE: TaskForm<readonly NewTask[]> = {
  name: 'TaskCreate',
  summary: "adds to the team's tasks: --subject, --description, or JSON",
  usage: `TaskCreate '{"subject":"..."}' | TaskCreate --subject "..." [--description "..."]`,
  helpPage,
  example: '{"subject":"...","description":"..."}',
  fields: fieldsWith(new Map()),
  readsStdin: true,
  purpose: 'create the task',
  check: (value, limits) => checkTasks(value, limits),
  run: async (requests, { agent, change, approve }) => {
    const outcome = await change(
      (graph, at) => createTasks(graph, requests, at, agent),
      ({ created }) => approve('task-created', { tasks: created }),
    );
    if ('refused' in outcome) {
      const isMissing = outcome.refused.some(({ code }) => code === 'task_not_found');
      const closing = isMissing && requests.length > 1 ? [HOW_TO_REFER] : [];
      return refusal('Cannot create the task', { ...reasonLines(outcome.refused), closing });
    }
    const lines = outcome.change.created.map(
      (task) => `Task #${task.id} created: ${subjectText(task)}\n`,
    );
    return done(lines.join(''));
  },
};

const checkTasks: RequestSchema<readonly NewTask[]> = (given, limits) => {
  const wrapped = isObject(given) && Array.isArray(given.tasks) && Object.keys(given).length === 1;
  const value: unknown = wrapped ? given.tasks : given;
  if (!Array.isArray(value) && !isObject(value)) {
    const line = `Expected {"subject":"..."} or an array of these, received ${typeName(value)}`;
    return { problems: { lines: [line] } };
  }
  if (Array.isArray(value) && value.length === 0) {
    return { problems: { lines: ['Expected at least one task, received none'] } };
  }
  const all = Array.isArray(value) ? value : [value];
  const fields = fieldsWith(refsOf(all));
  const schema = objectSchema(fields, limits);
  const lines = new ProblemLines(otherNames(fields));
  const request: NewTask[] = [];
  for (const [at, item] of all.entries()) {
    if (!lines.isEmpty && at % BLOCK === 0) {
      const closing = [`only the first ${at} of ${all.length} tasks were looked at`];
      return { problems: lines.problems([], closing) };
    }
    const path = Array.isArray(value) ? { root: value, at } : undefined;
    const task = parse(schema, item, lines, path);
    if (task !== undefined) request.push(newTask(task));
  }
  if (!lines.isEmpty) return { problems: lines.problems() };
  return { request, notes: wrapped ? ['read the array in "tasks" as the tasks'] : [] };
};

/** @param refs what the tasks of the same call are called. */
function fieldsWith(refs: Refs) {
  const { subject, description, activeForm, priority, check, metadata } = TASK_FIELDS;
  return {
    subject: { ...subject, isRequired: true },
    description,
    activeForm,
    owner: { kind: shortText, others: OWNERS },
    blockedBy: {
      kind: taskIdsOrRefs(refs),
      hint: 'Ids of tasks that must be completed first',
      others: BLOCKERS,
    },
    ref: {
      kind: taskRef(refs),
      hint: 'What other tasks of this call name it by, to wait for it',
      isNoOption: true,
    },
    priority,
    check,
    metadata,
  } as const;
}

function newTask({
  ref: _,
  blockedBy = [],
  ...fields
}: z.output<ReturnType<typeof objectSchema<ReturnType<typeof fieldsWith>>>>): NewTask {
  return {
    ...fields,
    blockedBy: blockedBy.flatMap((blocker) => (blocker.id === undefined ? [] : [blocker.id])),
    after: blockedBy.flatMap((blocker) => (blocker.place === undefined ? [] : [blocker.place])),
  };
}

function refsOf(tasks: readonly unknown[]): Refs {
  const refs = new Map<string, number[]>();
  for (const [at, task] of tasks.entries()) {
    if (!isObject(task) || typeof task.ref !== 'string') continue;
    const places = refs.get(task.ref);
    if (places === undefined) refs.set(task.ref, [at]);
    // Two are enough to say that there are too many.
    else if (places.length === 1) places.push(at);
  }
  return refs;
}
