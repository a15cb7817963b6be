import * as z from 'zod/mini';
import type { Problems } from '../command/refusal.ts';
import { isObject } from '../json/json-value.ts';
import { type OtherWords, ProblemLines, textProblem } from '../json/schema-issues.ts';
import { inQuotes } from '../safe-text.ts';
import type { ListLimits } from '../settings/settings.ts';
import type { TodoItem } from './todo-item.ts';

/** At most this many items of an overlong list are looked at, so that refusing it is cheap. */
const MAX_ITEMS_LOOKED_AT = 100;
const MAX_INDICES_NAMED = 5;
const STATUSES = ['pending', 'in_progress', 'completed'] as const;
const PRIORITIES = ['high', 'medium', 'low'] as const;

const OTHER_WORDS: OtherWords = [
  ['content', /^(?:task|title|name|text|subject|todo|description|step|item)$/i],
  ['activeForm', /^(?:active|form|doing|present|gerund|active_?(?:text|content|name))$/i],
  ['status', /^(?:state|done|completed?|progress)$/i],
  ['priority', /^(?:prio|importance|urgency)$/i],
  ['check', /^(?:checks|verify|verification|validation|test|tests|command|cmd|prove)$/i],
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
  const items = faultlessItems(value, settings);
  return items ? { items } : judgedBySchema(value, settings);
}

/** The schema says what is wrong. */
function judgedBySchema(value: unknown, settings: ListLimits): ListValidation {
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

/**
 * The items of a list in which a quick look finds no fault, as it does in most; undefined otherwise. It accepts what the
 * schema accepts, and spares a program that writes one list the building of the schema, which takes longer than all else
 * that it does with the list.
 */
function faultlessItems(value: unknown, limits: ListLimits): TodoItem[] | undefined {
  const todos = keyCount(value) === 1 ? todosOf(value) : undefined;
  if (!Array.isArray(todos) || todos.length > limits.maxItems) return undefined;
  const items: TodoItem[] = [];
  const ids = new Set<string>();
  let begun = 0;
  for (const given of todos) {
    const item = faultlessItem(given, limits.maxContentLength);
    if (item === undefined) return undefined;
    if (item.id !== undefined && ids.size === ids.add(item.id).size) return undefined;
    if (item.status === 'in_progress' && ++begun > 1) return undefined;
    items.push(item);
  }
  return items;
}

function faultlessItem(given: unknown, maxLength: number): TodoItem | undefined {
  if (!isObject(given)) return undefined;
  const { content, activeForm, status, id, priority, check } = given;
  const isText = (text: unknown): text is string =>
    typeof text === 'string' && textProblem(text, maxLength) === undefined;
  if (!isText(content) || !isText(activeForm) || !isOneOf(STATUSES, status)) return undefined;
  const item: TodoItem = { content, activeForm, status };
  let keys = 3;
  if (id !== undefined) {
    if (!isText(id)) return undefined;
    item.id = id;
    keys++;
  }
  if (priority !== undefined) {
    if (!isOneOf(PRIORITIES, priority)) return undefined;
    item.priority = priority;
    keys++;
  }
  if (check !== undefined) {
    if (!isText(check)) return undefined;
    item.check = check;
    keys++;
  }
  // Fewer than it has: one that is not known.
  return keys === keyCount(given) ? item : undefined;
}

function isOneOf<Word extends string>(words: readonly Word[], word: unknown): word is Word {
  return words.includes(word as Word);
}

function keyCount(value: unknown): number {
  let count = 0;
  if (isObject(value)) for (const _ in value) count++;
  return count;
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

function buildSchema(maxLength: number) {
  const text = z.string().check(({ value, issues }) => {
    const message = textProblem(value, maxLength);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  });
  const item = z.strictObject({
    content: text,
    activeForm: text,
    status: z.enum(STATUSES),
    id: z.exactOptional(text),
    priority: z.exactOptional(z.enum(PRIORITIES)),
    check: z.exactOptional(text),
  });
  return z.strictObject({ todos: z.array(item) });
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
