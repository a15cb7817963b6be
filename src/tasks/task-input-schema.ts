import type { JsonSchema } from '../command/agent-command.ts';
import { PRIORITIES, STATUSES } from '../command/status.ts';
import type { TaskForm } from './task-form.ts';

const TEXT = { type: 'string' };
const IDS = { type: 'array', items: { type: 'integer', minimum: 1 } };

/** The fields of requests, by their names. What they mean stands in the help pages. */
const FIELDS: Readonly<Record<string, JsonSchema>> = {
  taskId: { type: 'integer', minimum: 1 },
  taskIds: IDS,
  blockedBy: { ...IDS, description: 'Ids of tasks that must be completed first' },
  addBlocks: IDS,
  addBlockedBy: IDS,
  removeBlocks: IDS,
  removeBlockedBy: IDS,
  activeForm: { ...TEXT, description: 'The subject while it is being done: "Running tests"' },
  check: { ...TEXT, description: 'A command that proves that it is done' },
  priority: { enum: PRIORITIES },
  status: { enum: STATUSES },
  metadata: { type: 'object' },
  lease: { ...TEXT, description: 'How long the claim holds: 90s, 30m, 8h or off' },
  olderThan: { ...TEXT, description: 'A time such as 30m, 8h or 7d' },
  ref: { ...TEXT, description: 'What other tasks of this call name it by, to wait for it' },
  next: { const: true, description: 'The first task that is ready, in place of taskId' },
  ready: { type: 'boolean' },
  mine: { type: 'boolean' },
  archived: { type: 'boolean' },
  sort: { enum: ['id', 'priority', 'updated'] },
  limit: { type: 'integer', minimum: 1 },
  at: { type: 'integer', minimum: 1, description: 'The number of a version' },
};

/** The JSON Schema of one request of a task command. */
export function taskInputSchema({
  fields,
  positional,
  jsonOnly = [],
  required = [],
  statuses = STATUSES,
  summary,
}: Pick<
  TaskForm<unknown>,
  'fields' | 'positional' | 'jsonOnly' | 'required' | 'statuses' | 'summary'
>): JsonSchema {
  const names = [
    ...(positional ? [positional.field] : []),
    ...Object.keys(fields).map((option) =>
      option.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    ),
    ...jsonOnly,
  ];
  const properties = Object.fromEntries(names.map((name) => [name, FIELDS[name] ?? TEXT]));
  if ('status' in properties) properties.status = { enum: statuses };
  const nothing = names.length === 0 && { description: `Takes nothing; ${summary}` };
  return { type: 'object', ...nothing, properties, required, additionalProperties: false };
}
