import { isObject, withSpelling } from '../base/json/fields.ts';
import type { ValidatedJson } from '../base/json/json-input.ts';
import { describeProblem, readJson } from '../base/json/json-reader.ts';
import type { ListLimits } from '../base/settings/settings.ts';
import { TODO_FIELDS, type TodoItem } from './todo-fields.ts';
import { validateTodoList } from './todo-schema.ts';

/** A list, and the version that it was based on, if given. */
export interface GivenList {
  readonly items: readonly TodoItem[];
  readonly version?: number;
}

interface InputReading {
  readonly value: unknown;
  /** The corrected slips, one line each. */
  readonly notes: readonly string[];
}

/**
 * Reads a list from a JSON value and corrects slips with only one possible meaning: another shape around the items, another
 * spelling of the same word. Never throws.
 */
export function validateTodoInput(input: unknown, limits: ListLimits): ValidatedJson<GivenList> {
  const strict = validateTodoList(input, limits);
  // Nobody else has these copies: frozen, they need not be copied again.
  if ('items' in strict) strict.items.forEach(Object.freeze);
  if ('items' in strict) return { value: strict, notes: [] };
  const shaped = mendShape(input);
  if ('malformed' in shaped) return shaped;
  const { version, ...whole } = withoutVersion(shaped.value);
  const { value, notes } = withoutProofs(whole.value, version !== undefined);
  const given = [...shaped.notes, ...whole.notes, ...notes];
  const asGiven = validateTodoList(value, limits);
  if ('items' in asGiven) return { value: { ...asGiven, version }, notes: given };
  const spelled = mendSpelling(value, limits);
  if (spelled.notes.length === 0) return asGiven;
  const mended = validateTodoList(spelled.value, limits);
  if ('problems' in mended) return mended;
  return { value: { ...mended, version }, notes: [...given, ...spelled.notes] };
}

/** Accepts other shapes than `{"todos":[...]}` that can only mean that. */
function mendShape(
  given: unknown,
): InputReading | Extract<ValidatedJson<never>, { malformed: string }> {
  if (Array.isArray(given)) {
    const note = 'read the bare array as the list; it belongs in {"todos":[...]}';
    return { value: { todos: given }, notes: [note] };
  }
  if (!isObject(given)) return { value: given, notes: [] };
  const { value, notes } = renameList(isItem(given) ? { todos: given } : given);
  if (isItem(value.todos)) {
    const note = 'read the single item as the list';
    return { value: { ...value, todos: [value.todos] }, notes: [...notes, note] };
  }
  if (typeof value.todos !== 'string') return { value, notes };
  // Some harnesses turn an array into a string on its way.
  const reading = readJson(value.todos);
  if ('problem' in reading) {
    // Text that is no array has the wrong type, which the schema reports better.
    if (!value.todos.includes('[')) return { value, notes };
    const malformed = `in the string "todos": ${describeProblem(value.todos, reading.problem)}`;
    return { malformed, kind: reading.problem.kind };
  }
  if (!Array.isArray(reading.value)) return { value, notes };
  const note = 'read the string in "todos" as the array that it holds';
  return {
    value: { ...value, todos: reading.value },
    notes: [...notes, note, ...reading.notes],
  };
}

/** True for an object with the content of an item, or with its status and no list. */
function isItem(value: unknown): value is Record<string, unknown> {
  if (!isObject(value) || Object.hasOwn(value, 'todos')) return false;
  const hasNoList = Object.values(value).every((one) => typeof one !== 'object');
  return Object.hasOwn(value, 'content') || (Object.hasOwn(value, 'status') && hasNoList);
}

const OTHER_NAMES = /^(?:items|tasks|todos?)$/i;

/** Renames the one key that can only mean `todos`; of several, any could. */
function renameList(value: Record<string, unknown>) {
  const [name = 'todos', ...others] = Object.keys(value).filter((key) => OTHER_NAMES.test(key));
  const list = value[name];
  const isList = Array.isArray(list) || typeof list === 'string' || isItem(list);
  if (name === 'todos' || others.length > 0 || !isList) return { value, notes: [] };
  const { [name]: _, ...rest } = value;
  return { value: { todos: list, ...rest }, notes: [`read "${name}" as "todos"`] };
}

/** Accepts the output of `TodoRead --json`, whose version the list is based on, and `"merge":false`. */
function withoutVersion(given: unknown): InputReading & { version?: number } {
  if (!isObject(given) || !Object.hasOwn(given, 'todos')) return { value: given, notes: [] };
  if (given.merge === false) {
    const { merge: _, ...rest } = given;
    const { notes, ...reading } = withoutVersion(rest);
    return { ...reading, notes: ['ignored "merge": each call replaces the whole list', ...notes] };
  }
  const { version: at, updatedAt, ...value } = given;
  const isText = typeof at === 'string' && /^\d{1,15}$/.test(at);
  const version = isText ? Number(at) : at;
  const isVersion = typeof version === 'number' && Number.isSafeInteger(version) && version >= 0;
  const isTime = updatedAt === undefined || typeof updatedAt === 'string';
  if (!isTime || (version !== undefined && !isVersion)) return { value: given, notes: [] };
  const notes = isText ? ['read the text in "version" as a number'] : [];
  return { value, notes, ...(isVersion && { version }) };
}

/** TodoRead --json prints "proof"; as input it proves nothing. */
function withoutProofs(value: unknown, isPrinted: boolean): InputReading {
  const hasProof = (item: unknown) => isObject(item) && Object.hasOwn(item, 'proof');
  if (!isObject(value) || !Array.isArray(value.todos) || !value.todos.some(hasProof)) {
    return { value, notes: [] };
  }
  const todos = value.todos.map((item: unknown) => {
    if (!isObject(item)) return item;
    const { proof: _, ...rest } = item;
    return rest;
  });
  const notes = isPrinted ? [] : ['"proof" is ignored: only a check that is seen to pass counts'];
  return { value: { ...value, todos }, notes };
}

/** Corrects spellings, and 7 for "7". */
function mendSpelling(value: unknown, { maxItems }: ListLimits): InputReading {
  if (!isObject(value) || !Array.isArray(value.todos) || value.todos.length > maxItems) {
    return { value, notes: [] };
  }
  const notes = new Map<string, string>();
  const todos = value.todos.map((item: unknown) => {
    if (!isObject(item)) return item;
    const mended = withSpelling(TODO_FIELDS, item, notes, true);
    if (!Number.isSafeInteger(mended.id)) return mended;
    notes.set('id', 'read the number in "id" as text');
    return { ...mended, id: String(mended.id) };
  });
  return { value: { ...value, todos }, notes: [...notes.values()] };
}
