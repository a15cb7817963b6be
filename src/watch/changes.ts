import { describeChange } from '../todo/describe-change.ts';
import type { TodoVersion } from '../todo/todo-version.ts';

/** A cache: versions never change, and a history can have a thousand of them. */
const told = new WeakMap<TodoVersion, string>();

/** What a version changed, in words. @param before the previous version, if it is still kept. */
export function changeOf(version: TodoVersion, before: TodoVersion | undefined): string {
  const known = told.get(version);
  if (known !== undefined) return known;
  if (version.damage) return `damaged; version ${version.damage.shown} stands in for it`;
  const items = before?.items ?? (version.version === 1 ? [] : undefined);
  if (items === undefined) return `${version.items.length} items`;
  const change = describeChange(items, version.items);
  told.set(version, change);
  return change;
}
