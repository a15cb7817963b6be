import { type CommandResult, done } from '../base/command/agent-command.ts';
import { noteLines, refusal } from '../base/command/replies.ts';
import { idsText } from '../base/command/status.ts';
import type { Proof } from '../base/proof/proof.ts';
import { firstOf, safeText } from '../base/safe-text.ts';
import { readyTasks } from './claims.ts';
import { because, type Reason, type ReasonCode } from './reasons.ts';
import type { Task, TaskGraph } from './task.ts';
import type { TaskCall } from './task-call.ts';
import { SOME_TASKS, type TaskChanges, UPDATE_FIELDS } from './task-fields.ts';
import { type Refusal, taskForm } from './task-form.ts';
import provePage from './task-prove.md';
import { reasonLines } from './task-text.ts';
import updatePage from './task-update.md';
import { type Proven, type UpdateRules, updateTask } from './update-task.ts';

export const TASK_UPDATE = taskForm({
  name: 'TaskUpdate',
  summary: 'changes one: ID --status STATUS, and other fields',
  usage: `TaskUpdate ID --status completed | TaskUpdate '{"taskId":1,"owner":"bo"}'`,
  helpPage: updatePage,
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

async function changeTask(
  changes: TaskChanges,
  call: TaskCall,
  proven?: Proven,
): Promise<CommandResult | Refusal> {
  const name = `task #${changes.taskId}`;
  const outcome = await call.change(
    (graph, at) => updateTask(graph, changes, rulesOf(call, graph, proven), at),
    async ({ before, task }) =>
      task?.status === 'completed' && before.status !== 'completed'
        ? call.approve('task-completed', [task])
        : undefined,
  );
  if ('refused' in outcome) {
    const closing = wayOut(changes.taskId, outcome.refused);
    return { ...outcome, title: `Cannot update ${name}`, closing };
  }
  const { graph, task, changed, unblocked } = outcome.change;
  const what = changed.length > 0 ? changed.join(', ') : 'nothing to change';
  const finished = changed.includes('status') && task?.status === 'completed' ? task : undefined;
  const isUnproven = finished?.check && !finished.proof;
  const unproven = isUnproven ? [because('unproven', finished.id, finished.check)] : [];
  const ready = finished && call.settings.guidance !== 'off' ? readyTasks(graph) : [];
  const notes = [...reasonLines(unproven).lines, ...(ready.length > 0 ? [readyNote(ready)] : [])];
  const freed = unblocked.length > 0 ? `Unblocked: ${idsText(unblocked)}\n` : '';
  return done(`Updated ${name}: ${what}\n${freed}`, noteLines(notes));
}

function rulesOf(call: TaskCall, graph: TaskGraph, proven: Proven | undefined): UpdateRules {
  return {
    ...call.rules,
    agent: call.claimant(graph),
    by: call.agent,
    force: Boolean(call.options['--force']),
    proven,
    requireProof: call.settings.requireProof,
  };
}

const MOST_READY_NAMED = 3;
const MAX_SUBJECT_IN_REPLY = 50;

function readyNote(tasks: readonly Task[]): string {
  const nameOf = ({ id, subject }: Task) => `#${id} ${safeText(subject, MAX_SUBJECT_IN_REPLY)}`;
  return `ready to claim: ${firstOf(tasks, MOST_READY_NAMED, nameOf)}`;
}

/** The reasons that --force overrides. */
const FORCED = new Set<ReasonCode>(['already_claimed', 'not_yours', 'blocked', 'agent_busy']);

function wayOut(id: number, refused: readonly Reason[]): string[] {
  const codes = new Set(refused.map(({ code }) => code));
  if (codes.has('already_resolved')) return [`to reopen it: TaskUpdate ${id} --status pending`];
  if (![...codes].every((code) => FORCED.has(code))) return [];
  const release = codes.has('already_claimed') ? `; to clear the owner: TaskRelease ${id}` : '';
  return [`a leader may use --force${release}`];
}

export const TASK_PROVE = taskForm({
  name: 'TaskProve',
  summary: 'runs checks',
  usage: 'TaskProve ID... [--agent NAME]',
  helpPage: provePage,
  example: '{"taskIds":[1]}',
  fields: { taskIds: { ...SOME_TASKS, isRequired: true } },
  purpose: 'prove the tasks',
  run: async ({ taskIds }, call) => {
    const refused: Reason[] = [];
    let [stdout, stderr] = ['', ''];
    for (const id of new Set(taskIds)) {
      const reply = await proveTask(id, call);
      if ('refused' in reply) refused.push(...reply.refused);
      else [stdout, stderr] = [stdout + reply.stdout, stderr + reply.stderr];
    }
    if (refused.length === 0) return done(stdout, stderr);
    const { exitCode, stderr: reasons } = refusal('Cannot prove the tasks', reasonLines(refused));
    return { stdout, stderr: stderr + reasons, exitCode };
  },
});

/** Completes a task if its check passes. */
async function proveTask(
  taskId: number,
  call: TaskCall,
): Promise<CommandResult | { readonly refused: readonly Reason[] }> {
  // 1. Ask whether it may be completed, as if the check had passed.
  const { graph } = await call.store.read();
  const task = graph.tasks.get(taskId);
  if (task === undefined) return { refused: [because('task_not_found', taskId)] };
  const { check } = task;
  if (check === undefined) return { refused: [because('no_check', taskId)] };
  const changes = { taskId, status: 'completed' } as const;
  const at = call.store.now().toISOString();
  const passed: Proof = { command: check, exitCode: 0, at, by: call.agent };
  const asked = updateTask(graph, changes, rulesOf(call, graph, { task, proof: passed }), at);
  if ('refused' in asked) return asked;
  // 2. Run the check.
  const proof = await call.checks.run(check);
  if ('failed' in proof) return { refused: [because('unproven', taskId, check, proof)] };
  // 3. Complete it, unless it has changed meanwhile.
  return changeTask(changes, call, { task, proof });
}
