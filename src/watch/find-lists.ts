import { statSync } from 'node:fs';
import { listsIn, sessionsOf } from '../state/list-paths.ts';
import { todoPlace } from '../todo/open-todo-store.ts';
import type { TodoVersion } from '../todo/todo-store.ts';

/** One of the lists in files. */
export interface FoundList {
  readonly session: string;
  readonly agent: string;
  /** The folder of the list, which tells it from all others. */
  readonly folder: string;
  /** The folder of its session. */
  readonly sessionFolder: string;
  readonly newest: Pick<TodoVersion, 'items' | 'updatedAt' | 'version'>;
}

/** The lists in files, whoever's, those first that changed last. One that cannot be read is left out. */
export function* findLists(state: string): Generator<FoundList> {
  const found = sessionsOf(state).flatMap(({ session, folder: sessionFolder }) =>
    readable(() => listsIn(sessionFolder), []).map(({ agent, folder }) => ({
      session,
      agent,
      folder,
      sessionFolder,
      // Each commit renames a file in the folder.
      changed: statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0,
    })),
  );
  found.sort((a, b) => b.changed - a.changed);
  for (const { changed: _, ...list } of found) {
    const newest = readable(() => todoPlace(list).load(), undefined);
    if (newest === undefined) continue;
    const { version, content: items, at: updatedAt } = newest;
    yield { ...list, newest: { version, items, updatedAt } };
  }
}

/** What another user's files, or damaged ones, are is nothing to stop at. */
function readable<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
