import type { TaskVersion } from '../../tasks/task-store.ts';
import { contentKey, pairInPlace } from '../../todo/pair-items.ts';
import type { Item, Items } from '../../todo/todo-fields.ts';
import type { TodoVersion } from '../../todo/todo-version.ts';
import { type Shown, shownItem, shownTask } from './look.ts';
import { shownElapsed } from './shown-times.ts';

/** The times of an item, in milliseconds since 1970. */
export interface ItemTimes {
  /** The beginning of its status. */
  readonly since: number;
  /** True if its status is older than the stored versions; `since` is the oldest known time. */
  readonly isLonger: boolean;
  /** For how many milliseconds it had been in progress by then, if known. */
  readonly took?: number | undefined;
  /** The last change of its status, unless it is new. */
  readonly changed?: number | undefined;
}

/** The times of a version. */
export interface StatusTimes {
  readonly items: Items;
  readonly of: ReadonlyMap<unknown, ItemTimes>;
  /** The beginning of the plan: a version that shares no item with the previous one begins a new plan. */
  readonly begun: number;
  /** False if the plan is older than the stored versions. */
  readonly isBegunKnown: boolean;
  /** The times of the newest version of which the next one dropped items: an undo puts them back. */
  readonly dropped?: StatusTimes | undefined;
}

type TimedVersion = Pick<TodoVersion, 'items' | 'updatedAt' | 'version'>;

const NO_TIMES: StatusTimes = { items: [], of: new Map(), begun: 0, isBegunKnown: true };

/** @returns a function of a list's versions, newest first: it reads back to one that it knows, and calls `after` for each newer. */
function inTurn<V extends object, Known>(after: (before: Known | undefined, version: V) => Known) {
  const knownOf = new WeakMap<V, Known>();
  return (newestFirst: Iterable<V>): Known | undefined => {
    const news: V[] = [];
    let known: Known | undefined;
    for (const version of newestFirst) {
      known = knownOf.get(version);
      if (known) break;
      news.push(version);
    }
    for (const version of news.reverse()) {
      known = after(known, version);
      knownOf.set(version, known);
    }
    return known;
  };
}

const timesInTurn = /* @__PURE__ */ inTurn(timesAfter);

export function statusTimes(newestFirst: Iterable<TimedVersion>): StatusTimes {
  return timesInTurn(newestFirst) ?? NO_TIMES;
}

/** How long a completed item took; of one in progress what `running` says of its beginning. */
export function itemTime(
  { status }: Item,
  times: ItemTimes | undefined,
  running: (times: ItemTimes) => string,
): string {
  if (status === 'completed') return shownElapsed(times?.took ?? 0);
  return status === 'pending' || times === undefined ? '' : running(times);
}

function timesAfter(
  before: StatusTimes | undefined,
  { items, updatedAt, version }: TimedVersion,
): StatusTimes {
  const now = +updatedAt;
  const added: ItemTimes = { since: now, isLonger: before === undefined && version > 1 };
  const of = new Map<unknown, ItemTimes>();
  let { dropped } = before ?? NO_TIMES;
  let plan: StatusTimes | undefined;
  // Work on an item that is renamed goes on.
  for (const { before: last, after: is } of pairInPlace(before?.items ?? [], items)) {
    const times = last && before?.of.get(last);
    if (is === undefined) {
      dropped = before && { ...before, dropped: undefined };
    } else if (times) {
      if (last.content === is.content) plan = before;
      of.set(is, last.status === is.status ? times : timesAt(now, last, is, times));
    } else {
      const back = before?.dropped && timesBack(is, before.dropped);
      if (back) plan ??= before?.dropped;
      of.set(is, back ?? added);
    }
  }
  const { begun, isBegunKnown } = plan ?? { begun: now, isBegunKnown: !added.isLonger };
  return { items, of, begun, isBegunKnown, dropped };
}

/** If an item is begun again, by an undo or not, the pause does not count. */
function timesAt(now: number, last: Item, is: Item, before: ItemTimes): ItemTimes {
  const known = before.isLonger ? undefined : now - before.since;
  const took = last.status === 'in_progress' ? known : before.took;
  const since = is.status === 'in_progress' ? now - (took ?? 0) : now;
  return { since, isLonger: false, took, changed: now };
}

/** The times of a dropped item that is back as it was. */
function timesBack({ content, status }: Item, { items, of }: StatusTimes): ItemTimes | undefined {
  const was = items.find((item) => item.content === content && item.status === status);
  return was && of.get(was);
}

/** Since when tasks have had their status. A change replaces a task. */
const sinceOfTasks = new WeakMap<object, number>();

const tasksInTurn = /* @__PURE__ */ inTurn(
  (before: TaskVersion['graph']['tasks'] | undefined, { graph: { tasks }, at }: TaskVersion) => {
    for (const [id, task] of tasks) {
      const was = before?.get(id);
      if (was === task) continue;
      // A task can have changed in other ways since its status did.
      const known = was?.status === task.status ? sinceOfTasks.get(was) : undefined;
      sinceOfTasks.set(task, known ?? Math.min(+at, Date.parse(task.updatedAt)));
    }
    return tasks;
  },
);

/** An item or a task with its times, in milliseconds since 1970. */
export interface TimedRow extends Shown, Partial<ItemTimes> {
  /** Unique in its list. */
  readonly name: string;
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
  const { of } = statusTimes(newestFirst);
  const names = namesOf(items);
  // V8 spreads objects of several shapes slowly.
  return items.map((item, at) =>
    Object.assign(shownItem(item), { name: names[at] ?? '' }, of.get(item)),
  );
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
    tasksInTurn(newestFirst);
    const isOpen = (id: number) => tasks.get(id)?.status !== 'completed';
    const shown = [...tasks.values()].filter(({ isArchived }) => !isArchived);
    return shown.map((task) => {
      const { id, status } = task;
      const since = sinceOfTasks.get(task);
      const links = {
        blockedBy: task.blockedBy.filter(isOpen),
        blocks: task.blocks.filter(isOpen),
      };
      const changed = status === 'pending' ? undefined : since;
      return { ...shownTask(task, links), name: String(id), since, changed };
    });
  },
);
