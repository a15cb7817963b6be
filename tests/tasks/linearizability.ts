import { createHash } from 'node:crypto';
import type { Version } from '../../src/lists/place.ts';
import type { TaskGraph } from '../../src/tasks/task.ts';

// A check that a history of concurrent changes is linearizable: that it is one of changes that were made one after the other.

/** A change as logged by its process; without an end if the process was killed. */
export interface Logged {
  key: string;
  /** Unique, also if it continues the work of a killed process's agent. */
  process: string;
  /** Microseconds of a clock that all processes share. */
  start: number;
  /** The digests of the list that it was computed from, and of its result: equal if it was refused, or changed nothing. */
  from?: string;
  to?: string;
  end?: number;
  /** The version that it made or, if it changed nothing, found. */
  version?: number;
}

export function digest({ nextId, tasks }: TaskGraph): string {
  const text = JSON.stringify([nextId, [...tasks.values()]]);
  return createHash('sha256').update(text).digest('base64');
}

/**
 * Everything that contradicts a sequence of the changes in the order of their versions, each between its start and its end.
 *
 * @param versions all from the first on, which no logged change made.
 */
export function contradictions(
  logged: readonly Logged[],
  versions: readonly Version<TaskGraph>[],
): string[] {
  const digests = ['', ...versions.map(({ content }) => digest(content))];
  const made = versions.slice(1).flatMap(({ version, by }) => {
    const makers = logged.filter(
      ({ process, from, to, version: told = version }) =>
        process === by &&
        from === digests[version - 1] &&
        to === digests[version] &&
        told === version,
    );
    return makers.length === 1 ? [] : [`${makers.length} changes of ${by} made ${version}`];
  });
  const told = logged.flatMap(({ key, process, from, to, version }) => {
    if (version === undefined) return [];
    const isRight = from === to || versions[version - 1]?.by === process;
    return isRight && to === digests[version] ? [] : [`${key} has another version ${version}`];
  });
  return [...made, ...told, ...outOfTime(logged)];
}

/** A change that begins after another has ended must not find, or make, an earlier version. */
function outOfTime(logged: readonly Logged[]): string[] {
  const ended = logged.filter(({ end }) => end !== undefined);
  return ended.flatMap(({ key, start, version = 0 }) => {
    const before = ended.filter(({ end = 0 }) => end < start);
    const newest = Math.max(0, ...before.map((other) => Number(other.version)));
    return version < newest ? [`${key} is at version ${version}, after version ${newest}`] : [];
  });
}
