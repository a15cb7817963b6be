import { pairItems } from '../todo/pair-items.ts';
import type { TodoItem } from '../todo/todo-item.ts';
import type { TodoVersion } from '../todo/todo-version.ts';

type Item = Readonly<TodoItem>;

/** Since when the newest version's items have had their status. Times are milliseconds since 1970. */
export interface StatusTimes {
  readonly since: ReadonlyMap<Item, number>;
  /** Items whose status is older than the kept versions; their time is the oldest one known. */
  readonly isLonger: ReadonlySet<Item>;
  /** For how many milliseconds completed items were in progress, where the kept versions show it. */
  readonly took: ReadonlyMap<Item, number>;
}

/** An item of the newest version, followed back to when it got its status and, if completed, to when it was begun. */
interface Track {
  readonly now: Item;
  since: number;
  began?: number | undefined;
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
  let tracks: Track[] | undefined;
  /** The current version's items, each with the track that reaches back to it. */
  let open = new Map<Item, Track>();
  let newer: readonly Item[] = [];
  let isCutOff: (item: Item) => boolean = () => false;
  for (const version of newestFirst) {
    const { items, updatedAt } = version;
    if (tracks) open = stillOpen(open, items, newer);
    else {
      tracks = items.map((now) => ({ now, since: +updatedAt }));
      open = new Map(tracks.map((track) => [track.now, track]));
    }
    const times = known(version);
    for (const [item, track] of open) reachBack(track, item, +updatedAt, times);
    // Before version 1 there was no list.
    isCutOff = (item) => (times ? times.isLonger.has(item) : version.version > 1);
    newer = items;
    if (times || open.size === 0) break;
  }
  const cut = [...open].flatMap(([item, track]) => (isCutOff(item) ? [{ item, track }] : []));
  for (const { item, track } of cut) if (item.status !== track.now.status) track.began = undefined;
  const all = tracks ?? [];
  return {
    since: new Map(all.map(({ now, since }) => [now, since])),
    isLonger: new Set(
      cut.flatMap(({ item, track }) => (item.status === track.now.status ? [track.now] : [])),
    ),
    took: new Map(
      all.flatMap(({ now, since, began }) => (began === undefined ? [] : [[now, since - began]])),
    ),
  };
}

function reachBack(track: Track, item: Item, at: number, times: StatusTimes | undefined): void {
  const since = times?.since.get(item) ?? at;
  if (item.status !== track.now.status) {
    track.began = since;
    return;
  }
  track.since = since;
  const took = times?.took.get(item);
  if (took !== undefined) track.began = since - took;
}

/** The items of an older version that had the status of today, or were in progress before being completed. */
function stillOpen(
  open: ReadonlyMap<Item, Track>,
  items: readonly Item[],
  newer: readonly Item[],
): Map<Item, Track> {
  const still = new Map<Item, Track>();
  for (const { before, after } of pairItems(items, newer)) {
    const track = after && open.get(after);
    const isOpen =
      before?.status === after?.status ||
      (before?.status === 'in_progress' && after?.status === 'completed');
    if (before && track && isOpen) still.set(before, track);
  }
  return still;
}
