import * as z from 'zod/mini';
import type { JsonSchema } from '../command/agent-command.ts';
import type { Problems } from '../command/replies.ts';
import { objectJson, objectSchema, otherNames } from '../json/fields.ts';
import { type OtherWords, ProblemLines } from '../json/schema-issues.ts';
import { inQuotes } from '../safe-text.ts';
import type { ListLimits } from '../settings/settings.ts';
import { TODO_FIELDS } from './todo-fields.ts';
import type { TodoItem } from './todo-item.ts';

/** At most this many items of an overlong list are looked at, so that refusing it is cheap. */
const MAX_ITEMS_LOOKED_AT = 100;
const MAX_INDICES_NAMED = 5;

const OTHER_WORDS: OtherWords = [
  ...otherNames(TODO_FIELDS),
  ['todos', /^(?:list|plan|newTodos|todo_?list)$/i],
];

/** The items of a valid list, or everything that is wrong with one that is not. */
export type ListValidation =
  | { readonly items: readonly TodoItem[] }
  | { readonly problems: Problems };

/**
 * Checks a parsed JSON value against the schema and the limits. Never throws. Slips that TodoWrite forgives are not
 * forgiven here.
 */
export function validateTodoList(value: unknown, settings: ListLimits): ListValidation {
  const listProblems = problemsOfList(value, settings);
  const looked = withoutSurplus(value, settings);
  const result = todoListSchema(settings).safeParse(looked);
  const repeated = repeatedIds(todosOf(looked));
  if (result.success && listProblems.length === 0 && repeated.length === 0) {
    return { items: result.data.todos };
  }
  const lines = new ProblemLines(OTHER_WORDS);
  for (const issue of result.error?.issues ?? []) lines.add(issue, value);
  return { problems: lines.problems(repeated, listProblems) };
}

/** The zod schema of `{"todos":[...]}`. */
export type TodoListSchema = ReturnType<typeof buildSchema>;

/** Building the schema takes longer than checking a list with it, and programs hardly ever change their limits. */
let built: { maxContentLength: number; schema: TodoListSchema } | undefined;

/**
 * The schema of `{"todos":[...]}`, for a host that builds on it. It covers single items: keys, types, and the length of
 * texts. The rules for the whole list (its length, one item in progress) are checked only by `validateTodoList`.
 */
export function todoListSchema({ maxContentLength }: ListLimits): TodoListSchema {
  if (built?.maxContentLength !== maxContentLength) {
    built = { maxContentLength, schema: buildSchema(maxContentLength) };
  }
  return built.schema;
}

function buildSchema(maxContentLength: number) {
  return z.strictObject({ todos: z.array(objectSchema(TODO_FIELDS, { maxContentLength })) });
}

/**
 * What `validateTodoList` checks, as JSON Schema, which cannot say that ids must differ and that one item at most may be in
 * progress.
 */
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

function todosOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'todos')
    ? (value as { todos: unknown }).todos
    : undefined;
}

function withoutSurplus(value: unknown, { maxItems }: ListLimits): unknown {
  const todos = todosOf(value);
  const mostItems = Math.max(maxItems, MAX_ITEMS_LOOKED_AT);
  if (!Array.isArray(todos) || todos.length <= mostItems) return value;
  return { ...(value as object), todos: todos.slice(0, mostItems) };
}

/** What is wrong with the list as a whole, its items aside. */
function problemsOfList(value: unknown, { maxItems }: ListLimits): string[] {
  const todos = todosOf(value);
  if (!Array.isArray(todos)) return [];
  const lines: string[] = [];
  if (todos.length > maxItems) {
    lines.push(`todos: Must have at most ${maxItems} items, received ${todos.length}`);
  }
  const begun: number[] = [];
  for (let index = 0; index < todos.length; index++) {
    if (todos[index]?.status === 'in_progress') begun.push(index);
  }
  if (begun.length > 1) {
    lines.push(
      `todos: Only one item can be in_progress, received ${begun.length} (${places(begun)})`,
    );
  }
  return lines;
}

/** An id that two items share identifies neither. */
function repeatedIds(todos: unknown): string[] {
  if (!Array.isArray(todos)) return [];
  const byId = new Map<string, number[]>();
  for (let index = 0; index < todos.length; index++) {
    const id: unknown = todos[index]?.id;
    if (typeof id !== 'string') continue;
    const indices = byId.get(id);
    if (indices) indices.push(index);
    else byId.set(id, [index]);
  }
  return [...byId]
    .filter(([, indices]) => indices.length > 1)
    .map(
      ([id, indices]) =>
        `todos: Only one item can have the id ${inQuotes(id)}, received ${indices.length} (${places(indices)})`,
    );
}

/** `todos[0], todos[4]`, and how many more where there are many. */
function places(indices: readonly number[]): string {
  const named = indices.slice(0, MAX_INDICES_NAMED).map((index) => `todos[${index}]`);
  const hidden = indices.length - named.length;
  return named.join(', ') + (hidden > 0 ? `, and ${hidden} more` : '');
}
