import * as z from 'zod/mini';
import { jsonLine } from '../json/json-value.ts';
import { isReady } from './task.ts';
import type { TaskForm } from './task-form.ts';
import helpPage from './task-list.md';
import { requestSchema, shortText } from './task-schema.ts';
import { taskLine } from './task-text.ts';

/** Which tasks to list; all of what is given must hold. */
export interface TaskFilter {
  readonly ready?: boolean;
  readonly owner?: string;
  readonly status?: 'pending' | 'in_progress' | 'completed';
}

/** `TaskList`: one line a task. */
export const TASK_LIST: TaskForm<TaskFilter> = {
  name: 'TaskList',
  summary: "shows the team's tasks; --ready those that you may claim",
  usage: 'TaskList [--ready] [--owner NAME] [--status STATUS] [--json]',
  helpPage,
  example: '{"status":"pending"}',
  fields: { '--ready': 'flag', '--owner': 'text', '--status': 'text' },
  flags: ['--json'],
  readsStdin: false,
  purpose: 'list the tasks',
  check: requestSchema((limits) =>
    z.strictObject({
      ready: z.exactOptional(z.boolean()),
      owner: z.exactOptional(shortText(limits)),
      status: z.exactOptional(z.enum(['pending', 'in_progress', 'completed'])),
    }),
  ),
  run: async ({ ready, owner, status }, { store, flags }) => {
    const { graph, version } = await store.read();
    const tasks = [...graph.tasks.values()].filter(
      (task) =>
        (!ready || isReady(graph, task)) &&
        (owner === undefined || task.owner === owner) &&
        (status === undefined || task.status === status),
    );
    const lines = tasks.map((task) => `${taskLine(graph, task)}\n`).join('');
    const stdout = flags.has('--json') ? jsonLine({ tasks, version }) : lines || 'No tasks.\n';
    return { stdout, stderr: '', exitCode: 0 };
  },
};
