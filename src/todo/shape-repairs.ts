/** One wrong shape of a list whose meaning is certain: how to mend it, and what to say of it. */
interface ShapeRepair {
  readonly note: string;
  /** The mended value, or the same value where there is nothing to mend. */
  readonly mend: (value: unknown) => unknown;
}

/** Tried in this order on a value that is not `{"todos":[...]}` already. */
export const SHAPE_REPAIRS: readonly ShapeRepair[] = [
  { note: 'took the bare array for the list; it belongs in {"todos":[...]}', mend: wrapBareArray },
  { note: 'read "items" as "todos"', mend: renameItems },
];

function wrapBareArray(value: unknown): unknown {
  return Array.isArray(value) ? { todos: value } : value;
}

/** Where both names are given, it is not certain which was meant. */
function renameItems(value: unknown): unknown {
  if (!isObject(value) || Object.hasOwn(value, 'todos')) return value;
  const { items, ...rest } = value;
  return Array.isArray(items) || typeof items === 'string' ? { todos: items, ...rest } : value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
