import { FilePlace } from '../state/file-place.ts';
import { listsOf, sessionFolder } from '../state/lists.ts';
import type { Place } from '../state/place.ts';
import { watchFolder } from '../state/watch-folder.ts';
import type { TodoState, TodoVersion } from '../todo/todo-store.ts';

type Items = TodoState['items'];

/** Who is told of what happens to lists. */
export interface Follower {
  /** There is a new version of an agent's list; one that was deleted is at version 0, without items. */
  changed(agent: string, version: TodoVersion): void;
  /** A list cannot be read. */
  failed(error: unknown): void;
}

/** Tells of the list in a folder as it stands, where there is one, and then of each version. @returns what ends it. */
export function followList(folder: string, agent: string, follower: Follower): () => void {
  const place = new FilePlace<Items>({ folder });
  let newest = 0;
  const look = () => {
    try {
      for (const version of versionsAfter(newest, place)) {
        newest = version.version;
        follower.changed(agent, version);
      }
    } catch (error) {
      follower.failed(error);
    }
  };
  const end = place.watch(look);
  look();
  return end;
}

/** The same for all lists of a session, those included that are yet to come. */
export function followSession(state: string, session: string, follower: Follower): () => void {
  const ends = new Map<string, () => void>();
  const look = () => {
    try {
      for (const { agent, folder } of listsOf(state, session)) {
        if (!ends.has(folder)) ends.set(folder, followList(folder, agent, follower));
      }
    } catch (error) {
      follower.failed(error);
    }
  };
  const end = watchFolder(sessionFolder(state, session), look);
  look();
  return () => {
    end();
    for (const endList of ends.values()) endList();
  };
}

/** In their order; those that are no longer kept are left out. */
function versionsAfter(seen: number, place: Place<Items>): TodoVersion[] {
  const newest = place.load();
  if (newest === undefined) {
    return seen === 0 ? [] : [{ version: 0, items: [], updatedAt: new Date(), by: '' }];
  }
  // A list that was deleted and begun anew is at a lower number.
  const last = newest.version < seen ? 0 : seen;
  const versions: TodoVersion[] = [];
  for (const { version, content, at, by } of place.history()) {
    if (version <= last) break;
    versions.unshift({ version, items: content, updatedAt: at, by });
  }
  return versions;
}
