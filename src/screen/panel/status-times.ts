import type { TaskVersion } from '../../tasks/task-store.ts';
import { contentKey, pairInPlace } from '../../todo/pair-items.ts';
import type { Item, Items } from '../../todo/todo-fields.ts';
import type { TodoVersion } from '../../todo/todo-version.ts';
import { type Shown, shownItem, shownTask } from './look.ts';
import { shownElapsed } from './shown-times.ts';

/** The times of a version's items, in milliseconds since 1970. */
export interface StatusTimes {
  /** The beginning of their status. */
  readonly since: ReadonlyMap<Item, number>;
  /** Items whose status is older than the stored versions; `since` has the oldest known time. */
  readonly isLonger: ReadonlySet<Item>;
  /** For how many milliseconds items that have left it were in progress, if known. */
  readonly took: ReadonlyMap<Item, number>;
  /** The last change of their status, without new items. */
  readonly changed: ReadonlyMap<Item, number>;
  /** The beginning of the plan: a version that shares no item with the previous one begins a new plan. */
  readonly begun: number;
  /** False if the plan is older than the stored versions. */
  readonly isBegunKnown: boolean;
}

type TimedVersion = Pick<TodoVersion, 'items' | 'updatedAt' | 'version'>;

const NO_TIMES: StatusTimes = {
  since: new Map(),
  isLonger: new Set(),
  took: new Map(),
  changed: new Map(),
  begun: 0,
  isBegunKnown: true,
};

interface Timed {
  readonly items: Items;
  readonly times: StatusTimes;
}

/** A cache: the times of a version follow from those of the versions before it, here with it, newest first. */
const timesOfVersions = new WeakMap<TimedVersion, readonly Timed[]>();
/** An undo goes back at most so far. */
const MOST_BEFORE = 50;

/** @param newestFirst read back to a version in the cache. */
export function statusTimes(newestFirst: Iterable<TimedVersion>): StatusTimes {
  const news: TimedVersion[] = [];
  let timed: readonly Timed[] = [];
  for (const version of newestFirst) {
    timed = timesOfVersions.get(version) ?? [];
    if (timed.length > 0) break;
    news.unshift(version);
  }
  for (const version of news) {
    const times = timesAfter(timed, version);
    timed = [{ items: version.items, times }].concat(timed.slice(0, MOST_BEFORE));
    timesOfVersions.set(version, timed);
  }
  return timed[0]?.times ?? NO_TIMES;
}

/** For each completed item how long it took, and for one in progress what `running` says of its beginning. */
export function timeTexts(
  items: Items,
  { since, took }: StatusTimes,
  running: (since: number, item: Item) => string,
): [Item, string][] {
  return items.map((item) => {
    const { status } = item;
    const from = since.get(item);
    if (status === 'completed') return [item, shownElapsed(took.get(item) ?? 0)];
    return [item, status === 'pending' || from === undefined ? '' : running(from, item)];
  });
}

function timesAfter(
  timed: readonly Timed[],
  { items, updatedAt, version }: TimedVersion,
): StatusTimes {
  const since = new Map<Item, number>();
  const isLonger = new Set<Item>();
  const took = new Map<Item, number>();
  const changed = new Map<Item, number>();
  const now = +updatedAt;
  const [before] = timed;
  const isOldest = before === undefined && version > 1;
  const restored = versionWith(items, timed);
  let isSamePlan = false;
  // Work on an item that is renamed goes on.
  for (const { before: last, after: is } of pairInPlace(before?.items ?? [], items)) {
    if (is === undefined) continue;
    isSamePlan ||= last?.content === is.content;
    const changedAt = last?.status === is.status ? before?.times.changed.get(last) : last && now;
    if (changedAt !== undefined) changed.set(is, changedAt);
    // Of an item that was put back, by an undo or not, the pause does not count.
    const isUndone = restored && last?.status !== 'pending';
    const was = isUndone ? restored.items[items.indexOf(is)] : last;
    const times = (isUndone ? restored : before)?.times ?? NO_TIMES;
    const from = was && times.since.get(was);
    const isSame = was?.status === is.status;
    // Work that an undo puts back was done.
    const isPutBack = before && last?.status === 'in_progress' && is.status === 'pending';
    const done = isPutBack ? last : was;
    const then = isPutBack ? before.times : times;
    const start = done && then.since.get(done);
    const isLeft =
      done?.status === 'in_progress' && done.status !== is.status && start !== undefined;
    const spent = isLeft ? now - start : done && then.took.get(done);
    const isKnown = spent !== undefined && !(isLeft && then.isLonger.has(done));
    if (isKnown && is.status !== 'in_progress') took.set(is, spent);
    const begun = now - (isKnown && is.status === 'in_progress' ? spent : 0);
    since.set(is, isSame && from !== undefined ? from : begun);
    if (isOldest || (isSame && times.isLonger.has(was))) isLonger.add(is);
  }
  const plan = (restored ?? (isSamePlan ? before : undefined))?.times;
  return {
    since,
    isLonger,
    took,
    changed,
    begun: plan?.begun ?? now,
    isBegunKnown: plan?.isBegunKnown ?? !isOldest,
  };
}

/** An undo restores the items of an earlier version. */
function versionWith(items: Items, timed: readonly Timed[]): Timed | undefined {
  const isSame = (item: Item | undefined, other: Item | undefined) =>
    item?.content === other?.content && item?.status === other?.status;
  // The item in progress tells most versions apart: comparing all items of each takes a viewer long.
  const active = items.findIndex(({ status }) => status === 'in_progress');
  return timed.find(
    ({ items: others }) =>
      others.length === items.length &&
      isSame(others[active], items[active]) &&
      others.every((other, at) => isSame(other, items[at])),
  );
}

/** Since when each task of the newest version has had its status. */
function taskTimes(newestFirst: readonly TaskVersion[]): ReadonlyMap<number, number> {
  const open = new Map(newestFirst[0]?.graph.tasks);
  const since = new Map<number, number>();
  for (const { graph, at } of newestFirst) {
    for (const [id, { status, updatedAt }] of open) {
      // A task can have changed in other ways since its status did.
      if (graph.tasks.get(id)?.status !== status) open.delete(id);
      else since.set(id, Math.min(+at, since.get(id) ?? Date.parse(updatedAt)));
    }
    if (open.size === 0) break;
  }
  return since;
}

/** An item or a task with its times, in milliseconds since 1970. */
export interface TimedRow extends Shown {
  /** Unique in its list. */
  readonly name: string;
  /** The beginning of its status. */
  readonly since: number | undefined;
  /** True if its status is older than the stored versions. */
  readonly isLonger: boolean;
  /** How long it was in progress before it was completed, if known. */
  readonly took?: number | undefined;
  /** The last change of its status, to be highlighted. */
  readonly changed: number | undefined;
}

/** A frame asks for rows several times, and a version has always the same. */
export function rowsOnce<V extends object, Row = TimedRow>(
  rowsOf: (newest: V, newestFirst: readonly V[]) => Row[],
) {
  const known = new WeakMap<V, readonly Row[]>();
  return (newestFirst: readonly V[]): readonly Row[] => {
    const [newest] = newestFirst;
    if (newest === undefined) return [];
    const rows = known.get(newest) ?? rowsOf(newest, newestFirst);
    known.set(newest, rows);
    return rows;
  };
}

export const itemRows = /* @__PURE__ */ rowsOnce<TodoVersion>(({ items }, newestFirst) => {
  const { since, isLonger, took, changed } = statusTimes(newestFirst);
  const names = namesOf(items);
  return items.map((item, at) => ({
    ...shownItem(item),
    name: names[at] ?? '',
    since: since.get(item),
    isLonger: isLonger.has(item),
    took: took.get(item),
    changed: changed.get(item),
  }));
});

/** A name for each item, unique in the list. */
export function namesOf(items: Items): string[] {
  const count = new Map<string, number>();
  return items.map((item) => {
    const key = contentKey(item);
    const earlier = count.get(key) ?? 0;
    count.set(key, earlier + 1);
    return earlier === 0 ? key : `${key}\n${earlier}`;
  });
}

/** The tasks of the newest version by number, without archived ones. */
export const teamRows = /* @__PURE__ */ rowsOnce<TaskVersion>(
  ({ graph: { tasks } }, newestFirst) => {
    const times = taskTimes(newestFirst);
    const isOpen = (id: number) => tasks.get(id)?.status !== 'completed';
    const shown = [...tasks.values()].filter(({ isArchived }) => !isArchived);
    return shown.map((task) => {
      const { id, status } = task;
      const since = times.get(id);
      const links = {
        blockedBy: task.blockedBy.filter(isOpen),
        blocks: task.blocks.filter(isOpen),
      };
      const changed = status === 'pending' ? undefined : since;
      return { ...shownTask(task, links), name: String(id), since, isLonger: false, changed };
    });
  },
);
