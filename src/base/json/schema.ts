import * as z from 'zod/mini';
import type { Problems } from '../command/replies.ts';
import { inQuotes, safeText } from '../safe-text.ts';
import type { ListLimits } from '../settings/settings.ts';
import {
  type Fields,
  isObject,
  type Kind,
  type TextLimits,
  typeName,
  unexpected,
  type ValuesOf,
} from './fields.ts';

/** Further problems are only counted. */
const MAX_LINES_KEPT = 20;
const MAX_RANGES_NAMED = 5;
/** The most unknown keys of one object that are read. */
const MAX_KEYS = 100;

/** A problem and its places in a list: `todos[0..39].activeForm: Required`. */
interface IssueLine {
  readonly before: string;
  readonly after: string;
  readonly message: string;
  readonly indices: number[];
}

const LIMIT = /Must (?:be|have) at most (\d+) (?:characters|items), /;

/** Collects the problems that zod finds, as lines for an error. A problem of several items is one line. */
export class ProblemLines {
  readonly #lines = new Map<string, IssueLine>();
  #unlisted = 0;
  readonly #limitsFile: ListLimits['limitsFile'];

  constructor({ limitsFile }: Pick<ListLimits, 'limitsFile'>) {
    this.#limitsFile = limitsFile;
  }

  /** @param root the root of the issue's path. @param place where the root is. */
  add(issue: z.core.$ZodIssue, root: unknown, place: readonly PropertyKey[] = []): void {
    if (issue.code === 'unrecognized_keys') {
      this.#unlisted += Math.max(0, issue.keys.length - MAX_KEYS);
    }
    const path = [...place, ...issue.path];
    const isList = path.length === 0 && issue.code === 'invalid_type';
    const expected = `Expected {"todos":[...]}, received ${typeName(root)}`;
    this.addAt(path, isList ? [expected] : messages(issue, root));
  }

  addAt(path: readonly PropertyKey[], messages: readonly string[]): void {
    const at = path.findIndex((key) => typeof key === 'number');
    const before = pathText(at === -1 ? path : path.slice(0, at));
    const after = at === -1 ? '' : pathText(path.slice(at + 1));
    const index = path[at] as number | undefined;
    for (const message of messages) {
      const key = JSON.stringify([before, after, message, index === undefined]);
      const line = this.#lines.get(key) ?? { before, after, message, indices: [] };
      if (index !== undefined) line.indices.push(index);
      if (this.#lines.has(key)) continue;
      if (this.#lines.size < MAX_LINES_KEPT) this.#lines.set(key, line);
      else this.#unlisted++;
    }
  }

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** @param further lines after the collected ones. @param closing see Problems. */
  problems(further: readonly string[] = [], closing: readonly string[] = []): Problems {
    const lines = [...[...this.#lines.values()].map(lineText), ...further];
    const { path = '', limits = [] } = this.#limitsFile ?? {};
    const isOfFile = (line: string) => limits.includes(Number(LIMIT.exec(line)?.[1]));
    const isOverLimit = [...lines, ...closing].some(isOfFile);
    const source = isOverLimit ? [`the limit is set in ${safeText(path)}`] : [];
    return { lines, unlisted: this.#unlisted, closing: [...closing, ...source] };
  }
}

function lineText({ before, after, message, indices }: IssueLine): string {
  const place = indices.length > 0 ? `${before}[${rangesText(indices)}]` : before;
  const path = after ? `${place}.${after}` : place;
  return path === '' ? message : `${path}: ${message}`;
}

/** `0..39`, `0, 2, 5..7`. */
function rangesText(indices: readonly number[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const index of new Set(indices)) {
    const last = ranges.at(-1);
    if (last && last.to === index - 1) last.to = index;
    else ranges.push({ from: index, to: index });
  }
  const texts = ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}..${to}`));
  const hidden = texts.length - MAX_RANGES_NAMED;
  return texts.slice(0, MAX_RANGES_NAMED).join(', ') + (hidden > 0 ? ', ...' : '');
}

function messages(issue: z.core.$ZodIssue, root: unknown): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_KEYS).map((key) => `Unrecognized key ${inQuotes(key)}`);
  }
  const received = valueAt(root, issue.path);
  if (received === undefined) return [isInText(root, issue.path) ? IN_TEXT : 'Required'];
  if (issue.code === 'invalid_type') {
    return [`Expected ${issue.expected}, received ${typeName(received)}`];
  }
  if (issue.code === 'invalid_value') {
    const expected = issue.values.map((value) => `'${String(value)}'`).join(' | ');
    const what = typeof received === 'string' ? inQuotes(received) : typeName(received);
    return [`Expected ${expected}, received ${what}`];
  }
  return [issue.message];
}

const IN_TEXT =
  "Required; it is in another text, perhaps since apostrophes ended bash's quotes. Use a heredoc: <<'EOF'";

/** True if a missing field is in a text of its object, as in `Don't stop","activeForm":"Can't` without the quotes that bash removes. */
function isInText(root: unknown, path: readonly PropertyKey[]): boolean {
  const field = new RegExp(`,\\s*${String(path.at(-1))}:`);
  return Object.values(Object(valueAt(root, path.slice(0, -1)))).some(
    (held) => typeof held === 'string' && field.test(held),
  );
}

/** `todos[0].content` */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}

/** The path has indices and keys of the schema, never keys of the input. */
function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  return value;
}

/** The zod schema of an object with these fields and no others. */
export function objectSchema<const Table extends Fields>(
  table: Table,
  limits: TextLimits,
): z.ZodMiniType<ValuesOf<Table>> {
  // Building a schema takes longer than validating a list, so fields of one kind share theirs.
  const required = new Map<Kind, z.ZodMiniType>();
  const optional = new Map<Kind, z.ZodMiniType>();
  const shape: Record<string, z.ZodMiniType> = {};
  for (const [name, { kind, isRequired }] of Object.entries(table)) {
    const schema = required.get(kind) ?? schemaOf(kind, limits);
    required.set(kind, schema);
    if (!isRequired && !optional.has(kind)) optional.set(kind, z.exactOptional(schema));
    shape[name] = isRequired ? schema : (optional.get(kind) as z.ZodMiniType);
  }
  return z.strictObject(shape) as unknown as z.ZodMiniType<ValuesOf<Table>>;
}

function schemaOf(kind: Kind, limits: TextLimits): z.ZodMiniType {
  switch (kind.is) {
    case 'text': {
      const most = kind.most(limits);
      return z.string().check((text) => {
        text.value = text.value.trim();
        const message = kind.problem(text.value, most, limits);
        if (message !== undefined) text.issues.push({ code: 'custom', message, input: text.value });
      });
    }
    case 'word':
      return z.enum(kind.words);
    case 'flag':
      return z.boolean();
    case 'list':
      return z.array(schemaOf(kind.of, limits));
    case 'value':
      return z.transform((given, { issues }) => {
        const value = kind.from(given, limits);
        if (value !== undefined) return value;
        // A missing field comes here, too; its error is `Required`.
        const message = given === undefined ? '' : kind.whyNot?.(given, limits);
        issues.push({ code: 'custom', message: message ?? unexpected(kind, given), input: given });
        return given;
      });
  }
}

/**
 * A copy of an object that is certainly valid, made several times as fast as by the schema. Undefined if the schema must judge.
 */
export function certainObject<T extends Fields>(table: T, given: unknown, limits: TextLimits) {
  // Another prototype may have fields, too.
  if (!isObject(given) || Object.getPrototypeOf(given) !== Object.prototype) return undefined;
  const copy: Record<string, unknown> = {};
  let others = 0;
  for (const _ in given) others += 1;
  for (const name in table) {
    const { kind, isRequired } = table[name] as Fields[string];
    const value = given[name];
    if (value === undefined && !isRequired) continue;
    copy[name] = certainValue(kind, value, limits);
    if (copy[name] === undefined) return undefined;
    others -= 1;
  }
  return others === 0 ? (copy as ValuesOf<T>) : undefined;
}

function certainValue(kind: Kind, value: unknown, limits: TextLimits): string | undefined {
  if (kind.is === 'word') return kind.words[kind.words.indexOf(value as string)];
  if (kind.is !== 'text' || typeof value !== 'string') return undefined;
  const text = value.trim();
  return kind.problem(text, kind.most(limits), limits) === undefined ? text : undefined;
}
