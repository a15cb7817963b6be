import { listsIn } from '../state/list-paths.ts';
import type { Place } from '../state/place.ts';
import { watchFolder } from '../state/watch-folder.ts';
import { todoPlace } from '../todo/open-todo-store.ts';
import type { TodoState, TodoVersion } from '../todo/todo-store.ts';

type Items = TodoState['items'];

/** Who is told of what happens to lists. */
export interface Follower {
  /** There is a new version of an agent's list; one that was deleted is at version 0, without items. */
  changed(agent: string, version: TodoVersion): void;
  /** A list cannot be read. */
  failed(error: unknown): void;
}

/** What is told of a list as it stands: its newest version, or all that are kept. */
type Start = 'newest' | 'all';

/**
 * Tells of the list in a folder as it stands, where there is one, and then of each version.
 *
 * @returns what ends it.
 */
export function followList(
  folder: string,
  agent: string,
  follower: Follower,
  start: Start = 'newest',
): () => void {
  const place = todoPlace({ folder });
  let seen = start === 'all' ? 0 : undefined;
  const look = () => {
    try {
      const versions = versionsAfter(seen, place);
      seen = versions.at(-1)?.version ?? seen ?? 0;
      for (const version of versions) follower.changed(agent, version);
    } catch (error) {
      follower.failed(error);
    }
  };
  const end = place.watch(look);
  look();
  return end;
}

/** The same for the lists in the folder of a session, all or those of some agents; those included that are yet to come. */
export function followSession(
  folder: string,
  follower: Follower,
  start: Start = 'newest',
  isMeant: (agent: string) => boolean = () => true,
): () => void {
  const ends = new Map<string, () => void>();
  let next = start;
  const look = () => {
    try {
      for (const { agent, folder: list } of listsIn(folder)) {
        if (isMeant(agent) && !ends.has(list))
          ends.set(list, followList(list, agent, follower, next));
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

/** In their order, but for those that are no longer kept; the newest alone where none has been seen. */
function versionsAfter(seen: number | undefined, place: Place<Items>): TodoVersion[] {
  const newest = place.load();
  if (newest === undefined) {
    return seen ? [{ version: 0, items: [], updatedAt: new Date(), by: '' }] : [];
  }
  // A list that was deleted and begun anew is at a lower number.
  const isAnew = seen !== undefined && newest.version < seen;
  const last = isAnew ? 0 : (seen ?? newest.version - 1);
  const versions: TodoVersion[] = [];
  for (const { version, content, at, by } of place.history()) {
    if (version <= last) break;
    versions.unshift({ version, items: content, updatedAt: at, by });
  }
  return versions;
}
