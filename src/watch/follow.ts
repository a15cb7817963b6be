import { basename } from 'node:path';
import { folderOfKey, listsIn } from '../state/list-paths.ts';
import type { Place } from '../state/place.ts';
import { watchFolder } from '../state/watch-folder.ts';
import { todoPlace } from '../todo/open-todo-store.ts';
import { type TodoState, TodoStore, type TodoVersion } from '../todo/todo-store.ts';

type Items = TodoState['items'];

/** A list that is followed. */
export interface FollowedList {
  readonly agent: string;
  /** What tells it from all others, of whichever session. */
  readonly key: string;
}

/** Who is told of what happens to lists. */
export interface Follower {
  /** There is a new version of a list; one that was deleted is at version 0, without items. */
  changed(list: FollowedList, version: TodoVersion): void;
  /** A list cannot be read. */
  failed(error: unknown): void;
  /** A server has answered: for the first time, or again after a failure. */
  reached?(): void;
}

export interface FollowOptions {
  /** What is told of a list as it is: its newest version, or all that are kept. */
  readonly start: 'newest' | 'all';
  /** Which agents' lists to follow; all unless given. */
  readonly isMeant?: (agent: string) => boolean;
}

/**
 * Tells of the lists in the folder of a session as they are, and then of each version; those included that are yet
 * to come.
 *
 * @param session the key of the session.
 * @returns what ends it.
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
  // Of a list that comes later, no version is old.
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

/** In their order, but for those that are no longer kept; the newest alone where none has been seen. */
function versionsAfter(seen: number | undefined, place: Place<Items>): TodoVersion[] {
  const newest = place.load();
  if (newest === undefined) return seen ? [deletedList()] : [];
  const last = lastSeen(seen, newest.version);
  const versions = [];
  for (const version of place.history()) {
    if (version.version <= last) break;
    versions.unshift(version);
  }
  return TodoStore.versionsOf(versions);
}

/** The number of the version after which there is news; a list that was deleted and begun again is at a lower number. */
export function lastSeen(seen: number | undefined, newest: number): number {
  if (seen === undefined) return newest - 1;
  return newest < seen ? 0 : seen;
}

export function deletedList(): TodoVersion {
  return { version: 0, items: [], updatedAt: new Date(), by: '' };
}
