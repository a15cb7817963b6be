import * as z from 'zod/mini';
import { $ZodObjectJIT } from 'zod/v4/core';
import type { JsonSchema } from '../base/command/agent-command.ts';
import type { Problems } from '../base/command/replies.ts';
import { objectJson, otherNames } from '../base/json/fields.ts';
import { isObject } from '../base/json/json-value.ts';
import { objectSchema } from '../base/json/object-schema.ts';
import { type OtherWords, ProblemLines } from '../base/json/schema-issues.ts';
import { inQuotes } from '../base/safe-text.ts';
import type { ListLimits } from '../base/settings/settings.ts';
import { TODO_FIELDS, type TodoItem } from './todo-fields.ts';

/** Refusing an overlong list must be cheap. */
const MAX_ITEMS_LOOKED_AT = 100;
const MAX_INDICES_NAMED = 5;

const OTHER_WORDS: OtherWords = [
  ...otherNames(TODO_FIELDS),
  ['todos', /^(?:list|plan|newTodos|todo_?list)$/i],
];

/** A valid list's items, or all problems. */
export type ListValidation =
  | { readonly items: readonly TodoItem[] }
  | { readonly problems: Problems };

/** Checks a parsed JSON value against the schema and the limits. Never throws. Forgives no slips, unlike TodoWrite. */
export function validateTodoList(value: unknown, settings: ListLimits): ListValidation {
  const todos = isObject(value) && Object.hasOwn(value, 'todos') ? value.todos : undefined;
  const items: readonly unknown[] = Array.isArray(todos) ? todos : [];
  const mostLookedAt = Math.max(settings.maxItems, MAX_ITEMS_LOOKED_AT);
  const isLong = items.length > mostLookedAt;
  const looked = isLong ? { ...(value as object), todos: items.slice(0, mostLookedAt) } : value;
  const result = todoListSchema(settings).safeParse(
    looked,
    hasChecked ? undefined : { jitless: true },
  );
  hasChecked = true;
  const { repeated, ofList } = problemsOfList(items, mostLookedAt, settings);
  if (result.success && ofList.length === 0 && repeated.length === 0) {
    return { items: result.data.todos };
  }
  const lines = new ProblemLines(OTHER_WORDS);
  for (const issue of result.error?.issues ?? []) lines.add(issue, value);
  return { problems: lines.problems(repeated, ofList) };
}

/** The zod schema of `{"todos":[...]}`. */
export type TodoListSchema = ReturnType<typeof buildSchema>;

/** Compiling the check takes longer than checking a program's one list. */
let hasChecked = false;
/** Building the schema takes longer than checking a list, and limits hardly ever change. */
let built: { maxContentLength: number; schema: TodoListSchema } | undefined;

/**
 * The schema of `{"todos":[...]}`, for a host that builds on it. It covers single items: keys, types, and the length of
 * texts. Only `validateTodoList` checks the rules for the whole list (its length, one item in progress).
 */
export function todoListSchema({ maxContentLength }: ListLimits): TodoListSchema {
  if (built?.maxContentLength !== maxContentLength) {
    built = { maxContentLength, schema: buildSchema(maxContentLength) };
  }
  return built.schema;
}

function buildSchema(maxContentLength: number) {
  const item = objectSchema(TODO_FIELDS, { maxContentLength });
  const compiled = new $ZodObjectJIT(item._zod.def as z.core.$ZodObjectDef) as unknown;
  return z.strictObject({ todos: z.array(compiled as typeof item) });
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
    ofList.push(`todos: Only one item can be in_progress, received ${begun.length} (${where})`);
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
