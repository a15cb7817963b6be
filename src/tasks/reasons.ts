import { type Failure, failedText, unprovenText } from '../proof/proof.ts';
import { briefText } from '../safe-text.ts';
import { idsText } from './task.ts';

/** Why a change is not made. */
export type ReasonCode =
  | 'task_not_found'
  | 'already_claimed'
  | 'already_resolved'
  | 'blocked'
  | 'agent_busy'
  | 'nothing_ready'
  | 'no_agent'
  | 'blocks_itself'
  | 'cycle'
  | 'too_large'
  | 'lease_lost'
  | 'built_upon'
  | 'no_such_version'
  | 'nothing_to_undo'
  | 'not_yours'
  | 'not_completed'
  | 'unproven'
  | 'refused_by_hook';

/** One reason, for a program by its code and for a reader by its text, which is safe to print. */
export interface Reason {
  readonly code: ReasonCode;
  readonly text: string;
}

/** Returned instead of a change that may not be made: all reasons at once. */
export interface Refused {
  readonly refused: readonly Reason[];
}

const MAX_IDS_NAMED = 10;

export function notFound(id: number, where = ''): Reason {
  return { code: 'task_not_found', text: `there is no task #${id}${where && ` (${where})`}` };
}

export function alreadyClaimed(id: number, owner: string): Reason {
  return { code: 'already_claimed', text: `#${id} is claimed by ${agentText(owner)}` };
}

export function checkOfOther(id: number, owner: string): Reason {
  const text = `#${id} is claimed by ${agentText(owner)}; its check may be changed by its owner and its creator`;
  return { code: 'already_claimed', text };
}

export function alreadyResolved(id: number): Reason {
  return { code: 'already_resolved', text: `#${id} is completed` };
}

export function blocked(id: number, blockers: readonly number[]): Reason {
  return { code: 'blocked', text: `#${id} is blocked by ${someIds(blockers)}` };
}

/** @param begun its tasks in progress. @param waiting the tasks assigned to it that it has not begun. */
export function agentBusy(
  agent: string,
  begun: readonly number[],
  waiting: readonly number[],
): Reason {
  const parts = [
    ...(begun.length > 0 ? [`is working on ${someIds(begun)}`] : []),
    ...(waiting.length > 0 ? [`has yet to begin ${someIds(waiting)}`] : []),
  ];
  return { code: 'agent_busy', text: `${agentText(agent)} ${parts.join(' and ')}` };
}

/** @param begun the agent's tasks in progress: after a restart it does not know them, and nobody else may claim them. */
export function nothingReady(begun: readonly number[]): Reason {
  const yours = begun.length > 0 ? `; you have begun ${someIds(begun)}: finish or release it` : '';
  const text = `no pending, unblocked task is yours or unowned${yours}`;
  return { code: 'nothing_ready', text };
}

export const NO_AGENT: Reason = {
  code: 'no_agent',
  text: 'say who you are: set TODO_AGENT, or give --agent NAME',
};

export function blocksItself(id: number): Reason {
  return { code: 'blocks_itself', text: `#${id} cannot block itself` };
}

/** @param path of tasks that each block the next, the first again at the end. */
export function cycle(path: readonly number[]): Reason {
  const shown = path.map((id) => `#${id}`);
  if (shown.length > MAX_IDS_NAMED) {
    shown.splice(MAX_IDS_NAMED - 2, shown.length - MAX_IDS_NAMED + 1, '...');
  }
  return { code: 'cycle', text: `these would block each other: ${shown.join(' → ')}` };
}

export function unproven(id: number, check: string, failure?: Failure): Reason {
  const text = failure
    ? failedText(`#${id}`, check, failure)
    : unprovenText(`#${id}`, check, `TaskUpdate ${id} --status completed --prove`);
  return { code: 'unproven', text };
}

export function notCompleted(id: number, status: string): Reason {
  return { code: 'not_completed', text: `#${id} is ${status}` };
}

export function builtUpon(ids: readonly number[]): Reason {
  return { code: 'built_upon', text: `${someIds(ids)} changed since; nothing was undone` };
}

export function changedSince(id: number): Reason {
  return { code: 'built_upon', text: `#${id} changed in the meantime; nothing was changed` };
}

/** @param kept newest first. */
export function noSuchVersion(version: number, kept: readonly number[]): Reason {
  const range =
    kept.length === 0
      ? 'the list was never written'
      : `versions ${kept.at(-1)} to ${kept[0]} are kept`;
  return { code: 'no_such_version', text: `there is no version ${version}: ${range}` };
}

export const NOTHING_TO_UNDO: Reason = {
  code: 'nothing_to_undo',
  text: 'no kept change can be undone',
};

export function notYours(id: number, owner: string | undefined, status: string): Reason {
  if (owner === undefined) return { code: 'not_yours', text: `#${id} has no owner` };
  return { code: 'not_yours', text: `#${id} is ${status} and belongs to ${agentText(owner)}` };
}

/** @param owner who has the task now. */
export function leaseLost(id: number, owner: string | undefined): Reason {
  const now = owner === undefined ? 'it was released' : `${agentText(owner)} has it`;
  return { code: 'lease_lost', text: `your lease of #${id} expired, and ${now}` };
}

/** @param problem of old and new metadata merged. */
export function metadataRefused(problem: string): Reason {
  return { code: 'too_large', text: `metadata: ${problem}; null deletes a key` };
}

/** Agents' names come from outside. */
export function agentText(agent: string): string {
  return briefText(agent);
}

/** Truncated: `#1, #3 and 4 more`. */
function someIds(ids: readonly number[]): string {
  const hidden = ids.length - MAX_IDS_NAMED;
  return idsText(ids.slice(0, MAX_IDS_NAMED)) + (hidden > 0 ? ` and ${hidden} more` : '');
}
