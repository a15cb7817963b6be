import { isOpen } from '../base/command/status.ts';
import { timeAgo } from '../base/duration.ts';
import { counted } from '../base/safe-text.ts';
import type { Version } from '../lists/place.ts';
import { contentKey } from './pair-items.ts';
import type { Items, TodoItem } from './todo-fields.ts';

/** The list at one moment. Frozen, items included. */
export interface TodoState {
  readonly items: Items;
  /** When the list was last replaced; for a list never written, when the store was made. */
  readonly updatedAt: Date;
}

/** A writer's knowledge of its version, which places do not store. */
export interface OwnWrite {
  /** The finished list, if this version emptied it in the same change. */
  readonly asWritten?: Items | undefined;
  /** The items left out on purpose. */
  readonly dropped?: Items | undefined;
  /** Why a newer version was not restored. */
  readonly instead?: string | undefined;
}

/** One version of the list. */
export interface TodoVersion extends TodoState, OwnWrite {
  /** 1 for the first list, and one more each time; 0 for a list that was never written. */
  readonly version: number;
  /** The agent that wrote it. */
  readonly by: string;
  /** Why an older version stands in for this one. */
  readonly damage?: string;
}

/** The list of another session of the harness, in the same work tree. */
export interface OtherList {
  readonly agent: string;
  readonly newest: TodoVersion;
}

export interface LeftBehind extends OtherList {
  /** Its open items that no newer list has. */
  readonly open: Items;
}

export interface WriteOptions extends Pick<OwnWrite, 'dropped'> {
  /** Empties the finished list in a second version. */
  readonly emptied?: boolean;
}

/** The items that an undo restores: those before the last change, or at version `to`. @returns undefined if they are not kept. */
export function contentBefore(
  newest: Version<Items>,
  history: Iterable<Version<Items>>,
  to?: number,
): (OwnWrite & { readonly items: Items }) | undefined {
  // An undo drops items on purpose.
  const dropped = newest.content;
  if (to !== undefined) {
    for (const { version, content: items, damage: instead } of history) {
      if (version === to) return { items, dropped, instead };
    }
    return undefined;
  }
  if (newest.damage) return { items: newest.content, instead: newest.damage };
  // Skip versions that changed nothing, such as an agent's signature after reading.
  const present = JSON.stringify(newest.content);
  let first: number | undefined;
  for (const before of history) {
    const { version, content: items, damage: instead } = before;
    const isOther = version < newest.version && JSON.stringify(items) !== present;
    if (isOther && !isFinishedBy(newest, before)) return { items, dropped, instead };
    first = version;
  }
  return first === 1 && present !== '[]' ? { items: [], dropped } : undefined;
}

/** True if a version emptied the one before, which the same change had finished. */
function isFinishedBy(newest: Version<Items>, { version, at, content }: Version<Items>): boolean {
  return (
    newest.content.length === 0 &&
    version === newest.version - 1 &&
    +at === +newest.at &&
    !content.some(isOpen)
  );
}

export function versionOf(
  { content, at, version, by, damage }: Version<Items>,
  { asWritten, dropped, instead }: OwnWrite = {},
): TodoVersion {
  const items = frozenItems(content);
  return Object.freeze({ items, updatedAt: at, version, by, damage, asWritten, dropped, instead });
}

/** An immutable copy; the same object if it is frozen already. */
export function frozenItems(items: Items): Items {
  // V8 takes a microsecond for ten items of a frozen array in methods such as `every` and `filter`, but copies it at once.
  if (Object.isFrozen(items) && [...items].every(Object.isFrozen)) return items;
  // V8 freezes a copy made by a spread three times as slowly.
  return Object.freeze(
    items.map((item) => {
      if (Object.isFrozen(item) && Object.isFrozen(item.proof)) return item;
      const copy: TodoItem = Object.assign({}, item);
      if (item.proof) copy.proof = Object.freeze(Object.assign({}, item.proof));
      return Object.freeze(copy);
    }),
  );
}

/** The newest list with open items that no newer one has: those were taken over. @param others newest first. */
export function leftBehind(others: readonly OtherList[]): LeftBehind | undefined {
  const newer = new Set<string>();
  for (const { agent, newest } of others) {
    const open = newest.items.filter((item) => isOpen(item) && !newer.has(contentKey(item)));
    if (open.length > 0) return { agent, newest, open };
    for (const item of newest.items) newer.add(contentKey(item));
  }
  return undefined;
}

/** For an agent without a list: a harness may have given its conversation a new session. One line, or none. */
export async function leftBehindNotes(
  list: { readonly now: () => Date; readonly leftBehind?: () => Promise<LeftBehind | undefined> },
  { version }: TodoVersion,
): Promise<string[]> {
  const left = version === 0 ? await list.leftBehind?.() : undefined;
  if (left === undefined) return [];
  const { open, agent } = left;
  const ago = timeAgo(+list.now() - +left.newest.updatedAt).text;
  return [
    `another session here left ${counted(open.length, 'open item')} ${ago}; to see them: TodoRead --agent ${agent}; if you continue its work: TodoWrite --adopt`,
  ];
}
