import { type CommandResult, done } from '../command/agent-command.ts';
import { noteLines } from '../command/notes.ts';
import { wrongUsage } from '../command/options.ts';
import { refusal } from '../command/refusal.ts';
import { claimTask } from './claim-task.ts';
import { durationText, leaseLeft } from './lease.ts';
import { agentText, alreadyResolved, leaseLost, NO_AGENT, notFound, notYours } from './reasons.ts';
import helpPage from './task-claim.md';
import type { RequestSchema, TaskCall, TaskForm } from './task-form.ts';
import { duration, flag, requestSchema, taskId } from './task-schema.ts';
import { reasonLines, subjectText } from './task-text.ts';
import { mendId } from './task-update.ts';

/** Which task to claim: one by its id, or the first one that is ready. */
export interface ClaimRequest {
  readonly taskId?: number;
  readonly next?: boolean;
  /** Milliseconds; 0 for no lease. */
  readonly lease?: number;
}

const FIELDS = {
  taskId: { kind: taskId, isNoOption: true },
  next: {
    kind: { ...flag, json: () => ({ const: true }) },
    hint: 'The first task that is ready, in place of taskId',
  },
  lease: { kind: duration, hint: 'How long the claim holds: 90s, 30m, 8h or off' },
} as const;

const USAGE =
  'TaskClaim ID|--next [--agent NAME] [--lease 30m] [--check-busy] | TaskClaim --check ID';

/** `TaskClaim`: makes the caller the owner of a task that is now in progress. */
export const TASK_CLAIM: TaskForm<ClaimRequest> = {
  name: 'TaskClaim',
  summary: 'makes a task yours: --next, or ID',
  usage: USAGE,
  helpPage,
  example: '{"taskId":1}',
  fields: FIELDS,
  options: { '--check-busy': 'flag', '--check': 'flag' },
  positional: { field: 'taskId', isList: false },
  readsStdin: false,
  purpose: 'claim a task',
  check: (value, limits) => checkClaim(value, limits),
  run: async ({ taskId, lease }, call) => {
    const { claimant, rules, options } = call;
    const id = taskId ?? ('next' as const);
    if (options['--check']) {
      if (id === 'next') return wrongUsage('--check needs the id of a task', `Usage: ${USAGE}\n`);
      return checkHold(id, call);
    }
    const leaseMs = (lease ?? rules.leaseMs) || undefined;
    const outcome = await call.change((graph, at) => {
      const agent = claimant(graph);
      if (agent === undefined) return { refused: [NO_AGENT] };
      return claimTask(graph, id, { ...rules, agent, leaseMs }, at);
    });
    if ('refused' in outcome) {
      const title = id === 'next' ? 'Cannot claim a task' : `Cannot claim task #${id}`;
      return refusal(title, reasonLines(outcome.refused));
    }
    const { task, wasMine, takenFrom } = outcome.change;
    const notes = [
      ...(wasMine ? [`#${task.id} was yours already`] : []),
      ...(takenFrom ? [takenNote(task.id, takenFrom)] : []),
      ...(task.lease ? [leaseNote(task.lease.ms)] : []),
    ];
    const by = agentText(task.owner ?? '');
    return done(`Task #${task.id} claimed by ${by}: ${subjectText(task)}\n`, noteLines(notes));
  },
};

function takenNote(id: number, { owner, since }: { owner: string; since: string }): string {
  return `#${id} was ${agentText(owner)}'s since ${since}; that lease ran out`;
}

function leaseNote(ms: number): string {
  return `the lease is ${durationText(ms)}; your commands renew it`;
}

/** Whether the caller still has a task: it should know that before it reports it done. */
async function checkHold(id: number, { store, agent }: TaskCall): Promise<CommandResult> {
  const { graph } = await store.read();
  const task = graph.tasks.get(id);
  if (task === undefined) return refusal('Cannot check the claim', reasonLines([notFound(id)]));
  const { owner, status, lostBy = [] } = task;
  if (owner === agent && status === 'in_progress') {
    const lease = leaseText(leaseLeft(task, store.clock));
    return done(`Task #${id} is yours: ${subjectText(task)}${lease}\n`);
  }
  const reason = lostBy.includes(agent)
    ? leaseLost(id, owner)
    : status === 'completed'
      ? alreadyResolved(id)
      : notYours(id, owner, status);
  return refusal(`Task #${id} is not yours`, reasonLines([reason]));
}

function leaseText(left: number | undefined): string {
  if (left === undefined) return '';
  if (left === 0) return '; its lease had run out, nobody has taken it, and it is renewed';
  return `; ${durationText(left)} of the lease left`;
}

const checkFields = requestSchema(FIELDS, mendId);

const checkClaim: RequestSchema<ClaimRequest> = (value, limits) => {
  const result = checkFields(value, limits);
  if ('problems' in result) return result;
  const { taskId: id, next = false } = result.request;
  if ((id !== undefined) !== next) return result;
  return { problems: { lines: ['Expected either the id of a task or --next'] } };
};
