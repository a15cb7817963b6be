import type { Items, TodoItem } from './todo-fields.ts';

type Item = Readonly<TodoItem>;
/** One task on the lists before and after; one side is missing if it was added or dropped. */
export interface ItemPair {
  before: Item | undefined;
  after: Item | undefined;
}

/**
 * Matches the tasks of two lists: by content, else by id. Content comes first, since models renumber their items when they
 * remove one.
 */
export function pairItems(before: Items, after: Items): ItemPair[] {
  const pairs: ItemPair[] = [];
  // The start of most lists, and all of many, is that of the list before.
  for (const item of before) {
    const other = after[pairs.length];
    if (other === undefined || !isSame(item, other)) break;
    pairs.push({ before: item, after: other });
  }
  const { length } = pairs;
  return length === before.length && length === after.length
    ? pairs
    : pairs.concat(pairMoved(before.slice(length), after.slice(length)));
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
  return pairs.filter((pair) => pair !== renamed).map((pair) => (pair === lost ? joined : pair));
}

function pairMoved(before: Items, after: Items): ItemPair[] {
  const found = new Map<Item, Item>();
  const free = new Set(after);
  const pair = (item: Item, others: Item[] | undefined, at = 0) => {
    const other = found.has(item) ? undefined : others?.splice(at, 1)[0];
    if (other === undefined) return;
    found.set(item, other);
    free.delete(other);
  };
  const byContent = groupBy(after, contentKey);
  const having = before.map((item) => [item, byContent.get(contentKey(item))] as const);
  // Among items of the same content the one of the same id.
  for (const [item, others = []] of having) {
    const at = others.findIndex(({ id, content }) => id === item.id && content === item.content);
    if (at !== -1) pair(item, others, at);
  }
  for (const [item, others] of having) pair(item, others);
  const byId = groupBy(free, ({ id }) => id);
  for (const item of before) if (item.id !== undefined) pair(item, byId.get(item.id));
  return [
    ...before.map((item) => ({ before: item, after: found.get(item) })),
    ...[...free].map((item) => ({ before: undefined, after: item })),
  ];
}

function isSame(item: Item, other: Item): boolean {
  return item.content === other.content && item.id === other.id;
}

/** Most texts: ASCII, with spaces as they should be. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** The content without differences that models make by chance: case, spaces, the full stop. */
export function contentKey({ content }: Item): string {
  if (PLAIN.test(content)) return content.toLowerCase().replace(/[.!]$/, '');
  return content
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^ | $|[.!…。] ?$/g, '');
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
