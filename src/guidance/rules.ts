import { CommandType } from '../base/command/agent-command.ts';
import { isOpen } from '../base/command/status.ts';
import { contentKey, type ItemPair, pairRenamed } from '../todo/pair-items.ts';
import type { Item } from '../todo/todo-fields.ts';
import type { TodoHome } from '../todo/todo-home.ts';
import type { Advise } from '../todo/todo-source.ts';
import { TEXTS } from './texts.ts';
import { changesFiles, failedVerifications, isVerification } from './verifications.ts';
import type { Work } from './work.ts';

/**
 * A rule of guidance.
 *
 * A `note` is evaluated after each change of the list; its text goes to the stderr of the command that made the change.
 * A `reminder` is evaluated after each line that the router ran, and is given `times` times per state of the list.
 */
export interface GuidanceRule {
  /** Short and unique, such as `dropped-items`. */
  readonly name: string;
  readonly kind: 'note' | 'reminder';
  /** The subject of a reminder; the todo list unless given. Notes are always about the list. */
  readonly about?: 'list' | 'tasks';
  /** Once unless given. */
  readonly times?: number;
  /**
   * Returns the lines to say, without `Note: `, or undefined. When in doubt, say nothing.
   *
   * @param given how often the reminder was given for this state of the list.
   */
  readonly say: (work: Work, given: number) => readonly string[] | string | undefined;
}

const SHORTEST_LIST_TO_VERIFY = 3;
const SKIPS_TO_MENTION = 3;
const COMMANDS_WITHOUT_BEGINNING = 5;
const COMMANDS_WITHOUT_LIST = 10;
const CHANGES_WITHOUT_LIST = 3;

/** The part of `Work` that is known without a session: one replacement of the list. */
interface Replacement extends Pick<Work, 'items' | 'dropped' | 'isSubagent'> {
  readonly changes: readonly (ItemPair & { readonly hasBegun?: boolean })[];
}

/** The rules on a replacement. */
const LIST_NOTES: readonly GuidanceRule[] = [
  { name: 'dropped-items', kind: 'note', say: droppedItems },
  { name: 'no-check', kind: 'note', say: unverifiedFinish },
  { name: 'skipped-items', kind: 'note', say: skippedItems },
];

/** The rules that need the lines that ran. */
export const LINE_RULES: readonly GuidanceRule[] = [
  { name: 'failed-check', kind: 'note', say: failures },
  { name: 'nothing-in-progress', kind: 'reminder', say: nothingInProgress },
  { name: 'stale-list', kind: 'reminder', times: 3, say: staleList },
  { name: 'no-list', kind: 'reminder', say: noList },
];

export const TASK_RULES: readonly GuidanceRule[] = [
  { name: 'stale-tasks', kind: 'reminder', about: 'tasks', say: staleTasks },
];

/** All rules, in the order of their texts. docs/guidance.md explains each. */
export const GUIDANCE_RULES: readonly GuidanceRule[] = /* @__PURE__ */ LIST_NOTES.concat(
  LINE_RULES,
  TASK_RULES,
);

/** For commands on PATH, which see one change and no lines. */
export function listNotes(home: Pick<TodoHome, 'settings' | 'isOfSubagent'>): Advise {
  return async (list, before, { items: now, asWritten: items = now, dropped = [] }) => {
    if (home.settings.guidance === 'off') return [];
    const work = { items, changes: pairRenamed(before.items, items), dropped, isSubagent: false };
    const unverified = unverifiedFinish(work);
    const toVerify = unverified !== undefined && !(await home.isOfSubagent(list)) ? unverified : [];
    return [droppedItems(work) ?? [], toVerify, skippedItems(work) ?? []].flat();
  };
}

/** Unfinished items that the last replacement left out. Clearing the list is meant to drop them. */
function droppedItems({ changes, items, dropped }: Replacement) {
  if (items.length === 0) return undefined;
  const lost: Item[] = [];
  for (const { before, after } of changes) {
    if (before && !after && before.status !== 'completed') lost.push(before);
  }
  if (lost.length === 0) return undefined;
  // One of two items with the same content may go. A new item has no content that was there before.
  const kept = new Set(dropped.map(contentKey));
  for (const { before, after } of changes) if (before && after) kept.add(contentKey(after));
  // The keys take time.
  const gone = kept.size === 0 ? lost : lost.filter((item) => !kept.has(contentKey(item)));
  return gone.length > 0 ? TEXTS.droppedItems(gone) : undefined;
}

/** The last replacement completed the list, and no item was a verification. */
function unverifiedFinish(work: Replacement) {
  const { changes, items } = work;
  const isFinished =
    items.length >= SHORTEST_LIST_TO_VERIFY &&
    !items.some(isOpen) &&
    changes.some(({ before, after }) => after && before?.status !== 'completed');
  if (!isFinished || items.some((item) => item.proof !== undefined || isVerification(item))) {
    return undefined;
  }
  // The parent of a subagent verifies the whole.
  return work.isSubagent ? undefined : TEXTS.unverified(items);
}

/** The last replacement completed several items that had never been in progress. */
function skippedItems({ changes }: Replacement) {
  const skipped: Item[] = [];
  for (const { before, after, hasBegun } of changes) {
    if (before?.status === 'pending' && after?.status === 'completed' && !hasBegun) {
      skipped.push(after);
    }
  }
  return skipped.length >= SKIPS_TO_MENTION ? TEXTS.skippedItems(skipped) : undefined;
}

function failures(work: Work) {
  return work.hasFailed ? TEXTS.failedVerifications(failedVerifications(work)) : undefined;
}

/** Items are open, and none has been in progress for some commands. */
function nothingInProgress({ items, commandsSinceWrite }: Work) {
  if (commandsSinceWrite < COMMANDS_WITHOUT_BEGINNING) return undefined;
  if (items.some(({ status }) => status === 'in_progress')) return undefined;
  const open = items.filter(isOpen);
  return open.length > 0 ? TEXTS.nothingInProgress(open) : undefined;
}

/** Items are open, and the list was not written for TODO_REMINDER_TURNS commands, or a multiple of that. */
function staleList(work: Work, given: number) {
  const { items, commandsSinceWrite: commands } = work;
  const open = commands > 0 ? items.filter(isOpen) : [];
  if (open.length === 0 || commands % work.reminderTurns !== 0) return undefined;
  return TEXTS.staleList({ open, commands }, given);
}

/** Many commands ran, several of them changes, and there never was a list. */
function noList({ hasList, commands }: Work) {
  if (hasList) return undefined;
  let ran = 0;
  let changes = 0;
  for (const command of commands) {
    if (command.type !== CommandType.NATIVE_SHELL_COMMAND) continue;
    ran += 1;
    if (changesFiles(command)) changes += 1;
  }
  return ran >= COMMANDS_WITHOUT_LIST && changes >= CHANGES_WITHOUT_LIST
    ? TEXTS.noList({ commands: ran, changes })
    : undefined;
}

/** The agent's tasks in progress have not changed for TODO_REMINDER_TURNS commands. */
function staleTasks(work: Work) {
  const { mine: tasks, commandsSinceChange: commands } = work.tasks ?? {};
  // `reminderTurns` reads settings, and most sessions have no tasks.
  if (tasks === undefined || commands === undefined || tasks.length === 0) return undefined;
  return commands >= work.reminderTurns ? TEXTS.staleTasks({ tasks, commands }) : undefined;
}
