import { done } from '../command/agent-command.ts';
import { refusal } from '../command/refusal.ts';
import { archiveTasks } from './archive-tasks.ts';
import { idsText } from './task.ts';
import helpPage from './task-archive.md';
import type { TaskForm } from './task-form.ts';
import { duration, requestSchema, taskIds } from './task-schema.ts';
import { reasonLines } from './task-text.ts';

/** Which completed tasks: these, or all that were completed this many milliseconds ago. */
interface ArchiveRequest {
  readonly taskIds?: readonly number[];
  readonly olderThan?: number;
}

const FIELDS = {
  taskIds: { kind: taskIds, isNoOption: true },
  olderThan: { kind: duration, hint: 'A time such as 30m, 8h or 7d' },
} as const;

const A_WEEK_MS = 7 * 86_400_000;

/** `TaskArchive`: hides completed tasks. */
export const TASK_ARCHIVE: TaskForm<ArchiveRequest> = {
  name: 'TaskArchive',
  summary: 'hides completed tasks',
  usage: 'TaskArchive [ID...] [--older-than 7d]',
  helpPage,
  example: '{"taskIds":[1,2]}',
  fields: FIELDS,
  positional: { field: 'taskIds', isList: true },
  readsStdin: false,
  purpose: 'archive the tasks',
  check: requestSchema(FIELDS),
  run: async ({ taskIds: ids, olderThan }, { change }) => {
    const age = olderThan ?? (ids === undefined ? A_WEEK_MS : 0);
    const outcome = await change((graph, at) => archiveTasks(graph, ids, age, at));
    if ('refused' in outcome) {
      return refusal('Cannot archive the tasks', reasonLines(outcome.refused));
    }
    const { archived } = outcome.change;
    const stdout =
      archived.length > 0 ? `Archived: ${idsText(archived)}\n` : 'Nothing to archive.\n';
    return done(stdout);
  },
};
