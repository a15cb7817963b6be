import type * as z from 'zod/mini';
import { safeText } from '../safe-text.ts';

/** What is repeated of the input in an error is cut to this many characters. */
const MAX_QUOTED_CHARACTERS = 40;

/** One problem that zod found, as lines; at most `most` of them. */
export function issueLines(issue: z.core.$ZodIssue, root: unknown, most: number): string[] {
  if (most <= 0) return [];
  const path = pathText(issue.path);
  const prefix = path === '' ? '' : `${path}: `;
  if (path === '' && issue.code === 'invalid_type') {
    return [`Expected {"todos":[...]}, received ${typeName(root)}`];
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, most).map((key) => `${prefix}Unrecognized key ${quoted(key)}`);
  }
  return [prefix + message(issue, valueAt(root, issue.path))];
}

function message(issue: z.core.$ZodIssue, received: unknown): string {
  if (received === undefined) return 'Required';
  if (issue.code === 'invalid_type') {
    return `Expected ${issue.expected}, received ${typeName(received)}`;
  }
  if (issue.code === 'invalid_value') {
    const expected = issue.values.map((value) => `'${String(value)}'`).join(' | ');
    return `Expected ${expected}, received ${typeof received === 'string' ? quoted(received) : typeName(received)}`;
  }
  return issue.message;
}

/** `todos[0].content`; the root has no name. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}

/** The path comes from the schema: it holds indices and the schema's own keys, never a key of the input. */
function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  return value;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function quoted(text: string): string {
  return `'${safeText(text, MAX_QUOTED_CHARACTERS)}'`;
}
