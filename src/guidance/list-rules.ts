import { CommandType } from '../command/agent-command.ts';
import { contentKey } from '../todo/pair-items.ts';
import type { Items } from '../todo/todo-item.ts';
import { isCheck } from './check-words.ts';
import { changesFiles } from './file-changes.ts';
import type { Work } from './rule.ts';

const SHORTEST_LIST_TO_CHECK = 3;
const SKIPS_TO_MENTION = 3;
const COMMANDS_WITHOUT_BEGINNING = 5;
const COMMANDS_WITHOUT_LIST = 10;
const CHANGES_WITHOUT_LIST = 3;

/** The items that the last replacement left out although they were not completed. Who clears the list means all of them. */
export function droppedItems({ changes, items, dropped }: Work): Items | undefined {
  if (items.length === 0) return undefined;
  const lost: Items[number][] = [];
  for (const { before, after } of changes) {
    if (before && !after && before.status !== 'completed') lost.push(before);
  }
  if (lost.length === 0) return undefined;
  // One of two items of the same content may be gone; its content is still there.
  const kept = new Set([...items, ...dropped].map(contentKey));
  return someOf(lost.filter((item) => !kept.has(contentKey(item))));
}

/** All items, where the last replacement completed the last of them and none was a check. */
export function uncheckedFinish(work: Work): Items | undefined {
  const { changes, items } = work;
  const isFinished =
    items.length >= SHORTEST_LIST_TO_CHECK &&
    items.every(({ status }) => status === 'completed') &&
    changes.some(({ before, after }) => after && before?.status !== 'completed');
  if (!isFinished) return undefined;
  const isChecked = items.some((item) => item.proof !== undefined || isCheck(item));
  // Who has given a part of its work to another agent verifies the whole. That is looked up in files.
  return isChecked || work.isSubagent ? undefined : items;
}

/** The items that the last replacement completed although they had never been in progress, if they are many. */
export function skippedItems({ changes }: Work): Items | undefined {
  const skipped: Items[number][] = [];
  for (const { before, after, hasBegun } of changes) {
    if (before?.status === 'pending' && after?.status === 'completed' && !hasBegun) {
      skipped.push(after);
    }
  }
  return skipped.length >= SKIPS_TO_MENTION ? skipped : undefined;
}

/** The open items, where none has been in progress for some commands. */
export function nothingInProgress({ items, commandsSinceWrite }: Work): Items | undefined {
  const isIdle =
    commandsSinceWrite >= COMMANDS_WITHOUT_BEGINNING &&
    !items.some(({ status }) => status === 'in_progress');
  return isIdle ? openItems(items) : undefined;
}

/** How many commands ran, and how many of them changed something, where they are many and there never was a list. */
export function noList({ hasList, commands }: Work) {
  if (hasList || commands.length < COMMANDS_WITHOUT_LIST) return undefined;
  let ran = 0;
  let changes = 0;
  // Without a list this is gone through after each line.
  for (const command of commands) {
    if (command.type !== CommandType.NATIVE_SHELL_COMMAND) continue;
    ran += 1;
    if (changesFiles(command)) changes += 1;
  }
  return ran >= COMMANDS_WITHOUT_LIST && changes >= CHANGES_WITHOUT_LIST
    ? { commands: ran, changes }
    : undefined;
}

/** The open items, each time that the list has not been written for as many further commands as the setting says. */
export function staleList(work: Work) {
  const { items, commandsSinceWrite } = work;
  const open = commandsSinceWrite > 0 ? openItems(items) : undefined;
  return open && commandsSinceWrite % work.reminderTurns === 0
    ? { open, commands: commandsSinceWrite }
    : undefined;
}

function openItems(items: Items): Items | undefined {
  return someOf(items.filter(({ status }) => status !== 'completed'));
}

function someOf(items: Items): Items | undefined {
  return items.length > 0 ? items : undefined;
}
