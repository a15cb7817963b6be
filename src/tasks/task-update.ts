import { type CommandResult, done } from '../base/command/agent-command.ts';
import { noteLines } from '../base/command/replies.ts';
import { idsText } from '../base/command/status.ts';
import { safeText } from '../base/safe-text.ts';
import { readyTasks } from './claims.ts';
import { because, type ReasonCode } from './reasons.ts';
import type { Task } from './task.ts';
import type { TaskCall } from './task-call.ts';
import { type TaskChanges, UPDATE_FIELDS } from './task-fields.ts';
import { type Refusal, taskForm } from './task-form.ts';
import { reasonLines } from './task-text.ts';
import helpPage from './task-update.md';
import { type UpdateRules, updateTask } from './update-task.ts';

export const TASK_UPDATE = taskForm({
  name: 'TaskUpdate',
  summary: 'changes one: ID --status STATUS, and other fields',
  usage: `TaskUpdate ID --status completed | TaskUpdate '{"taskId":1,"owner":"ann"}'`,
  helpPage,
  example: '{"taskId":1,"description":"..."}',
  fields: UPDATE_FIELDS,
  options: { '--force': 'flag', '--check-busy': 'flag' },
  readsStdin: true,
  purpose: 'update the task',
  rule: (changes) =>
    Object.keys(changes).length > 1
      ? undefined
      : 'Expected a field to change beside the id, such as status',
  run: (changes, call) => changeTask(changes, call),
});

/** @param proven the proof of the task's check, if it has just passed. */
export async function changeTask(
  changes: TaskChanges,
  call: TaskCall,
  proven?: UpdateRules['proven'],
): Promise<CommandResult | Refusal> {
  const { agent, settings, options } = call;
  const name = `task #${changes.taskId}`;
  const title = `Cannot update ${name}`;
  const outcome = await call.change(
    (graph, at) => {
      const rules = {
        ...call.rules,
        agent: call.claimant(graph),
        by: agent,
        force: Boolean(options['--force']),
        proven,
        requireProof: settings.requireProof,
      };
      return updateTask(graph, changes, rules, at);
    },
    async ({ before, task }) =>
      task?.status === 'completed' && before.status !== 'completed'
        ? call.approve('task-completed', [task])
        : undefined,
  );
  if ('refused' in outcome) {
    const closing = outcome.refused.every(({ code }) => FORCED.has(code))
      ? [`a leader may use --force; to clear the owner: TaskRelease ${changes.taskId}`]
      : [];
    return { ...outcome, title, closing };
  }
  const { changed, unblocked } = outcome.change;
  const what = changed.length > 0 ? changed.join(', ') : 'nothing to change';
  const { task: after } = outcome.change;
  const isCompleted = changed.includes('status') && after?.status === 'completed';
  const ready = isCompleted && settings.guidance !== 'off' ? readyTasks(outcome.change.graph) : [];
  const notes = [
    ...reasonLines(
      isCompleted && after.check && !after.proof
        ? [because('unproven', after.id, after.check)]
        : [],
    ).lines,
    ...(ready.length > 0 ? [readyNote(ready)] : []),
  ];
  const freed = unblocked.length > 0 ? `Unblocked: ${idsText(unblocked)}\n` : '';
  return done(`Updated ${name}: ${what}\n${freed}`, noteLines(notes));
}

const MOST_READY_NAMED = 3;
const MAX_SUBJECT_IN_REPLY = 50;

function readyNote(tasks: readonly Task[]): string {
  const names = tasks
    .slice(0, MOST_READY_NAMED)
    .map(({ id, subject }) => `#${id} ${safeText(subject, MAX_SUBJECT_IN_REPLY)}`);
  const hidden = tasks.length - names.length;
  return `ready to claim: ${names.join(', ')}${hidden > 0 ? ` and ${hidden} more` : ''}`;
}

/** The reasons that --force overrides. */
const FORCED: ReadonlySet<ReasonCode> = new Set([
  'already_claimed',
  'already_resolved',
  'blocked',
  'agent_busy',
]);
