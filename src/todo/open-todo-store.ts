import { storedProblem } from '../json/fields.ts';
import { isObject } from '../json/json-value.ts';
import { FilePlace } from '../state/file-place.ts';
import type { Lists, PlaceOptions } from '../state/lists.ts';
import type { SharedPlace } from '../state/place.ts';
import { STORED_FIELDS } from './todo-fields.ts';
import type { Items } from './todo-item.ts';
import { TodoStore } from './todo-store.ts';

/** Where a list in files is, and who writes it. */
export interface TodoStoreLocation {
  /** The list's own folder, absolute. It is made when the first list is written. */
  readonly folder: string;
  /** The agent that signs what is written; `main` unless given. */
  readonly author?: string;
  /** How many versions to keep, the newest included; 50 unless given. */
  readonly history?: number;
}

/** Opens a list in files, which other processes may share. It need not be there yet. */
export function openTodoStore(location: TodoStoreLocation): TodoStore {
  return new TodoStore(undefined, new FilePlace({ ...location, check: storedItemsProblem }));
}

/** The place of a list of this key, wherever it is. */
export function todoPlace(
  lists: Lists,
  key: string,
  options: Omit<PlaceOptions, 'check'>,
): SharedPlace<Items> {
  return lists.place(key, { ...options, check: storedItemsProblem });
}

/**
 * What is wrong with the items of a file, which anyone may have written: the first thing only, since nobody will fix it
 * by hand. The schema is stricter; limits are not judged, which may have been others when the list was written.
 */
function storedItemsProblem(items: unknown): string | undefined {
  if (!Array.isArray(items)) return 'it does not contain a list';
  for (const [index, item] of items.entries()) {
    const wrong = isObject(item) ? storedProblem(STORED_FIELDS, item) : 'is not an item';
    if (wrong !== undefined) return `item ${index} ${wrong}`;
  }
  return undefined;
}
