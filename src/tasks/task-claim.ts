import { type CommandResult, done } from '../base/command/agent-command.ts';
import { noteLines } from '../base/command/replies.ts';
import { idsText } from '../base/command/status.ts';
import { durationText } from '../base/duration.ts';
import { nameText, safeText } from '../base/safe-text.ts';
import { claimTask, release, releaseAll, releaseTasks } from './claims.ts';
import { isLeaseOver, leaseLeft } from './lease.ts';
import { because } from './reasons.ts';
import type { TaskCall } from './task-call.ts';
import claimPage from './task-claim.md';
import { flag, leaseTime, SOME_TASKS, taskId } from './task-fields.ts';
import { type Refusal, taskForm } from './task-form.ts';
import releasePage from './task-release.md';

export const TASK_CLAIM = taskForm({
  name: 'TaskClaim',
  summary: 'makes a task yours: --next, or ID',
  usage: 'TaskClaim ID|--next [--agent NAME] [--lease 30m] | TaskClaim --check ID',
  helpPage: claimPage,
  example: '{"taskId":1}',
  fields: {
    taskId: { kind: { ...taskId, needs: 'a task id such as 3, or --next' }, words: 'one' },
    next: {
      kind: { ...flag, json: { const: true } },
      hint: 'The first task that is ready, in place of taskId',
    },
    lease: { kind: leaseTime, hint: 'How long the claim holds: 90s, 30m, 8h or off' },
  },
  options: { '--check-busy': 'flag', '--check': 'flag' },
  purpose: 'claim a task',
  rule: ({ taskId: id, next = false }) =>
    (id !== undefined) !== next ? undefined : 'Expected either the id of a task or --next',
  run: async ({ taskId, lease }, call) => {
    const { rules } = call;
    const id = taskId ?? ('next' as const);
    if (call.options['--check']) {
      return id === 'next' ? { misuse: '--check needs the id of a task' } : confirmClaim(id, call);
    }
    const leaseMs = (lease ?? rules.leaseMs) || undefined;
    const outcome = await call.change((graph, at) => {
      const agent = call.claimant(graph);
      if (agent === undefined) return { refused: [because('no_agent')] };
      return claimTask(graph, id, { ...rules, agent, leaseMs }, at);
    });
    if ('refused' in outcome) {
      return id === 'next' ? outcome : { ...outcome, title: `Cannot claim task #${id}` };
    }
    const { task, wasMine, takenFrom } = outcome.change;
    const notes = [
      ...(wasMine ? [`#${task.id} is already yours`] : []),
      ...(takenFrom ? [takenNote(task.id, takenFrom)] : []),
      ...(task.lease ? [leaseNote(task.lease.ms)] : []),
    ];
    const by = nameText(task.owner ?? '');
    return done(`Task #${task.id} claimed by ${by}: ${safeText(task.subject)}\n`, noteLines(notes));
  },
});

function takenNote(id: number, { owner, since }: { owner: string; since: string }): string {
  return `#${id} was ${nameText(owner)}'s since ${since}; that lease expired`;
}

function leaseNote(ms: number): string {
  return `the lease is ${durationText(ms)}; your commands renew it`;
}

/** For a caller about to report a task done, which may have lost it. */
async function confirmClaim(
  id: number,
  { store, agent }: TaskCall,
): Promise<CommandResult | Refusal> {
  const { graph } = await store.read();
  const task = graph.tasks.get(id);
  if (task === undefined)
    return { refused: [because('task_not_found', id)], title: 'Cannot check the claim' };
  const { owner, status, lostBy = [] } = task;
  if (owner === agent && status === 'in_progress') {
    const lease = leaseText(leaseLeft(task, store.clock));
    return done(`Task #${id} is yours: ${safeText(task.subject)}${lease}\n`);
  }
  const isFree = isLeaseOver(task, store.clock);
  const reason = lostBy.includes(agent)
    ? because('lease_lost', id, owner)
    : status === 'completed'
      ? because('already_resolved', id)
      : because(
          'not_yours',
          id,
          owner,
          status,
          isFree ? `, whose lease expired: TaskClaim ${id}` : '',
        );
  return { refused: [reason], title: `Task #${id} is not yours` };
}

function leaseText(left: number | undefined): string {
  if (left === undefined) return '';
  if (left === 0) return '; its lease had expired, nobody has taken it, and it is renewed';
  return `; ${durationText(left)} of the lease left`;
}

const ALL_RELEASED =
  'without ids all are released; an id is written 3: bash takes #3 for a comment';

export const TASK_RELEASE = taskForm({
  name: 'TaskRelease',
  summary: 'releases tasks: ID...',
  usage: 'TaskRelease [ID...] [--agent NAME] [--begun] | TaskRelease --expired',
  helpPage: releasePage,
  example: '{"taskIds":[1,2]}',
  fields: { taskIds: SOME_TASKS },
  options: { '--expired': 'flag', '--begun': 'flag' },
  isAboutAgent: true,
  purpose: 'release the tasks',
  run: async ({ taskIds: ids }, call) => {
    const { '--agent': about, '--expired': isExpired, '--begun': isBegun } = call.options;
    const namedAgent = about?.trim();
    const which = isBegun ? 'begun' : 'open';
    if (isBegun && ids !== undefined) return { misuse: '--begun takes no ids' };
    if (isExpired && (ids ?? namedAgent) !== undefined) {
      return { misuse: '--expired takes no ids and no --agent' };
    }
    const { clock } = call.store;
    const outcome = await call.change((graph, at) => {
      if (isExpired) return release(graph, (task) => isLeaseOver(task, clock), at, true);
      if (ids !== undefined) return releaseTasks(graph, ids, namedAgent, at);
      const agent = namedAgent ?? call.claimant(graph);
      if (agent === undefined) return { refused: [because('no_agent')] };
      return releaseAll(graph, agent, at, which, call.rules.session);
    });
    if ('refused' in outcome) return outcome;
    const { released } = outcome.change;
    const names = idsText(released.map(({ id }) => id));
    const isAll = released.length > 1 && ids === undefined && !isExpired && !isBegun && !namedAgent;
    const reply = released.length > 0 ? `Released: ${names}\n` : 'No tasks to release.\n';
    return done(reply, isAll ? noteLines([ALL_RELEASED]) : '');
  },
});
