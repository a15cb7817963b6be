import { pairItems } from '../todo/pair-items.ts';
import type { TodoItem } from '../todo/todo-item.ts';
import type { TodoVersion } from '../todo/todo-version.ts';

type Item = Readonly<TodoItem>;

/** Since when the newest version's items have had their status. */
export interface StatusTimes {
  /** In milliseconds since 1970. */
  readonly since: ReadonlyMap<Item, number>;
  /** Items whose status is older than the kept versions; their time is the oldest one known. */
  readonly isLonger: ReadonlySet<Item>;
}

/** When the item in progress was started, as far as the versions show; undefined if there is none. */
export function inProgressSince(newestFirst: Iterable<TodoVersion>): number | undefined {
  let since: number | undefined;
  let active: Item | undefined;
  let newer: readonly Item[] | undefined;
  for (const { items, updatedAt } of newestFirst) {
    active = newer
      ? pairItems(items, newer).find(({ after }) => after === active)?.before
      : items.find(({ status }) => status === 'in_progress');
    if (active?.status !== 'in_progress') break;
    since = +updatedAt;
    newer = items;
  }
  return since;
}

/**
 * @param newestFirst the list's kept versions, read only as far back as needed.
 * @param known returns the earlier result for a version; older versions are then not read.
 */
export function statusTimes(
  newestFirst: Iterable<TodoVersion>,
  known: (version: TodoVersion) => StatusTimes | undefined = () => undefined,
): StatusTimes {
  const since = new Map<Item, number>();
  /** The current version's items whose status has not changed since, each mapped to what it is now. */
  let open: ReadonlyMap<Item, Item> | undefined;
  let newer: readonly Item[] = [];
  let oldest = 0;
  for (const version of newestFirst) {
    const { items, updatedAt } = version;
    open =
      open === undefined
        ? new Map(items.map((item) => [item, item]))
        : stillOpen(open, items, newer);
    const times = known(version);
    for (const [item, now] of open) since.set(now, times?.since.get(item) ?? +updatedAt);
    if (times) {
      const longer = [...open].filter(([item]) => times.isLonger.has(item));
      return { since, isLonger: new Set(longer.map(([, now]) => now)) };
    }
    oldest = version.version;
    newer = items;
    if (open.size === 0) break;
  }
  // Before version 1 there was no list.
  return { since, isLonger: new Set(oldest > 1 ? open?.values() : []) };
}

function stillOpen(
  open: ReadonlyMap<Item, Item>,
  items: readonly Item[],
  newer: readonly Item[],
): Map<Item, Item> {
  const still = new Map<Item, Item>();
  for (const { before, after } of pairItems(items, newer)) {
    const now = after && open.get(after);
    if (now && before?.status === now.status) still.set(before, now);
  }
  return still;
}
