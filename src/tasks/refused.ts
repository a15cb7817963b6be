import { safeText } from '../safe-text.ts';
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
  | 'refused_by_hook';

/** One reason, for a program by its code and for a reader by its text, which is safe to print. */
export interface Reason {
  readonly code: ReasonCode;
  readonly text: string;
}

/** What comes in place of a change that may not be made: all reasons at once. */
export interface Refused {
  readonly refused: readonly Reason[];
}

const MAX_NAME_CHARACTERS = 40;
const MAX_IDS_NAMED = 10;

export function notFound(id: number, where = ''): Reason {
  return { code: 'task_not_found', text: `there is no task #${id}${where && ` (${where})`}` };
}

export function alreadyClaimed(id: number, owner: string): Reason {
  return { code: 'already_claimed', text: `#${id} is claimed by ${agentText(owner)}` };
}

export function alreadyResolved(id: number): Reason {
  return { code: 'already_resolved', text: `#${id} is completed` };
}

export function blocked(id: number, blockers: readonly number[]): Reason {
  return { code: 'blocked', text: `#${id} is blocked by ${someIds(blockers)}` };
}

export function agentBusy(agent: string, ids: readonly number[]): Reason {
  return { code: 'agent_busy', text: `${agentText(agent)} is working on ${someIds(ids)}` };
}

export const NOTHING_READY: Reason = {
  code: 'nothing_ready',
  text: 'no task is pending, unowned and unblocked',
};

export const NO_AGENT: Reason = {
  code: 'no_agent',
  text: 'say who you are: set TODO_AGENT, or give --agent NAME',
};

export function blocksItself(id: number): Reason {
  return { code: 'blocks_itself', text: `#${id} cannot block itself` };
}

/** @param path the tasks in the order in which each blocks the next, the first again at the end. */
export function cycle(path: readonly number[]): Reason {
  const shown = path.map((id) => `#${id}`);
  if (shown.length > MAX_IDS_NAMED) {
    shown.splice(MAX_IDS_NAMED - 2, shown.length - MAX_IDS_NAMED + 1, '...');
  }
  return { code: 'cycle', text: `these would block each other: ${shown.join(' → ')}` };
}

/** @param problem what is wrong with the metadata as it would be, old and new together. */
export function metadataRefused(problem: string): Reason {
  return { code: 'too_large', text: `metadata: ${problem}; null takes a key away` };
}

/** An agent's name comes from outside. */
export function agentText(agent: string): string {
  return safeText(agent, MAX_NAME_CHARACTERS);
}

/** `#1, #3`, and how many more where there are many. */
export function someIds(ids: readonly number[]): string {
  const hidden = ids.length - MAX_IDS_NAMED;
  return idsText(ids.slice(0, MAX_IDS_NAMED)) + (hidden > 0 ? ` and ${hidden} more` : '');
}
