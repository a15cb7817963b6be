import { type Failure, failedText, unprovenText } from '../base/proof/proof.ts';
import { firstOf, inQuotes, nameText } from '../base/safe-text.ts';
import { notKeptText } from '../lists/place.ts';
import type { Task } from './task.ts';

const MAX_IDS_NAMED = 10;
const MAX_HELD_NAMED = 3;

const REASON_TEXTS = {
  /** @param where the field that names it. */
  task_not_found: (id: number, where = '') => `there is no task #${id}${where && ` (${where})`}`,
  /** @param more what else to know. */
  already_claimed: (id: number, owner: string, more = '') =>
    `#${id} is claimed by ${nameText(owner)}${more}`,
  already_resolved: (id: number) => `#${id} is completed`,
  blocked: (id: number, blockers: readonly number[]) => `#${id} is blocked by ${someIds(blockers)}`,
  /** @param waiting the tasks assigned to it that it has not begun. */
  agent_busy: (agent: string, begun: readonly number[], waiting: readonly number[]) => {
    const parts = [
      ...(begun.length > 0 ? [`is working on ${someIds(begun)}`] : []),
      ...(waiting.length > 0 ? [`has yet to begin ${someIds(waiting)}`] : []),
    ];
    return `${nameText(agent)} ${parts.join(' and ')}`;
  },
  /**
   * @param begun the agent's tasks in progress: after a restart it does not know them, and nobody else may claim them.
   * @param held those of others, which somebody may have to release.
   */
  nothing_ready: (
    begun: readonly number[],
    held: readonly Pick<Task, 'id' | 'owner' | 'updatedAt'>[],
  ) => {
    const yours =
      begun.length > 0 ? `; you have begun ${someIds(begun)}: finish or release it` : '';
    const others = firstOf(
      held,
      MAX_HELD_NAMED,
      ({ id, owner = '', updatedAt }) => `#${id} by ${nameText(owner)} since ${updatedAt}`,
    );
    const theirs = others && `; held: ${others}. If its owner has gone: TaskRelease ${held[0]?.id}`;
    return `no pending, unblocked task is yours or unowned${yours}${theirs}`;
  },
  no_agent: () => 'say who you are: set TODO_AGENT, or give --agent NAME',
  /** @param task an id, or the ref of a task that is not created yet. */
  blocks_itself: (task: number | string) => `${linkText(task)} cannot block itself`,
  /** @param path of tasks that each block the next, the first again at the end. */
  cycle: (path: readonly (number | string)[]) => {
    const shown = path.map(linkText);
    if (shown.length > MAX_IDS_NAMED) {
      shown.splice(MAX_IDS_NAMED - 2, shown.length - MAX_IDS_NAMED + 1, '...');
    }
    return `these would block each other: ${shown.join(' → ')}`;
  },
  /** @param problem of old and new metadata merged. */
  too_large: (problem: string) => `metadata: ${problem}; null deletes a key`,
  /** @param owner who has the task now. */
  lease_lost: (id: number, owner: string | undefined) =>
    `your lease of #${id} expired, and ${owner === undefined ? `it was released; to take it again: TaskClaim ${id}` : `${nameText(owner)} has it`}`,
  built_upon: (ids: readonly number[], more: string) => `${someIds(ids)} changed ${more}`,
  /** @param kept newest first. @param ofChanges if these are only the versions that changed a task. */
  no_such_version: (version: number, kept: readonly number[], ofChanges = false) => {
    const isPassed = (kept[0] ?? 0) > version && version > (kept.at(-1) ?? 0);
    if (ofChanges && isPassed) return `version ${version} changed no task`;
    return `there is no version ${version}: ${notKeptText(version, kept)}`;
  },
  nothing_to_undo: () => 'no kept change can be undone',
  /** @param more what else to know. */
  not_yours: (id: number, owner: string | undefined, status: string, more = '') =>
    owner === undefined
      ? `#${id} has no owner`
      : `#${id} is ${status} and belongs to ${nameText(owner)}${more}`,
  not_completed: (id: number, status: string) => `#${id} is ${status}`,
  unproven: (id: number, check: string, failure?: Failure) =>
    failure
      ? failedText(`#${id}`, check, failure)
      : unprovenText(`#${id}`, check, `TaskProve ${id}`),
  no_check: (id: number) => `#${id} has no check; without one: TaskUpdate ${id} --status completed`,
  refused_by_hook: (hook: string, said: string) => `${hook}: ${said}`,
};

function linkText(task: number | string): string {
  return typeof task === 'number' ? `#${task}` : inQuotes(task);
}

/** Why a change is not made. */
export type ReasonCode = keyof typeof REASON_TEXTS;

/** One reason, for a program by its code and for a reader by its text, which is safe to print. */
export interface Reason {
  readonly code: ReasonCode;
  readonly text: string;
}

/** Returned instead of a change that may not be made: all reasons at once. */
export interface Refused {
  readonly refused: readonly Reason[];
}

export function because<Code extends ReasonCode>(
  code: Code,
  ...known: Parameters<(typeof REASON_TEXTS)[Code]>
): Reason {
  const textOf = REASON_TEXTS[code] as (...known: unknown[]) => string;
  return { code, text: textOf(...known) };
}

/** Truncated: `#1, #3 and 4 more`. */
function someIds(ids: readonly number[]): string {
  return firstOf(ids, MAX_IDS_NAMED, (id) => `#${id}`);
}
