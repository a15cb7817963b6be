import type { Readable } from 'node:stream';
import * as z from 'zod/mini';
import { InvalidUtf8, textOfBytes } from '../base/command/utf8.ts';
import { isObject } from '../base/json/fields.ts';
import { inQuotes } from '../base/safe-text.ts';

/** The text of an id, since a number beyond 2^53, or 1.0, would come back different. */
export interface MessageId {
  readonly text: string;
}

export type Message =
  | { readonly kind: 'request'; readonly id: MessageId; readonly request: JsonRequest }
  | { readonly kind: 'answer'; readonly id: MessageId; readonly answer: JsonAnswer }
  | { readonly kind: 'cancel'; readonly id: MessageId }
  | { readonly kind: 'options'; readonly options: SessionOptions }
  | {
      readonly kind: 'wrong';
      readonly problem: string;
      readonly isUrgent: boolean;
      /** The request's own id; an answer and a cancel name another's. */
      readonly id?: MessageId | undefined;
    };

export type JsonRequest = z.output<typeof REQUEST>;
export type JsonAnswer = z.output<typeof JSON_ANSWER>;
/** Options of the session from this line on. */
export type SessionOptions = z.output<typeof SESSION_OPTIONS>;

/** Zod's own messages would make the bundle larger. */
const expected = (what: string) => ({
  error: ({ input }: { input?: unknown }) =>
    input === undefined ? 'Required' : `Expected ${what}`,
});

const strict = {
  error: (issue: { code?: string | undefined; keys?: readonly string[] }) =>
    issue.code === 'unrecognized_keys'
      ? `Unrecognized key ${inQuotes(issue.keys?.[0] ?? '')}`
      : 'Expected an object',
};

const idField = z.union([z.string(), z.number()], expected('a string or a number'));
const positiveField = z
  .number(expected('a number'))
  .check(z.positive({ error: 'Must be greater than 0' }));
const booleanField = z.boolean(expected('true or false'));

const REQUEST = z.strictObject(
  {
    id: idField,
    command: z.string(expected('a string')),
    timeoutMs: z.optional(positiveField),
    stream: z.optional(booleanField),
    maxOutputBytes: z.optional(positiveField),
    reminders: z.optional(z.enum(['field', 'stderr'], expected("'field' or 'stderr'"))),
  },
  strict,
);

const JSON_ANSWER = z.strictObject(
  {
    id: idField,
    approve: z.enum(['allow', 'deny'], expected("'allow' or 'deny'")),
    reason: z.optional(z.string(expected('a string'))),
    command: z.optional(z.string(expected('a string'))),
  },
  strict,
);

const CANCEL = z.strictObject({ cancel: idField }, strict);

const SESSION_OPTIONS = z.strictObject(
  {
    hello: z.optional(z.literal(true, expected('true'))),
    approve: z.optional(booleanField),
    events: z.optional(
      z.array(z.enum(['todos', 'tasks'], expected("'todos' or 'tasks'")), expected('an array')),
    ),
  },
  strict,
);

/** The id of a line that is certainly a request, though no JSON, or no UTF-8. */
const ID_OF_REQUEST = /^\s*\{\s*"id"\s*:\s*("[ !#-[\]-~]*"|-?\d{1,15})\s*,\s*"command"\s*:/;

export function readJsonMessage(bytes: Buffer): Message {
  let line: string;
  let value: unknown;
  try {
    line = textOfBytes(bytes);
    // trim removes a byte-order mark.
    value = JSON.parse(line.trim());
  } catch (error) {
    const problem =
      error instanceof InvalidUtf8
        ? `Not UTF-8. ${error.message}`
        : 'Not JSON. Expected one request a line: {"id":1,"command":"...","timeoutMs":30000}';
    const [, text] = ID_OF_REQUEST.exec(bytes.toString('latin1')) ?? [];
    return { kind: 'wrong', problem, isUrgent: false, id: text === undefined ? text : { text } };
  }
  const has = (key: string) => isObject(value) && key in value;
  if (has('cancel')) {
    return validMessage('a cancel', CANCEL, value, ({ cancel }) => ({
      kind: 'cancel',
      id: idOf(line, 'cancel', cancel),
    }));
  }
  if (has('id') && has('approve')) {
    return validMessage('an answer', JSON_ANSWER, value, (answer) => ({
      kind: 'answer',
      id: idOf(line, 'id', answer.id),
      answer,
    }));
  }
  if (!has('id') && ['hello', 'approve', 'events'].some(has)) {
    return validMessage('a session option', SESSION_OPTIONS, value, (options) => ({
      kind: 'options',
      options,
    }));
  }
  const request = validMessage('a request', REQUEST, value, (request) => ({
    kind: 'request',
    id: idOf(line, 'id', request.id),
    request,
  }));
  if (request.kind !== 'wrong' || !has('id')) return request;
  const { id: given } = value as { id: unknown };
  const isId = typeof given === 'string' || typeof given === 'number';
  return isId ? { ...request, id: idOf(line, 'id', given) } : request;
}

function validMessage<Schema extends z.ZodMiniType>(
  what: string,
  schema: Schema,
  value: unknown,
  message: (data: z.output<Schema>) => Message,
): Message {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return message(data);
  const problems = error.issues.map(
    ({ path, message: text }) => `${path.join('.') || 'request'}: ${text}`,
  );
  const problem = `Not ${what}. ${problems.join('; ').slice(0, 500)}`;
  return { kind: 'wrong', problem, isUrgent: what === 'a cancel' || what === 'an answer' };
}

/** Finds the number as it was sent: JSON.stringify may write it differently. */
function idOf(line: string, key: 'id' | 'cancel', value: string | number): MessageId {
  if (typeof value === 'string') return { text: JSON.stringify(value) };
  // Inside a JSON string, these quotes would have a backslash before them.
  const places = line.matchAll(new RegExp(`(?<!\\\\)"${key}"\\s*:\\s*(-?\\d[\\d.eE+-]*)`, 'g'));
  const texts = Array.from(places, ([, text = '']) => text);
  return { text: texts.findLast((text) => Number(text) === value) ?? String(value) };
}

/** Only `\n` ends a line: JSON text may contain Unicode's other line separators. */
export async function* splitLines(input: Readable): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield Buffer.concat([...pending, chunk.subarray(start, end)]);
      pending = [];
      start = end + 1;
    }
    pending.push(chunk.subarray(start));
  }
  const last = Buffer.concat(pending);
  if (last.length > 0) {
    yield last;
  }
}
