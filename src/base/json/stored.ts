import { type Fields, isDeeperThan, isObject, type Kind } from './fields.ts';

// Without zod: programs that only read stored values start faster without it.

/** A basic type, the kind of a field, an array, an object, a field that may be missing, or a test of its own. */
export type Stored =
  | 'text'
  | 'flag'
  | 'id'
  | 'count'
  | 'time'
  | Kind
  | readonly [Stored]
  | Shape
  | { readonly maybe: Stored }
  | ((value: unknown) => boolean);

export interface Shape {
  readonly has: Readonly<Record<string, Stored>>;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** True if a stored value, which anyone may have written, is of the type. Its limits may have changed since. */
export function isStored(type: Stored, value: unknown): boolean {
  if (type === 'flag') return typeof value === 'boolean';
  if (type === 'text') return typeof value === 'string';
  if (type === 'time') return typeof value === 'string' && TIME.test(value);
  if (type === 'id') return Number.isSafeInteger(value) && (value as number) > 0;
  if (type === 'count') return typeof value === 'number' && value >= 0;
  if (typeof type === 'function') return type(value);
  if ('maybe' in type) return value === undefined || isStored(type.maybe, value);
  if ('has' in type) return wrongField(type, value) === undefined;
  if ('length' in type) return Array.isArray(value) && value.every((one) => isStored(type[0], one));
  if (type.is === 'text') return typeof value === 'string';
  if (type.is === 'word') return type.words.includes(value as string);
  return type.is === 'value' && type.from(value) !== undefined;
}

/** The problem of the first wrong field; nobody will fix the others by hand. */
function wrongField({ has }: Shape, value: unknown): string | undefined {
  if (!isObject(value)) return 'is not an object';
  for (const name in has) {
    const given = value[name];
    if (!isStored(has[name] as Stored, given))
      return given === undefined ? `has no ${name}` : `has an invalid ${name}`;
  }
  for (const name in value) {
    if (!Object.hasOwn(has, name) && isDeeperThan(MOST_LEVELS, value[name]))
      return 'has a field that is nested too deeply';
  }
  return undefined;
}

/** A newer build's field is kept, but JSON.stringify overflows the stack on a few thousand levels. */
const MOST_LEVELS = 100;

/** The fields of a table, as stored. */
export function storedFields(table: Fields): Shape['has'] {
  const rows = Object.entries(table);
  return Object.fromEntries(
    rows.map(([name, { kind, isRequired }]) => [name, isRequired ? kind : { maybe: kind }]),
  );
}

/** Such as `item 3 has an invalid status`; undefined if all things are as they should be. */
export function wrongThing(noun: string, shape: Shape, things: readonly unknown[]) {
  for (const [index, thing] of things.entries()) {
    const wrong = wrongField(shape, thing);
    if (wrong !== undefined) return `${noun} ${index} ${wrong}`;
  }
  return undefined;
}
