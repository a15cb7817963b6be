import { join } from 'node:path';
import { attempt, errorCode } from '../state/state-error.ts';
import { makeFolders, readOwnFile, writeOwnFile } from '../system/files.ts';
import type { TodoList } from './todo-store.ts';

const FILE = 'until-done';

/**
 * Says of a list that its agent should not stop before it is finished: `TodoWrite --until-done`.
 *
 * @param folder that of the hook, for this list.
 */
export function setUntilDone(folder: string, version: number): void {
  const path = join(folder, FILE);
  attempt('write', path, () => {
    makeFolders(folder);
    writeOwnFile(path, `${version}\n`);
  });
}

/** Whether that was said of the list that is there now: one that was finished since was another one. */
export function isUntilDone(folder: string, store: TodoList): boolean {
  let since: number;
  try {
    since = Number(readOwnFile(join(folder, FILE)).toString());
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
  for (const { version, items } of store.newestFirst()) {
    if (items.every(({ status }) => status === 'completed')) return version < since;
    if (version <= since) break;
  }
  return true;
}
