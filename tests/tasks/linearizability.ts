import { isDeepStrictEqual } from 'node:util';
import type { Version } from '../../src/state/place.ts';
import { claimTask, releaseTasks } from '../../src/tasks/claims.ts';
import type { Refused } from '../../src/tasks/reasons.ts';
import type { TaskGraph } from '../../src/tasks/task.ts';
import { createTasks } from '../../src/tasks/task-create.ts';
import { updateTask } from '../../src/tasks/update-task.ts';

// A check that a history of concurrent operations is linearizable: that it is one of operations that ran one after the other.

export type Operation =
  | { kind: 'claim'; id: number | 'next' }
  | { kind: 'complete' | 'delete' | 'release'; id: number }
  | { kind: 'rename'; id: number; subject: string }
  | { kind: 'link'; id: number; blocker: number }
  | { kind: 'create'; blockers: number[] };

/** An operation as logged by its process; without an end if the process was killed. */
export interface Logged {
  key: string;
  /** Unique, also if it continues the work of a killed process's agent. */
  process: string;
  agent: string;
  operation: Operation;
  /** Microseconds of a clock that all processes share. */
  start: number;
  end?: number;
  /** The version that it made or, if it changed nothing, found. */
  version?: number;
  refused?: string[];
}

export function plan(
  graph: TaskGraph,
  operation: Operation,
  agent: string,
  at: string,
): { readonly graph: TaskGraph } | Refused {
  const rules = { agent, checkBusy: false, force: false };
  const update = (changes: object) =>
    updateTask(graph, { taskId: (operation as { id: number }).id, ...changes }, rules, at);
  switch (operation.kind) {
    case 'claim':
      return claimTask(graph, operation.id, rules, at);
    case 'complete':
      return update({ status: 'completed' });
    case 'rename':
      return update({ subject: operation.subject });
    case 'link':
      return update({ addBlockedBy: [operation.blocker] });
    case 'delete':
      return update({ status: 'deleted' });
    case 'release':
      return releaseTasks(graph, [operation.id], agent, at);
    case 'create':
      return createTasks(graph, [{ subject: agent, blockedBy: operation.blockers }], at);
  }
}

/**
 * Everything that contradicts a sequence of the operations in the order of their versions, each between its start and its
 * end.
 *
 * @param versions all from the first on, which no operation made.
 */
export function contradictions(
  logged: readonly Logged[],
  versions: readonly Version<TaskGraph>[],
): string[] {
  return [...outOfTime(logged), ...outOfOrder(logged, versions)];
}

/** An operation that begins after another has ended must not find, or make, an earlier version. */
function outOfTime(logged: readonly Logged[]): string[] {
  const ended = logged.filter(({ end }) => end !== undefined);
  const byEnd = [...ended].sort((a, b) => Number(a.end) - Number(b.end));
  const found: string[] = [];
  let newest = 0;
  let next = 0;
  for (const operation of [...ended].sort((a, b) => a.start - b.start)) {
    for (; Number(byEnd[next]?.end) < operation.start; next++) {
      newest = Math.max(newest, Number(byEnd[next]?.version));
    }
    if (Number(operation.version) < newest) {
      found.push(`${operation.key} is at version ${operation.version}, after version ${newest}`);
    }
  }
  return found;
}

/** Repeats all operations in the order of their versions, and compares the results. */
function outOfOrder(logged: readonly Logged[], versions: readonly Version<TaskGraph>[]): string[] {
  const found: string[] = [];
  for (const [index, { version, by, at, content }] of versions.entries()) {
    const before = versions[index - 1]?.content;
    const here = logged.filter((operation) => operation.version === version);
    // The first of its process at a version which that process made, or the one during which it was killed.
    const maker =
      before &&
      (here.find(({ process }) => process === by) ??
        logged.find(({ process, end }) => process === by && end === undefined));
    if (before) {
      const made = maker && plan(before, maker.operation, maker.agent, at.toISOString());
      const isRight = made && 'graph' in made && isSame(made.graph, content);
      if (!isRight || maker?.refused) found.push(`${maker?.key} cannot have made ${version}`);
    }
    // The others had nothing to change, or were refused for the right reasons.
    for (const { key, agent, operation, refused } of here.filter((each) => each !== maker)) {
      const outcome = plan(content, operation, agent, at.toISOString());
      const reasons = 'refused' in outcome ? outcome.refused.map(({ code }) => code) : undefined;
      const isRight = isDeepStrictEqual(reasons, refused);
      if (!isRight || ('graph' in outcome && outcome.graph !== content)) {
        found.push(`${key} at ${version}: got ${refused}, should have got ${reasons}`);
      }
    }
    if (found.length > 10) break;
  }
  return found;
}

function isSame(one: TaskGraph, other: TaskGraph): boolean {
  const [a, b] = [one, other].map(({ nextId, tasks }) =>
    JSON.stringify([nextId, [...tasks.values()]]),
  );
  return a === b;
}
