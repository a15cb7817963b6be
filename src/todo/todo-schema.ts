import * as z from 'zod/mini';
import type { JsonSchema } from '../base/command/agent-command.ts';
import type { Problems } from '../base/command/replies.ts';
import { isObject, LIST_NAMES, objectJson, withMeantKeys } from '../base/json/fields.ts';
import { certainObject, objectSchema, ProblemLines } from '../base/json/schema.ts';
import { inQuotes } from '../base/safe-text.ts';
import type { ListLimits } from '../base/settings/settings.ts';
import { STEP_OPTIONS, STEPS } from './revise-list.ts';
import { TODO_FIELDS, type TodoItem } from './todo-fields.ts';

/** Refusing an overlong list must be cheap. */
const MAX_ITEMS_LOOKED_AT = 100;
const MAX_INDICES_NAMED = 5;

const ROOT = { todos: { others: LIST_NAMES } };
const ALL_BUT_ONE = 'set all but one to pending';
const MERGE =
  "Unrecognized key 'merge'; each call replaces the whole list. For single items: TodoWrite --done N, --start N";

/** A valid list's items, or all problems. */
export type ListValidation =
  | { readonly items: readonly TodoItem[] }
  | { readonly problems: Problems };

/** Validates a parsed JSON value by the schema and the limits. Never throws. Forgives no slips, unlike TodoWrite. */
export function validateTodoList(value: unknown, settings: ListLimits): ListValidation {
  const asGiven = validated(value, settings);
  if (asGiven.items) return { items: asGiven.items };
  const lines = new ProblemLines(settings);
  const meant = meantList(value, lines, settings);
  const { issues, repeated, ofList } = lines.isEmpty ? asGiven : validated(meant, settings);
  for (const issue of issues) lines.add(issue, meant);
  return { problems: lines.problems(repeated, [...ofList, ...stepsMeant(itemsIn(meant))]) };
}

function validated(value: unknown, settings: ListLimits) {
  const items = itemsIn(value);
  const most = mostLookedAt(settings);
  const isLong = items.length > most;
  const looked = isLong ? { ...(value as object), todos: items.slice(0, most) } : value;
  const todos = certainItems(looked, settings);
  const { data, error } = todos ? { data: { todos } } : todoListSchema(settings).safeParse(looked);
  const { repeated, ofList } = problemsOfList(
    isLong ? items : (data?.todos ?? items),
    most,
    settings,
  );
  const isRight = data && ofList.length === 0 && repeated.length === 0;
  return { items: isRight ? data.todos : undefined, issues: error?.issues ?? [], repeated, ofList };
}

/** The items of a list if all are certainly valid: zod would take several times as long. */
function certainItems(value: unknown, limits: ListLimits): TodoItem[] | undefined {
  if (!isObject(value) || Object.keys(value).length !== 1) return undefined;
  const items = itemsIn(value).map((item) => certainObject(TODO_FIELDS, item, limits));
  return items.length === 0 || items.includes(undefined) ? undefined : (items as TodoItem[]);
}

function itemsIn(value: unknown): readonly unknown[] {
  const todos = isObject(value) && Object.hasOwn(value, 'todos') ? value.todos : undefined;
  return Array.isArray(todos) ? todos : [];
}

function mostLookedAt({ maxItems }: ListLimits): number {
  return Math.max(maxItems, MAX_ITEMS_LOOKED_AT);
}

/** The list with the names of its keys corrected, so that one error names all problems. Adds the wrong names to `lines`. */
function meantList(given: unknown, lines: ProblemLines, settings: ListLimits): unknown {
  if (!isObject(given)) return given;
  const { merge, ...others } = given;
  const { value, hints } = withMeantKeys(ROOT, others);
  lines.addAt([], merge === undefined ? hints : [...hints, MERGE]);
  const items = itemsIn(value);
  const todos = items.slice(0, mostLookedAt(settings)).map((item, at) => {
    if (typeof item === 'string') {
      lines.addAt(['todos', at], ["Expected an object with 'content', received string"]);
      return { content: item };
    }
    if (!isObject(item)) return item;
    const meant = withMeantKeys(TODO_FIELDS, item);
    lines.addAt(['todos', at], meant.hints);
    return meant.value;
  });
  return todos.length > 0 ? { ...value, todos: [...todos, ...items.slice(todos.length)] } : value;
}

/** The zod schema of `{"todos":[...]}`. */
export type TodoListSchema = ReturnType<typeof buildSchema>;

/** Building the schema takes longer than validating a list, and limits hardly ever change. */
let built: { maxContentLength: number; schema: TodoListSchema } | undefined;

/**
 * The schema of `{"todos":[...]}`, for a host that builds on it. It covers single items: keys, types, and the length of
 * texts. Only `validateTodoList` knows the rules for the whole list (its length, one item in progress).
 */
export function todoListSchema({ maxContentLength }: ListLimits): TodoListSchema {
  if (built?.maxContentLength !== maxContentLength) {
    built = { maxContentLength, schema: buildSchema(maxContentLength) };
  }
  return built.schema;
}

function buildSchema(maxContentLength: number) {
  const item = objectSchema(TODO_FIELDS, { maxContentLength });
  return z.strictObject({ todos: z.array(item) });
}

/** As JSON Schema, which cannot express that ids differ and that at most one item is in progress. */
export function todoInputSchema(limits: ListLimits): JsonSchema {
  const item = objectJson(TODO_FIELDS, limits);
  return {
    type: 'object',
    properties: {
      todos: {
        type: 'array',
        maxItems: limits.maxItems,
        items: item,
        description: 'The whole list, which replaces the one before',
      },
    },
    required: ['todos'],
    additionalProperties: false,
  };
}

const MAX_STEPS_NAMED = 5;

/** The call for items that only have an id and a status: they change single items of the list. */
function stepsMeant(items: readonly unknown[]): string[] {
  const steps = items.slice(0, MAX_STEPS_NAMED).map((item) => {
    const { id, status, ...others } = isObject(item) ? item : {};
    const option = STEP_OPTIONS.find((name) => STEPS[name] === status);
    const isStep = status && option && /^[\w.-]+$/.test(String(id));
    return isStep && Object.keys(others).length === 0 ? `${option} ${id}` : undefined;
  });
  if (items.length !== steps.length || steps.length === 0 || steps.includes(undefined)) return [];
  return [`to change single items: TodoWrite ${steps.join(' ')}`];
}

/** Problems of the list as a whole: an id that two items share identifies neither. */
function problemsOfList(
  items: readonly unknown[],
  mostLookedAt: number,
  { maxItems }: ListLimits,
): { repeated: string[]; ofList: string[] } {
  const repeated: string[] = [];
  const ofList: string[] = [];
  const begun: number[] = [];
  const byId = new Map<string, number[]>();
  // An iterator would take as long as the rest of this function.
  for (let index = 0; index < items.length; index++) {
    const { status, id } = (items[index] ?? {}) as Partial<Record<string, unknown>>;
    if (status === 'in_progress') begun.push(index);
    if (typeof id !== 'string' || index >= mostLookedAt) continue;
    const indices = byId.get(id);
    if (indices) indices.push(index);
    else byId.set(id, [index]);
  }
  if (items.length > maxItems) {
    ofList.push(`todos: Must have at most ${maxItems} items, received ${items.length}`);
  }
  if (begun.length > 1) {
    const where = places(begun);
    ofList.push(
      `todos: Only one item can be in_progress, received ${begun.length} (${where}); ${ALL_BUT_ONE}`,
    );
  }
  for (const [id, indices] of byId) {
    if (indices.length < 2) continue;
    const who = `the id ${inQuotes(id)}, received ${indices.length}`;
    repeated.push(`todos: Only one item can have ${who} (${places(indices)})`);
  }
  return { repeated, ofList };
}

/** Truncated: `todos[0], todos[4]`. */
function places(indices: readonly number[]): string {
  const named = indices.slice(0, MAX_INDICES_NAMED).map((index) => `todos[${index}]`);
  const hidden = indices.length - named.length;
  return named.join(', ') + (hidden > 0 ? `, and ${hidden} more` : '');
}
