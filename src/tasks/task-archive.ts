import { done } from '../base/command/agent-command.ts';
import { idsText } from '../base/command/status.ts';
import { UNIT_MS } from '../base/duration.ts';
import { because, type Refused } from './reasons.ts';
import { type Task, type TaskGraph, withTasks } from './task.ts';
import helpPage from './task-archive.md';
import { duration, SOME_TASKS } from './task-fields.ts';
import { taskForm } from './task-form.ts';

const A_WEEK_MS = 7 * UNIT_MS.d;

export const TASK_ARCHIVE = taskForm({
  name: 'TaskArchive',
  summary: 'archives completed tasks',
  usage: 'TaskArchive [ID...] [--older-than 7d]',
  helpPage,
  example: '{"taskIds":[1,2]}',
  fields: {
    taskIds: SOME_TASKS,
    olderThan: { kind: duration, hint: 'A time such as 30m, 8h or 7d' },
  },
  purpose: 'archive the tasks',
  run: async ({ taskIds: ids, olderThan }, call) => {
    const age = olderThan ?? (ids === undefined ? A_WEEK_MS : Number.NEGATIVE_INFINITY);
    const outcome = await call.change((graph, at) => archiveTasks(graph, ids, age, at));
    if ('refused' in outcome) return outcome;
    const { archived } = outcome.change;
    return done(archived.length > 0 ? `Archived: ${idsText(archived)}\n` : 'Nothing to archive.\n');
  },
});

/**
 * Archives completed tasks.
 *
 * @param ids the tasks to archive, all or none; undefined: all completed ones.
 * @param ageMs only tasks unchanged for so long; below 0 for those that a faster clock has changed, too.
 */
function archiveTasks(
  graph: TaskGraph,
  ids: readonly number[] | undefined,
  ageMs: number,
  at: string,
): { readonly graph: TaskGraph; readonly archived: readonly number[] } | Refused {
  const refused = (ids ?? []).flatMap((id) => {
    const task = graph.tasks.get(id);
    if (task === undefined) return [because('task_not_found', id)];
    return task.status === 'completed' ? [] : [because('not_completed', id, task.status)];
  });
  if (refused.length > 0) return { refused };
  const chosen = ids === undefined ? undefined : new Set(ids);
  const isOld = ({ updatedAt }: Task) => Date.parse(at) - Date.parse(updatedAt) >= ageMs;
  const archived = [...graph.tasks.values()].filter(
    (task) =>
      task.status === 'completed' &&
      !task.isArchived &&
      (chosen?.has(task.id) ?? true) &&
      isOld(task),
  );
  if (archived.length === 0) return { graph, archived: [] };
  const marked = archived.map((task) => ({ ...task, isArchived: true as const }));
  return { graph: withTasks(graph, marked), archived: archived.map(({ id }) => id) };
}
