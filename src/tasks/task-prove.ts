import { type CommandResult, done } from '../base/command/agent-command.ts';
import { refusal } from '../base/command/replies.ts';
import { because, type Reason } from './reasons.ts';
import type { TaskCall } from './task-call.ts';
import { SOME_TASKS } from './task-fields.ts';
import { taskForm } from './task-form.ts';
import helpPage from './task-prove.md';
import { reasonLines } from './task-text.ts';
import { changeTask } from './task-update.ts';

export const TASK_PROVE = taskForm({
  name: 'TaskProve',
  summary: 'runs checks',
  usage: 'TaskProve ID... [--agent NAME]',
  helpPage,
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
  const task = (await call.store.read()).graph.tasks.get(taskId);
  if (task === undefined) return { refused: [because('task_not_found', taskId)] };
  const { check } = task;
  if (check === undefined) return { refused: [because('no_check', taskId)] };
  const proof = await call.evidence.run(check);
  if ('failed' in proof) return { refused: [because('unproven', taskId, check, proof)] };
  return changeTask({ taskId, status: 'completed' }, call, { check, proof });
}
