import { claimTask } from '../../src/tasks/claims.ts';
import type { Refused } from '../../src/tasks/reasons.ts';
import { NO_TASKS, type Task, type TaskGraph } from '../../src/tasks/task.ts';
import { createTasks, type NewTask } from '../../src/tasks/task-create.ts';
import type { TaskChanges } from '../../src/tasks/task-fields.ts';
import { updateTask } from '../../src/tasks/update-task.ts';

export const AT = '2026-01-31T12:00:00.000Z';
export const LATER = '2026-01-31T13:00:00.000Z';
export const LEADER = { agent: 'leader', checkBusy: false, force: true };

/** Throws if it was refused. */
export function done<Change extends object>(outcome: Change | Refused): Change {
  if ('refused' in outcome) throw new Error(JSON.stringify(outcome.refused));
  return outcome;
}

/** The codes of the reasons; none if it was not refused. */
export function codes(outcome: object | Refused): string {
  return 'refused' in outcome ? outcome.refused.map(({ code }) => code).join(', ') : 'none';
}

/** A string is a subject. */
export function graphOf(...tasks: (string | NewTask)[]): TaskGraph {
  return tasks.reduce<TaskGraph>((graph, task) => {
    const request = typeof task === 'string' ? { subject: task } : task;
    return done(createTasks(graph, [request], AT)).graph;
  }, NO_TASKS);
}

export function claimed(graph: TaskGraph, id: number, agent: string): TaskGraph {
  return done(claimTask(graph, id, { agent, checkBusy: false }, AT)).graph;
}

export function completed(graph: TaskGraph, id: number): TaskGraph {
  return done(updateTask(graph, { taskId: id, status: 'completed' }, LEADER, AT)).graph;
}

export const update = (graph: TaskGraph, changes: TaskChanges, agent?: string, more: object = {}) =>
  updateTask(graph, changes, { agent, checkBusy: false, force: false, ...more }, LATER);

export const task = (graph: TaskGraph, id: number): Task | undefined => graph.tasks.get(id);
