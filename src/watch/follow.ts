import { basename } from 'node:path';
import { folderOfKey, listsIn } from '../state/list-paths.ts';
import type { Place } from '../state/place.ts';
import { watchFolder } from '../state/watch-folder.ts';
import { todoPlace } from '../todo/open-todo-store.ts';
import type { Items } from '../todo/todo-item.ts';
import { type TodoVersion, versionsOf } from '../todo/todo-version.ts';

/** A followed list. */
export interface FollowedList {
  readonly agent: string;
  /** Unique across all sessions. */
  readonly key: string;
}

/** Gets what happens to lists. */
export interface Follower {
  /** A new version. A deleted list is at version 0, without items. */
  changed(list: FollowedList, version: TodoVersion): void;
  /** A list cannot be read. */
  failed(error: unknown): void;
  /** A server has answered: for the first time, or again after a failure. */
  reached?(): void;
}

export interface FollowOptions {
  /** What to report first: the newest version, or all kept versions. */
  readonly start: 'newest' | 'all';
  /** Which agents' lists to follow (default: all). */
  readonly isMeant?: (agent: string) => boolean;
}

/**
 * Reports the lists in a session's folder, and then each new version. Lists that are created later are included.
 *
 * @param session the key of the session.
 * @returns a function that stops following.
 */
export function followInFiles(
  state: string,
  session: string,
  follower: Follower,
  { start, isMeant = () => true }: FollowOptions,
): () => void {
  const ends = new Map<string, () => void>();
  const folder = folderOfKey(state, session);
  let next = start;
  const look = () => {
    try {
      for (const { agent, folder: list } of listsIn(folder)) {
        if (ends.has(list) || !isMeant(agent)) continue;
        const key = `${session}/${basename(list)}`;
        ends.set(list, followList(list, { agent, key }, follower, next));
      }
    } catch (error) {
      follower.failed(error);
    }
  };
  const end = watchFolder(folder, look);
  look();
  // In a list that is created later, every version is new.
  next = 'all';
  return () => {
    end();
    for (const endList of ends.values()) endList();
  };
}

function followList(
  folder: string,
  list: FollowedList,
  follower: Follower,
  start: FollowOptions['start'],
): () => void {
  const place = todoPlace({ folder });
  let seen = start === 'all' ? 0 : undefined;
  const look = () => {
    try {
      const versions = versionsAfter(seen, place);
      seen = versions.at(-1)?.version ?? seen ?? 0;
      for (const version of versions) follower.changed(list, version);
    } catch (error) {
      follower.failed(error);
    }
  };
  const end = place.watch(look);
  look();
  return end;
}

/** In order, without those no longer kept. Only the newest if none has been seen yet. */
function versionsAfter(seen: number | undefined, place: Place<Items>): TodoVersion[] {
  const newest = place.load();
  if (newest === undefined) return seen ? [deletedList()] : [];
  const last = lastSeen(seen, newest.version);
  const versions = [];
  for (const version of place.history()) {
    if (version.version <= last) break;
    versions.unshift(version);
  }
  return versionsOf(versions);
}

/** Versions above this number are new. A list that was deleted and started again has a lower number. */
export function lastSeen(seen: number | undefined, newest: number): number {
  if (seen === undefined) return newest - 1;
  return newest < seen ? 0 : seen;
}

export function deletedList(): TodoVersion {
  return { version: 0, items: [], updatedAt: new Date(), by: '' };
}
