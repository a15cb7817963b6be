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

/**
 * Tells of the list in a folder as it stands, where there is one, and then of each version; of one that is new, of each
 * version from the first on.
 *
 * @returns what ends it.
 */
export function followList(
  folder: string,
  agent: string,
  follower: Follower,
  { isNew = false } = {},
): () => void {
  const place = new FilePlace<Items>({ folder });
  let seen = isNew ? 0 : undefined;
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

/** The same for all lists of a session, those included that are yet to come. */
export function followSession(state: string, session: string, follower: Follower): () => void {
  const ends = new Map<string, () => void>();
  let isNew = false;
  const look = () => {
    try {
      for (const { agent, folder } of listsOf(state, session)) {
        if (!ends.has(folder)) ends.set(folder, followList(folder, agent, follower, { isNew }));
      }
    } catch (error) {
      follower.failed(error);
    }
  };
  const end = watchFolder(sessionFolder(state, session), look);
  look();
  isNew = true;
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
