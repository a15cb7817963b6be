import { done } from '../command/agent-command.ts';
import { refusal } from '../command/refusal.ts';
import { jsonLine } from '../json/json-value.ts';
import { notFound } from './reasons.ts';
import type { Task } from './task.ts';
import type { TaskForm } from './task-form.ts';
import helpPage from './task-get.md';
import { changeLine, changesOf, graphAt, type TaskChangeEntry } from './task-history.ts';
import { AT, ONE_TASK, requestSchema } from './task-schema.ts';
import { reasonLines, taskPage } from './task-text.ts';
import { mendId } from './task-update.ts';

const FIELDS = { taskId: ONE_TASK, at: AT } as const;

/** `TaskGet`: all of one task. */
export const TASK_GET: TaskForm<{ readonly taskId: number; readonly at?: number }> = {
  name: 'TaskGet',
  summary: 'shows one: ID',
  usage: 'TaskGet ID [--json] [--at VERSION | --history]',
  helpPage,
  example: '{"taskId":1}',
  fields: FIELDS,
  options: { '--json': 'flag', '--history': 'flag' },
  positional: { field: 'taskId', isList: false },
  isReadOnly: true,
  readsStdin: false,
  purpose: 'show the task',
  check: requestSchema(FIELDS, mendId),
  run: async ({ taskId: id, at }, { store, options }) => {
    const found = await graphAt(store, at);
    const title = `Cannot show task #${id}`;
    if ('refused' in found) return refusal(title, reasonLines(found.refused));
    const history = options['--history'] ? (await changesOf(store)).filter(touches(id)) : [];
    const task = found.graph.tasks.get(id);
    // Of a deleted one its history is left.
    if (task === undefined && history.length === 0) {
      return refusal(title, reasonLines([notFound(id)]));
    }
    if (options['--history']) return done(history.map(changeLine).join('') || 'No changes.\n');
    return done(options['--json'] ? jsonLine(task as Task) : taskPage(found.graph, task as Task));
  },
};

function touches(id: number) {
  return ({ ids }: TaskChangeEntry) => ids.includes(id);
}
