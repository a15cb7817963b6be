import { type CommandResult, failed } from '../base/command/agent-command.ts';
import { noteLines } from '../base/command/replies.ts';
import { StateError } from '../base/command/state-error.ts';
import { quotedText } from '../base/safe-text.ts';
import { USER } from '../lists/place.ts';
import { itemLines, MOVED } from './list-text.ts';
import { contentKey, type ItemPair, pairInPlace } from './pair-items.ts';
import type { Item, Items } from './todo-fields.ts';
import type { TodoList } from './todo-store.ts';
import type { TodoVersion } from './todo-version.ts';

const MAX_NAME_CHARACTERS = 60;
const MAX_NOTES = 8;
/** stderr is at most 4 KB; notes need the rest. */
const MAX_BYTES_OF_CHANGES = 2000;

interface UserChange {
  readonly text: string;
  isUndoneBy(items: Items): boolean;
}

/** A person's changes that the agent does not know, and the current list. */
export interface UnreadChanges {
  readonly now: TodoVersion;
  readonly changes: readonly UserChange[];
}

/**
 * A person's changes since the agent wrote or read the list. Versions alone tell: an agent that reads the changes signs the
 * list as a version of its own.
 */
export async function unreadChanges(
  list: TodoList,
  newest?: TodoVersion,
): Promise<UnreadChanges | undefined> {
  if (list.author === USER) return undefined;
  const { version, by, damage } = newest ?? (await list.read());
  // An empty list has no news, and nobody needs news of their own writes.
  if (version === 0 || by === list.author) return undefined;
  // Signing a stand-in would make it the newest version.
  if (damage) return undefined;
  // From the agent's last version on.
  const versions: TodoVersion[] = [];
  for (const one of await list.versions()) {
    versions.unshift(one);
    if (one.by === list.author) break;
  }
  const [oldest, now] = [versions[0], versions.at(-1)];
  if (oldest === undefined || now === undefined) return undefined;
  // The predecessor of the oldest kept version is unknown.
  let before = oldest.version === 1 ? [] : oldest.items;
  const changes = versions.flatMap(({ by, items }, at) => {
    if (by !== USER) {
      before = items;
      return [];
    }
    // Consecutive versions by a person are one change: something done and undone is no change.
    return versions[at + 1]?.by === USER ? [] : changesBetween(before, items);
  });
  return changes.length > 0 ? { now, changes } : undefined;
}

/** Returns a person's changes, one line each, only once. */
export async function takeUserChanges(
  list: TodoList,
  newest?: TodoVersion,
): Promise<readonly string[]> {
  const unread = await unreadChanges(list, newest);
  if (unread === undefined) return [];
  await sign(list, unread.now);
  return notesOf(unread);
}

export function notesOf({ changes }: UnreadChanges): string[] {
  const notes = changes.slice(0, MAX_NOTES).map(({ text }) => `the user ${text}`);
  const more = changes.length - notes.length;
  return more > 0 ? [...notes, `the user changed ${more} more`] : notes;
}

/** Commits the list unchanged as the agent's: it knows everything in it. @returns undefined if the list has moved on. */
async function sign(list: TodoList, now: TodoVersion): Promise<TodoVersion | undefined> {
  try {
    return await list.updateIf(now.version, now.items);
  } catch (error) {
    // An agent without the right to write is told again next time.
    if (!(error instanceof StateError)) throw error;
    return now;
  }
}

/** Refuses, once, a change that would undo a person's change unknown to the agent. @returns undefined if the list has moved on. */
export async function refuseForUser(
  title: string,
  unread: UnreadChanges,
  list: TodoList,
): Promise<CommandResult | undefined> {
  const told = await sign(list, unread.now);
  if (told === undefined) return undefined;
  const stderr = `Error: ${title}; nothing was changed
${noteLines(notesOf(unread))}The list now is, at version ${told.version}:
${itemLines(told.items, MAX_BYTES_OF_CHANGES)}Take this list into account, then write again.
`;
  return failed('refused', stderr);
}

function changesBetween(before: Items, after: Items): UserChange[] {
  const pairs = pairInPlace(before, after);
  const changes = pairs.flatMap(({ before: was, after: is }) => {
    if (was && is) return changesOfItem(was, is);
    return was ? [droppedByUser(was)] : is ? [added(is)] : [];
  });
  if (changes.length === 0 && isReordered(pairs, after)) {
    changes.push({ text: 'changed the order', isUndoneBy: () => false });
  }
  return changes;
}

function changesOfItem(before: Item, after: Item): UserChange[] {
  const changes: UserChange[] = [];
  if (before.content !== after.content) changes.push(renamedByUser(before, after));
  if (before.status !== after.status) {
    const { status } = after;
    changes.push({
      text: `${MOVED[status]} ${shortName(after)}`,
      isUndoneBy: (items) => {
        const now = find(items, after)?.status;
        // A completed item may be dropped, and a begun one may be completed by now.
        if (status === 'completed') return now !== undefined && now !== 'completed';
        return now !== status && !(status === 'in_progress' && now === 'completed');
      },
    });
  }
  return changes;
}

function added(item: Item): UserChange {
  return {
    text: `added ${shortName(item)}`,
    isUndoneBy: (items) => find(items, item) === undefined,
  };
}

function droppedByUser(item: Item): UserChange {
  return {
    text: `dropped ${shortName(item)}`,
    isUndoneBy: (items) => find(items, item) !== undefined,
  };
}

function renamedByUser(before: Item, after: Item): UserChange {
  return {
    text: `changed ${shortName(before)} to ${shortName(after)}`,
    isUndoneBy: (items) => !items.some((item) => contentKey(item) === contentKey(after)),
  };
}

function isReordered(pairs: readonly ItemPair[], after: Items): boolean {
  const order = pairs.map((pair) => pair.after && after.indexOf(pair.after));
  return order.some((at, index) => at !== index);
}

function find(items: Items, wanted: Item): Item | undefined {
  return items.find((item) => contentKey(item) === contentKey(wanted));
}

function shortName({ content }: Item): string {
  return quotedText(content, MAX_NAME_CHARACTERS);
}
