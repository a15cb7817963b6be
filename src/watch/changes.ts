import { describeChange } from '../todo/describe-change.ts';
import type { TodoVersion } from '../todo/todo-store.ts';

/** What was told before: a version and the one before it stay as they are, and a history may have a thousand. */
const told = new WeakMap<TodoVersion, string>();

/** What a version changed, in words. @param before the version before it, if that is kept. */
export function changeOf(version: TodoVersion, before: TodoVersion | undefined): string {
  const known = told.get(version);
  if (known !== undefined) return known;
  const items = before?.items ?? (version.version === 1 ? [] : undefined);
  if (items === undefined) return `${version.items.length} items`;
  const change = describeChange(items, version.items);
  told.set(version, change);
  return change;
}
