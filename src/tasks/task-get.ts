import * as z from 'zod/mini';
import { refusal } from '../command/refusal.ts';
import { jsonLine } from '../json/json-value.ts';
import { notFound } from './refused.ts';
import type { TaskForm } from './task-form.ts';
import helpPage from './task-get.md';
import { requestSchema, taskId } from './task-schema.ts';
import { reasonLines, taskPage } from './task-text.ts';
import { mendId } from './task-update.ts';

/** `TaskGet`: all of one task. */
export const TASK_GET: TaskForm<{ readonly taskId: number }> = {
  name: 'TaskGet',
  summary: 'shows all of one task: ID',
  usage: 'TaskGet ID [--json]',
  helpPage,
  example: '{"taskId":1}',
  fields: {},
  flags: ['--json'],
  positional: { field: 'taskId', isList: false },
  readsStdin: false,
  purpose: 'show the task',
  check: requestSchema(() => z.strictObject({ taskId }), mendId),
  run: async ({ taskId: id }, { store, flags }) => {
    const { graph } = await store.read();
    const task = graph.tasks.get(id);
    if (task === undefined) {
      return refusal(`Cannot show task #${id}`, reasonLines([notFound(id)]));
    }
    const stdout = flags.has('--json') ? jsonLine(task) : taskPage(graph, task);
    return { stdout, stderr: '', exitCode: 0 };
  },
};
