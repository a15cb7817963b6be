import { notCompleted, notFound, type Refused } from './reasons.ts';
import { type Task, type TaskGraph, withTasks } from './task.ts';

/**
 * Puts completed tasks out of the way.
 *
 * @param ids those to archive, all or none; all completed ones where undefined.
 * @param ageMs only those that have not changed for so long.
 */
export function archiveTasks(
  graph: TaskGraph,
  ids: readonly number[] | undefined,
  ageMs: number,
  at: string,
): { readonly graph: TaskGraph; readonly archived: readonly number[] } | Refused {
  const refused = (ids ?? []).flatMap((id) => {
    const task = graph.tasks.get(id);
    if (task === undefined) return [notFound(id)];
    return task.status === 'completed' ? [] : [notCompleted(id, task.status)];
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
  return {
    graph: withTasks(
      graph,
      archived.map((task) => ({ ...task, isArchived: true as const })),
    ),
    archived: archived.map(({ id }) => id),
  };
}
