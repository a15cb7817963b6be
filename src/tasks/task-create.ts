import * as z from 'zod/mini';
import { refusal } from '../command/refusal.ts';
import { isObject } from '../todo/shape-repairs.ts';
import { createTasks, type NewTask } from './create-tasks.ts';
import helpPage from './task-create.md';
import type { RequestLimits, RequestSchema, TaskForm } from './task-form.ts';
import {
  asProblems,
  longText,
  metadata,
  parse,
  shortText,
  taskIds,
  typeName,
} from './task-schema.ts';
import { reasonLines, subjectText } from './task-text.ts';

/** After a block of so many tasks that has faults, the tasks behind it are not looked at. */
const BLOCK = 1000;

/** `TaskCreate`: adds one task, or several at once. */
export const TASK_CREATE: TaskForm<readonly NewTask[]> = {
  name: 'TaskCreate',
  summary: "adds tasks to your team's list: --subject TEXT, --description TEXT, or JSON",
  usage: `TaskCreate '{"subject":"..."}' | TaskCreate --subject "..." [--description "..."]`,
  helpPage,
  example: '{"subject":"...","description":"..."}',
  fields: {
    subject: 'text',
    description: 'text',
    'active-form': 'text',
    owner: 'text',
    'blocked-by': 'texts',
    metadata: 'json',
  },
  readsStdin: true,
  purpose: 'create the task',
  check: (value, limits) => checkTasks(value, limits),
  run: async (requests, { store, approve }) => {
    const outcome = await store.change(
      (graph, at) => createTasks(graph, requests, at),
      ({ created }) => approve('task-created', { tasks: created }),
    );
    if ('refused' in outcome) {
      return refusal('Cannot create the task', reasonLines(outcome.refused));
    }
    const lines = outcome.change.created.map(
      (task) => `Task #${task.id} created: ${subjectText(task)}\n`,
    );
    return { stdout: lines.join(''), stderr: '', exitCode: 0 };
  },
};

const checkTasks: RequestSchema<readonly NewTask[]> = (given, limits) => {
  const wrapped = isObject(given) && Array.isArray(given.tasks) && Object.keys(given).length === 1;
  const value: unknown = wrapped ? given.tasks : given;
  if (!Array.isArray(value) && !isObject(value)) {
    const line = `Expected {"subject":"..."} or an array of such, received ${typeName(value)}`;
    return { problems: { lines: [line] } };
  }
  if (Array.isArray(value) && value.length === 0) {
    return { problems: { lines: ['Expected at least one task, received an empty array'] } };
  }
  const schema = newTask(limits);
  const all = Array.isArray(value) ? value : [value];
  const problems = { lines: [], count: 0 };
  const request: NewTask[] = [];
  for (const [at, item] of all.entries()) {
    if (problems.count > 0 && at % BLOCK === 0) {
      const closing = [`only the first ${at} of ${all.length} tasks were looked at`];
      return { problems: asProblems(problems, closing) };
    }
    const path = Array.isArray(value) ? { root: value, at } : undefined;
    const task = parse(schema, item, problems, path);
    if (task !== undefined) request.push(task);
  }
  if (problems.count > 0) return { problems: asProblems(problems) };
  return { request, notes: wrapped ? ['read the array in "tasks" as the tasks'] : [] };
};

function newTask(limits: RequestLimits) {
  return z.strictObject({
    subject: shortText(limits),
    description: z.exactOptional(longText),
    activeForm: z.exactOptional(shortText(limits)),
    owner: z.exactOptional(shortText(limits)),
    blockedBy: z.exactOptional(taskIds),
    metadata: z.exactOptional(metadata),
  });
}
