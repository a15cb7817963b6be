import type { TodoVersion } from '../todo/todo-store.ts';
import { keyOf } from './plain-report.ts';

/** Since when the items of a list have the status that they have. */
export interface StatusTimes {
  /** By `keyOf`, in milliseconds since 1970. */
  readonly since: ReadonlyMap<string, number>;
  /** The items that have had their status for longer than the versions tell; their time is the oldest that is known. */
  readonly isLonger: ReadonlySet<string>;
}

/**
 * @param newestFirst the versions of the list that are kept. They are read as far back as they tell something new.
 * @param known what was told of a version before, from which on nothing is read anew.
 */
export function statusTimes(
  newestFirst: Iterable<TodoVersion>,
  known: (version: TodoVersion) => StatusTimes | undefined = () => undefined,
): StatusTimes {
  const since = new Map<string, number>();
  let open: Map<string, string> | undefined;
  let oldest = 0;
  for (const version of newestFirst) {
    const { items, updatedAt } = version;
    const statuses = new Map(items.map((item) => [keyOf(item), item.status]));
    open ??= new Map(statuses);
    const times = known(version);
    for (const [key, status] of open) {
      if (statuses.get(key) === status) since.set(key, times?.since.get(key) ?? +updatedAt);
      else open.delete(key);
    }
    if (times)
      return {
        since,
        isLonger: new Set([...open.keys()].filter((key) => times.isLonger.has(key))),
      };
    oldest = version.version;
    if (open.size === 0) break;
  }
  // Before version 1 there was no list.
  return { since, isLonger: new Set(oldest > 1 ? open?.keys() : []) };
}
