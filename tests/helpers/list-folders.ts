import {
  folderOfKey,
  type ListName,
  listKey,
  sessionKey,
  taskListKey,
} from '../../src/lists/list-paths.ts';
import { FolderStorage } from '../../src/lists/storage.ts';

export function listFolder(state: string, name: ListName): string {
  return folderOfKey(state, listKey(name));
}

export function taskListFolder(state: string, list: string): string {
  return folderOfKey(state, taskListKey(list));
}

export function agentsIn(state: string, session: string): string[] {
  const found = new FolderStorage({ folder: state }).find(sessionKey(session));
  return found.map(({ path: [, , agent = ''] }) => agent).sort();
}
