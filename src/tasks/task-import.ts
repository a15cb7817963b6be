import * as z from 'zod/mini';
import { isObject } from '../json/json-value.ts';
import { ProblemLines } from '../json/schema-issues.ts';
import type { NewTask } from './create-tasks.ts';
import type { RequestLimits, RequestSchema } from './task-form.ts';
import {
  longText,
  metadata,
  parse,
  priority,
  shortText,
  taskId,
  taskIds,
  time,
} from './task-schema.ts';

const MOST_NAMED = 5;

/** Whether a value is what `TaskList --json` writes. */
export function isExport(value: unknown): value is { tasks: unknown[] } {
  return isObject(value) && Array.isArray(value.tasks) && typeof value.version === 'number';
}

/**
 * Reads what `TaskList --json` wrote, so that a list can be moved: the tasks get new ids, and dependencies follow them.
 * All fields stay but leases and sessions, which are of where the list was.
 */
export const readExport: RequestSchema<readonly NewTask[]> = (given, limits) => {
  const { tasks } = given as { tasks: unknown[] };
  const schema = exportedTask(limits);
  const lines = new ProblemLines();
  const read: z.output<typeof schema>[] = [];
  for (const [at, item] of tasks.entries()) {
    const task = parse(schema, item, lines, { root: tasks, at });
    if (task !== undefined) read.push(task);
  }
  if (!lines.isEmpty) return { problems: lines.problems() };
  if (read.length === 0)
    return { problems: { lines: ['Expected at least one task, received none'] } };
  const places = new Map(read.map(({ id }, place) => [id, place]));
  if (places.size < read.length) return { problems: { lines: ['Two tasks have the same id'] } };
  const missing: string[] = [];
  const request = read.map((task, at): NewTask => {
    const { id: _id, blocks: _blocks, lease: _lease, begunIn: _begunIn, ...kept } = task;
    const { proof: _proof, blockedBy, ...fields } = kept;
    const { subject, description, activeForm, owner, metadata, priority, check, ...restored } =
      fields;
    const absent = blockedBy.filter((id) => !places.has(id));
    missing.push(...absent.map((id) => `#${id} (blockedBy of [${at}])`));
    const after = blockedBy.flatMap((id) => places.get(id) ?? []);
    // Nobody works on a task that has no owner.
    const status = restored.status === 'in_progress' && !owner ? 'pending' : restored.status;
    const isArchived = restored.isArchived && status === 'completed';
    return {
      ...{ subject, description, activeForm, owner, metadata, priority, check, after },
      restored: { ...restored, status, ...(isArchived && { isArchived }) },
    };
  });
  const more = missing.length > MOST_NAMED ? `, and ${missing.length - MOST_NAMED} more` : '';
  const left = missing.slice(0, MOST_NAMED).join(', ') + more;
  return { request, notes: left ? [`left out what is not in the list: ${left}`] : [] };
};

function exportedTask(limits: RequestLimits) {
  return z.strictObject({
    id: taskId,
    subject: shortText(limits),
    description: longText,
    activeForm: z.exactOptional(shortText(limits)),
    owner: z.exactOptional(shortText(limits)),
    status: z.enum(['pending', 'in_progress', 'completed']),
    blocks: taskIds,
    blockedBy: taskIds,
    metadata: z.exactOptional(metadata),
    priority: z.exactOptional(priority),
    check: z.exactOptional(shortText(limits)),
    // What somebody wrote into a file proves nothing.
    proof: z.exactOptional(z.unknown()),
    comments: z.exactOptional(
      z.array(z.strictObject({ by: shortText(limits), at: time, text: longText })),
    ),
    createdBy: z.exactOptional(shortText(limits)),
    lease: z.exactOptional(z.unknown()),
    begunIn: z.exactOptional(z.unknown()),
    lostBy: z.exactOptional(z.array(shortText(limits))),
    isArchived: z.exactOptional(z.literal(true)),
    createdAt: time,
    updatedAt: time,
  });
}
