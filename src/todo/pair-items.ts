import type { Items, TodoItem } from './todo-fields.ts';

type Item = Readonly<TodoItem>;
/** The same task on the lists before and after; one side is missing if it was added or dropped. */
export interface ItemPair {
  before: Item | undefined;
  after: Item | undefined;
}

/**
 * Matches the tasks of two lists: by content, else by id. Content comes first, since models renumber their items when they
 * remove one.
 */
export function pairItems(before: Items, after: Items): ItemPair[] {
  const unmoved = commonStart(before, after);
  const pairs: ItemPair[] = [];
  for (let index = 0; index < unmoved; index++) {
    pairs.push({ before: before[index], after: after[index] });
  }
  return unmoved === before.length && unmoved === after.length
    ? pairs
    : pairs.concat(pairMoved(before.slice(unmoved), after.slice(unmoved)));
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
 * have ids, which would be equal.
 */
export function pairRenamed(before: Items, after: Items): ItemPair[] {
  const pairs = pairItems(before, after);
  const lost = pairs.find((pair) => pair.before?.status === 'in_progress' && !pair.after);
  if (lost === undefined) return pairs;
  const isPossible = (pair: ItemPair) =>
    !pair.before && (lost.before?.id === undefined || pair.after?.id === undefined);
  const having = (status: TodoItem['status']) =>
    pairs.find((pair) => isPossible(pair) && pair.after?.status === status);
  const renamed = having('in_progress') ?? having('completed');
  if (renamed === undefined) return pairs;
  const joined = { before: lost.before, after: renamed.after };
  return pairs.flatMap((pair) => (pair === renamed ? [] : pair === lost ? [joined] : [pair]));
}

function pairMoved(before: Items, after: Items): ItemPair[] {
  const found = new Map<Item, Item>();
  const free = new Set(after);
  for (const keyOf of [exactly, contentKey, idOnly]) {
    if (free.size === 0) break;
    const byKey = groupBy(free, keyOf);
    if (byKey.size === 0) continue;
    for (const item of before) {
      if (found.has(item)) continue;
      const same = byKey.get(keyOf(item))?.shift();
      if (same) {
        found.set(item, same);
        free.delete(same);
      }
    }
  }
  return [
    ...before.map((item) => ({ before: item, after: found.get(item) })),
    ...[...free].map((item) => ({ before: undefined, after: item })),
  ];
}

/** The number of equal items at the start; for most lists, all. */
function commonStart(before: Items, after: Items): number {
  const differs = before.findIndex((item, index) => {
    const other = after[index];
    return item.content !== other?.content || item.id !== other.id;
  });
  return differs === -1 ? before.length : differs;
}

/** Most texts: ASCII, with spaces as they should be. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** The content without differences that models make by chance: case, spaces, the full stop. */
export function contentKey({ content }: Item): string {
  if (PLAIN.test(content))
    return content.slice(0, /[.!]$/.test(content) ? -1 : undefined).toLowerCase();
  return content
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^ | $|[.!…。] ?$/g, '');
}

/** Prefers the same id among items of equal content. */
function exactly({ id = '', content }: Item): string {
  return `${id} ${content}`;
}

function idOnly(item: Item): string | undefined {
  return item.id;
}

function groupBy(items: Iterable<Item>, keyOf: (item: Item) => string | undefined) {
  const groups = new Map<string | undefined, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
