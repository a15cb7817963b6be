import { isObject, typeName } from '../json/json-value.ts';

/** The most characters of a description, and of the JSON of a task's metadata. */
export const MAX_LONG_TEXT = 10_000;
const MAX_DEPTH = 20;

/** What is wrong with a value as the metadata of a task, if anything. */
export function metadataProblem(value: unknown): string | undefined {
  if (!isObject(value)) return `Expected object, received ${typeName(value)}`;
  if (isDeeperThan(MAX_DEPTH, value)) return `Must be nested at most ${MAX_DEPTH} deep`;
  const size = JSON.stringify(value).length;
  return size > MAX_LONG_TEXT ? tooLong(size) : undefined;
}

export function tooLong(length: number): string {
  return `Must be at most ${MAX_LONG_TEXT} characters, received ${length}`;
}

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner));
}
