import type { LogEntry } from '../../src/state/log-place.ts';
import type { Version } from '../../src/state/place.ts';
import { TASK_STEPS, type TaskStep } from '../../src/tasks/stored-tasks.ts';
import { NO_TASKS, withTasks } from '../../src/tasks/task.ts';
import type { Stored } from './linearizability.ts';

/**
 * The change of each version, also of those stored whole, for the check of linearizability.
 *
 * @param entries all of them, from the first on.
 */
export function storedSteps(entries: readonly Version<LogEntry<TaskStep>>[]): Stored[] {
  const steps = stepsOf(entries.map(({ content }) => content));
  return steps.map((step, index) => ({
    ...step,
    version: index + 1,
    by: entries[index]?.by ?? '',
  }));
}

function stepsOf(entries: readonly LogEntry<TaskStep>[]): TaskStep[] {
  let graph = NO_TASKS;
  return entries.map(({ isWhole, step }) => {
    const after = TASK_STEPS.apply(isWhole ? NO_TASKS : graph, [step]);
    const before = new Map(
      [...graph.tasks.values()].map((task) => [JSON.stringify(task), task] as const),
    );
    const same = withTasks(
      after,
      [...after.tasks.values()].map((task) => before.get(JSON.stringify(task)) ?? task),
    );
    const made = TASK_STEPS.between(graph, isWhole ? same : after);
    graph = isWhole ? same : after;
    return made;
  });
}
