import type { Version } from '../state/place.ts';
import type { Items, TodoItem } from './todo-item.ts';

/** The list at one moment. Frozen, items included. */
export interface TodoState {
  readonly items: Items;
  /** When the list was last replaced; for a list never written, when the store was made. */
  readonly updatedAt: Date;
}

/** One version of the list. */
export interface TodoVersion extends TodoState {
  /** 1 for the first list that was written, and one more each time; 0 for a list that was never written. */
  readonly version: number;
  /** The agent that wrote it. */
  readonly by: string;
  /** What was written, if the list was emptied in the same change because everything was completed. */
  readonly asWritten?: Items;
  /** The items that this version left out on purpose. */
  readonly dropped?: Items;
}

/** How a list is written. */
export interface WriteOptions {
  /** Leave the list empty: it is finished, and nobody needs to see it. */
  readonly emptied?: boolean;
  /** The items that are left out on purpose. */
  readonly dropped?: Items | undefined;
}

/**
 * The versions that others have made since the author of a list made one, newest first, and that one; of those that
 * are kept.
 */
export interface SinceOwn {
  readonly others: readonly TodoVersion[];
  readonly own: TodoVersion | undefined;
}

export function sinceOwn(author: string, history: Iterable<Version<Items>>): SinceOwn {
  const others: TodoVersion[] = [];
  for (const version of history) {
    if (version.by === author) return { others, own: versionOf(version) };
    others.push(versionOf(version));
  }
  return { others, own: undefined };
}

/** What the list was before its newest version. @returns undefined if that is not kept. */
export function contentBefore(
  newest: Version<Items>,
  history: Iterable<Version<Items>>,
): Items | undefined {
  // What the newest has and the restored one has not is left out on purpose.
  const restored = (content: Items) => contentOf(content, { dropped: newest.content });
  // Skip versions that changed nothing, such as those of an agent that was told about another's.
  const present = JSON.stringify(newest.content);
  let first: number | undefined;
  for (const { version, content } of history) {
    if (version < newest.version && JSON.stringify(content) !== present) return restored(content);
    first = version;
  }
  return first === 1 && present !== '[]' ? restored([]) : undefined;
}

/** What the writer of a list knows beside it; places do not keep that. */
type Written = Pick<TodoVersion, 'asWritten' | 'dropped'>;

const WRITTEN = new WeakMap<Items, Written>();

/** What a place keeps of the items that are written. */
export function contentOf(
  items: readonly TodoItem[],
  { emptied = false, dropped }: WriteOptions,
): Items {
  const asWritten = frozen(items);
  if (!emptied && dropped === undefined) return asWritten;
  const content = Object.freeze(emptied ? [] : [...asWritten]);
  WRITTEN.set(content, { ...(emptied && { asWritten }), ...(dropped && { dropped }) });
  return content;
}

/** The same of content that this program has written; undefined for any other. */
export function writtenOf(content: Items): Written | undefined {
  return WRITTEN.get(content);
}

/** What a place keeps, as a version of a list. */
export function versionOf(
  { content, at, version, by }: Version<Items>,
  items = frozen(content),
  written?: Written,
): TodoVersion {
  return Object.freeze({ items, updatedAt: at, version, by, ...written });
}

/** The same of several. */
export function versionsOf(versions: Iterable<Version<Items>>): TodoVersion[] {
  return Array.from(versions, (version) => versionOf(version));
}

/** A copy that nobody can change; the items themselves if they are that already. */
export function frozen(items: Items): Items {
  if (Object.isFrozen(items) && items.every(Object.isFrozen)) return items;
  // V8 freezes the copy that a spread makes three times as slowly.
  return Object.freeze(
    items.map((item) => {
      const copy: TodoItem = Object.assign({}, item);
      if (item.proof) copy.proof = Object.freeze(Object.assign({}, item.proof));
      return Object.freeze(copy);
    }),
  );
}
