import * as z from 'zod/mini';
import { refusal } from '../command/refusal.ts';
import { claimTask } from './claim-task.ts';
import { agentText, NO_AGENT } from './refused.ts';
import helpPage from './task-claim.md';
import type { RequestSchema, TaskForm } from './task-form.ts';
import { requestSchema, taskId } from './task-schema.ts';
import { reasonLines, subjectText } from './task-text.ts';
import { mendId } from './task-update.ts';

/** Which task to claim: one by its id, or the first one that is ready. */
export interface ClaimRequest {
  readonly taskId?: number;
  readonly next?: boolean;
}

/** `TaskClaim`: makes the caller the owner of a task that is now in progress. */
export const TASK_CLAIM: TaskForm<ClaimRequest> = {
  name: 'TaskClaim',
  summary: 'makes a task yours: ID, or --next for the first that is ready',
  usage: 'TaskClaim ID|--next [--agent NAME] [--check-busy]',
  helpPage,
  example: '{"taskId":1}',
  fields: { '--next': 'flag' },
  flags: ['--check-busy'],
  positional: { field: 'taskId', isList: false },
  readsStdin: false,
  purpose: 'claim a task',
  check: (value, limits) => checkClaim(value, limits),
  run: async ({ taskId: id = 'next' as const }, { store, agent, oneTaskPerAgent, flags }) => {
    const title = id === 'next' ? 'Cannot claim a task' : `Cannot claim task #${id}`;
    if (agent === undefined) return refusal(title, reasonLines([NO_AGENT]));
    const claimant = { agent, checkBusy: oneTaskPerAgent || flags.has('--check-busy') };
    const outcome = await store.change((graph, at) => claimTask(graph, id, claimant, at));
    if ('refused' in outcome) return refusal(title, reasonLines(outcome.refused));
    const { task, wasMine } = outcome.change;
    return {
      stdout: `Task #${task.id} claimed by ${agentText(agent)}: ${subjectText(task)}\n`,
      stderr: wasMine ? `Note: #${task.id} was yours already\n` : '',
      exitCode: 0,
    };
  },
};

const checkFields = requestSchema(
  () => z.strictObject({ taskId: z.exactOptional(taskId), next: z.exactOptional(z.boolean()) }),
  mendId,
);

const checkClaim: RequestSchema<ClaimRequest> = (value, limits) => {
  const result = checkFields(value, limits);
  if ('problems' in result) return result;
  const { taskId: id, next = false } = result.request;
  if ((id !== undefined) !== next) return result;
  return { problems: { lines: ['Expected either the id of a task or --next'] } };
};
