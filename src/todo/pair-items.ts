import type { Item, Items, TodoItem } from './todo-fields.ts';

/** One task on the lists before and after; one side is missing if it was added or dropped. */
export interface ItemPair {
  before: Item | undefined;
  after: Item | undefined;
}

/** An item of the list before. */
type KeptPair = ItemPair & { readonly before: Item };

/**
 * Matches the tasks of two lists: by content, else by id. Content comes first, since models renumber their items when they
 * remove one.
 */
export function pairItems(before: Items, after: Items): ItemPair[] {
  // Most lists begin like the list before, and many are equal to it.
  let same = 0;
  while (same < before.length && isSameItem(before[same], after[same])) same += 1;
  const pairs: KeptPair[] = before.map((item, at) => {
    return { before: item, after: at < same ? after[at] : undefined };
  });
  if (same === after.length) return pairs;
  const open = pairs.slice(same);
  const others = match(open, [...after].slice(same), contentKey);
  const added = match(open, others, ({ id }) => id);
  return [...pairs, ...added.map((item) => ({ before: undefined, after: item }))];
}

/** `1 removed, 2 added`, as one text or none. */
export function removedAndAdded(
  pairs: readonly { readonly before: unknown; readonly after: unknown }[],
): string[] {
  const removed = pairs.filter(({ after }) => !after).length;
  const added = pairs.filter(({ before }) => !before).length;
  const counts = [removed > 0 && `${removed} removed`, added > 0 && `${added} added`];
  return removed + added > 0 ? [counts.filter(Boolean).join(', ')] : [];
}

/**
 * Like `pairItems`, but a dropped item in progress counts as renamed if a new item is in progress or completed, unless both
 * have ids, which would be equal, or the lists are about other work.
 */
export function pairRenamed(before: Items, after: Items): ItemPair[] {
  const pairs = pairItems(before, after);
  const lost = pairs.find((pair) => pair.before?.status === 'in_progress' && !pair.after);
  if (lost === undefined || isOtherWork(pairs)) return pairs;
  const isPossible = (pair: ItemPair) =>
    !pair.before && (lost.before?.id === undefined || pair.after?.id === undefined);
  const having = (status: TodoItem['status']) =>
    pairs.find((pair) => isPossible(pair) && pair.after?.status === status);
  const renamed = having('in_progress') ?? having('completed');
  if (renamed === undefined) return pairs;
  const joined = { before: lost.before, after: renamed.after };
  return pairs.filter((pair) => pair !== renamed).map((pair) => (pair === lost ? joined : pair));
}

/** Like `pairItems`, but another text in the same place is the same item, in lists of the same length about the same work. */
export function pairInPlace(before: Items, after: Items): ItemPair[] {
  const pairs = pairItems(before, after);
  // Of lists of the same length with as many pairs, no item is left over: most updates change a status only.
  if (before.length !== after.length || pairs.length === before.length) return pairs;
  if (isOtherWork(pairs)) return pairs;
  const added = new Set(pairs.flatMap((pair) => (pair.before ? [] : [pair.after])));
  for (const pair of pairs) {
    const now = pair.before && !pair.after && after[before.indexOf(pair.before)];
    if (now && added.delete(now)) pair.after = now;
  }
  return pairs.filter((pair) => pair.before || added.has(pair.after));
}

/** True if the lists share no item; of single items, if the new one has no word of the old one. */
function isOtherWork(pairs: readonly ItemPair[]): boolean {
  if (pairs.some((pair) => pair.before && pair.after)) return false;
  if (pairs.length > 2) return true;
  const [{ before } = {}, { after } = {}] = pairs as Partial<ItemPair>[];
  const words = before?.content.toLowerCase().match(WORD) ?? [];
  return !words.some((word) => after?.content.toLowerCase().includes(word));
}

/** One letter of a script without spaces, three or more of others. */
const WORD = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}]|[\p{L}\p{N}]{3,}/gu;

/** Completes open pairs by items of the same key, first by items that are the same. Returns the other items. */
function match(open: readonly KeptPair[], items: Items, keyOf: (item: Item) => string | undefined) {
  const groups = new Map<string | undefined, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  if (groups.size === 0) return items;
  const found: { readonly pair: KeptPair; readonly group: Item[] }[] = [];
  for (const pair of open) {
    const group = pair.after ? undefined : groups.get(keyOf(pair.before));
    if (group) found.push({ pair, group });
  }
  if (found.length === 0) return items;
  const taken = new Set<Item>();
  for (const isRight of [isSameItem, () => true]) {
    for (const { pair, group } of found) {
      const at = pair.after ? -1 : group.findIndex((item) => isRight(pair.before, item));
      if (at === -1) continue;
      [pair.after] = group.splice(at, 1);
      if (pair.after) taken.add(pair.after);
    }
  }
  return items.filter((item) => !taken.has(item));
}

function isSameItem(item: Item | undefined, other: Item | undefined): boolean {
  return item?.content === other?.content && item?.id === other?.id;
}

/** Most texts are ASCII words with single spaces between. */
const TIDY_ASCII = /^[!-~]+(?: [!-~]+)*$/;

/** The content without differences that models make by chance: case, spaces, the full stop. */
export function contentKey({ content }: Item): string {
  if (TIDY_ASCII.test(content)) {
    const hasStop = content.endsWith('.') || content.endsWith('!');
    return (hasStop ? content.slice(0, -1) : content).toLowerCase();
  }
  return content
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^ | $|[.!…。] ?$/g, '');
}
