import { done } from '../command/agent-command.ts';
import { noteLines } from '../command/notes.ts';
import { refusal } from '../command/refusal.ts';
import { STATUSES } from '../command/status.ts';
import { oneOf } from '../json/fields.ts';
import { isObject } from '../json/json-value.ts';
import { type ReasonCode, unproven } from './reasons.ts';
import { idsText } from './task.ts';
import type { RequestSchema, TaskCall, TaskForm } from './task-form.ts';
import {
  BLOCKERS,
  longText,
  ONE_TASK,
  OWNERS,
  ownerName,
  requestSchema,
  TASK_FIELDS,
  taskIds,
} from './task-schema.ts';
import type { TaskVersion } from './task-store.ts';
import { reasonLines } from './task-text.ts';
import helpPage from './task-update.md';
import { type TaskChanges, updateTask } from './update-task.ts';

const { subject, description, activeForm, priority, check, metadata } = TASK_FIELDS;
const FIELDS = {
  taskId: ONE_TASK,
  subject,
  description,
  activeForm,
  status: { kind: oneOf([...STATUSES, 'deleted']) },
  owner: { kind: ownerName, others: OWNERS },
  addBlocks: { kind: taskIds },
  addBlockedBy: { kind: taskIds, others: BLOCKERS },
  removeBlocks: { kind: taskIds },
  removeBlockedBy: { kind: taskIds },
  priority,
  check,
  comment: { kind: longText },
  metadata,
} as const;

/** `TaskUpdate`: changes one task, or deletes it. */
export const TASK_UPDATE: TaskForm<TaskChanges> = {
  name: 'TaskUpdate',
  summary: 'changes one: ID --status STATUS, and other fields',
  usage: `TaskUpdate ID --status completed | TaskUpdate '{"taskId":1,"status":"completed"}' [--force]`,
  helpPage,
  example: '{"taskId":1,"description":"..."}',
  fields: FIELDS,
  options: { '--force': 'flag', '--check-busy': 'flag', '--prove': 'flag' },
  positional: { field: 'taskId', isList: false },
  readsStdin: true,
  purpose: 'update the task',
  check: (value, limits) => checkChanges(value, limits),
  run: async (changes, call) => {
    const { agent, claimant, settings, options, approve } = call;
    const proven = await proofOf(changes, call);
    if (proven?.refused) return proven.refused;
    const outcome = await call.change(
      (graph, at) => {
        const rules = {
          ...call.rules,
          agent: claimant(graph),
          by: agent,
          force: Boolean(options['--force']),
          proven,
          requireProof: settings.requireProof,
        };
        return updateTask(graph, changes, rules, at);
      },
      async ({ before, task }) =>
        task?.status === 'completed' && before.status !== 'completed'
          ? approve('task-completed', { tasks: [task] })
          : undefined,
    );
    const name = `task #${changes.taskId}`;
    if ('refused' in outcome) {
      const { refused } = outcome;
      const closing = refused.every(({ code }) => FORCED.has(code))
        ? [`a leader may do it with --force; TaskRelease ${changes.taskId} makes a task nobody's`]
        : [];
      return refusal(`Cannot update ${name}`, { ...reasonLines(refused), closing });
    }
    const { changed, unblocked } = outcome.change;
    const what = changed.length > 0 ? changed.join(', ') : 'nothing to change';
    const { task: after } = outcome.change;
    const isUnproven =
      changed.includes('status') && after?.status === 'completed' && after.check && !after.proof;
    const notes = reasonLines(
      isUnproven ? [unproven(changes.taskId, after.check ?? '')] : [],
    ).lines;
    const freed = unblocked.length > 0 ? `Unblocked: ${idsText(unblocked)}\n` : '';
    return done(`Updated ${name}: ${what}\n${freed}`, noteLines(notes));
  },
};

/** The proof of the check of a task to be completed, as far as there is one. */
async function proofOf({ taskId, status, check: changed }: TaskChanges, call: TaskCall) {
  if (status !== 'completed') return undefined;
  const { store, evidence, options } = call;
  const check = changed ?? (await store.read()).graph.tasks.get(taskId)?.check;
  if (check === undefined) return undefined;
  if (!options['--prove']) {
    const since = evidence.hasSeen ? beginningOf(taskId, await store.history()) : undefined;
    const proof = since && evidence.seen(check, since);
    return proof && { check, proof };
  }
  const proof = await evidence.run(check);
  if (!('failed' in proof)) return { check, proof };
  const reasons = reasonLines([unproven(taskId, check, proof)]);
  return { refused: refusal(`Cannot update task #${taskId}`, reasons) };
}

/** When its owner began a task the last time, as far back as versions are kept. @param history the newest first. */
function beginningOf(id: number, history: readonly (TaskVersion & { readonly at: Date })[]) {
  let begun: Date | undefined;
  let worker: string | undefined;
  for (const { graph, at } of history) {
    const { status, owner } = graph.tasks.get(id) ?? {};
    if (status === 'in_progress' && (worker ?? owner) === owner) {
      begun = at;
      worker = owner;
    } else if (begun !== undefined || status !== 'completed') break;
  }
  return begun;
}

/** The reasons that --force passes over. */
const FORCED: ReadonlySet<ReasonCode> = new Set([
  'already_claimed',
  'already_resolved',
  'blocked',
  'agent_busy',
]);

const checkFields = requestSchema(FIELDS, mendId);

const checkChanges: RequestSchema<TaskChanges> = (value, limits) => {
  const result = checkFields(value, limits);
  if ('problems' in result || Object.keys(result.request).length > 1) return result;
  return { problems: { lines: ['Expected a field to change beside the id, such as status'] } };
};

/** Models that have read a task's `id` write it under that name. */
export function mendId(value: unknown): { value: unknown; notes: readonly string[] } {
  if (!isObject(value) || !Object.hasOwn(value, 'id') || Object.hasOwn(value, 'taskId')) {
    return { value, notes: [] };
  }
  const { id, ...rest } = value;
  return { value: { taskId: id, ...rest }, notes: ['read "id" as "taskId"'] };
}
