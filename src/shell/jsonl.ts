import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import * as z from 'zod/mini';
import type { BashRouter, RouteResult } from '../router/bash-router.ts';
import { safeText } from '../safe-text.ts';
import { splitLines } from './split-lines.ts';

/** Zod's own messages are not in the bundle, for its size. */
const expected = (what: string) => ({
  error: ({ input }: { input?: unknown }) =>
    input === undefined ? 'Required' : `Expected ${what}`,
});

const REQUEST = z.strictObject(
  {
    id: z.union([z.string(), z.number()], expected('a string or a number')),
    command: z.string(expected('a string')),
    timeoutMs: z.optional(
      z.number(expected('a number')).check(z.positive({ error: 'Must be greater than 0' })),
    ),
    stream: z.optional(z.boolean(expected('true or false'))),
    maxOutputBytes: z.optional(
      z.number(expected('a number')).check(z.positive({ error: 'Must be greater than 0' })),
    ),
    reminders: z.optional(z.enum(['field', 'stderr'], expected("'field' or 'stderr'"))),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `Unrecognized key '${safeText(issue.keys[0] ?? '', MAX_KEY_CHARACTERS)}'`
        : 'Expected an object',
  },
);
const MAX_KEY_CHARACTERS = 40;
const MAX_ID_PLACE = 4096;
const SHORTENED_LENGTH = 4 * 1024 * 1024;

// A client that sends more at once, or does not read, is not read from until it has caught up.
const MAX_PENDING = 256;

/**
 * Serves one client: for each request line one result line, in order, until the end of input.
 *
 *     {"id":1,"command":"echo hi","timeoutMs":30000}
 *     {"id":1,"type":"native_shell_command","stdout":"hi\n","stderr":"","exitCode":0,"durationMs":0.4}
 *
 * With `"stream":true` its output also comes while it runs: `{"id":1,"event":"stdout","chunk":"hi\n"}`. `{"cancel":1}` ends
 * the request with that id, which runs or waits, with exit code 130; it has no result of its own. Where guidance has
 * something to say of the list, the result has it as well: `"reminders":["Note: ..."]`; with `"reminders":"stderr"` in the
 * request it comes first in stderr instead. A line that is no such request gets `{"id":null,"error":"..."}`; a blank line
 * gets nothing.
 */
export async function serveJsonl(
  router: BashRouter,
  input: Readable,
  output: Writable,
): Promise<void> {
  const write = async (answer: Answer) => {
    if (output.write(`${toLine(answer)}\n`) || output.destroyed) return;
    await Promise.race([once(output, 'drain'), once(output, 'close')]);
  };
  const pending = new Map<Promise<void>, { id: string; controller: AbortController }>();
  let last: Promise<void> = Promise.resolve();
  try {
    for await (const line of splitLines(input)) {
      if (line.trim() === '') continue;
      const cancelled = idToCancel(line);
      if (cancelled !== undefined) {
        for (const { id, controller } of pending.values()) {
          if (id === cancelled) controller.abort();
        }
        continue;
      }
      const controller = new AbortController();
      const answered = last.then(async () => write(await answer(router, line, controller, write)));
      last = answered.catch(() => {});
      pending.set(last, { id: rawId(line), controller });
      const done = last;
      void done.then(() => pending.delete(done));
      if (pending.size >= MAX_PENDING) await [...pending.keys()][0];
    }
    await last;
  } finally {
    await router.dispose();
  }
}

/** An id as it was sent: a number beyond 2^53 would come back as another one. */
function rawId(line: string): string {
  return (
    /(?<!\\)"id"\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,}]+)/.exec(line.slice(0, MAX_ID_PLACE))?.[1] ?? ''
  );
}

/** The id of a request to be cancelled, where the line asks for that. */
function idToCancel(line: string): string | undefined {
  return /^\s*\{\s*"cancel"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)\s*\}\s*$/.exec(
    line.length > MAX_ID_PLACE ? '' : line,
  )?.[1];
}

interface Answer {
  [field: string]: unknown;
  stdout?: string;
  stderr?: string;
}

/** JSON on one line, also for a reader that takes the line separators of Unicode for ends of lines. */
function toLine(answer: Answer): string {
  try {
    const line = JSON.stringify(answer).replace(/^\{"id":"\\u0000raw ([^"]*)"/, '{"id":$1');
    return line.replace(
      /[\u0085\u2028\u2029]/g,
      (separator) => `\\u${separator.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  } catch (error) {
    // 64 MiB that are all escaped may be more than fits into one string.
    if (!(error instanceof RangeError)) throw error;
    return toLine({
      ...answer,
      stdout: shortened(answer.stdout),
      stderr: shortened(answer.stderr),
    });
  }
}

function shortened(text = ''): string {
  if (text.length <= SHORTENED_LENGTH) return text;
  const leftOut = text.length - SHORTENED_LENGTH;
  return `${text.slice(0, SHORTENED_LENGTH)}\n[agent-shell: ${leftOut} more characters left out]\n`;
}

async function answer(
  router: BashRouter,
  line: string,
  { signal }: AbortController,
  write: (event: Answer) => Promise<void>,
): Promise<Answer> {
  const request = parseRequest(line);
  if (typeof request === 'string') {
    return { id: null, error: request };
  }
  const { id: parsed, command, timeoutMs, stream, maxOutputBytes, reminders: place } = request;
  const id =
    Number.isInteger(parsed) && !Number.isSafeInteger(parsed) ? new RawId(rawId(line)) : parsed;
  const start = performance.now();
  const streamed = (event: 'stdout' | 'stderr') => {
    const decoder = new StringDecoder('utf8');
    return (chunk: Buffer) => {
      const text = decoder.write(chunk);
      return text === '' ? undefined : write({ id, event, chunk: text });
    };
  };
  const { type, stdout, stderr, exitCode, reminders } = await router
    .route(command, {
      timeoutMs,
      signal,
      ...(stream && { onStdout: streamed('stdout'), onStderr: streamed('stderr') }),
      ...(place && { reminders: place }),
    })
    .catch((error: Error) => failed(router, command, error));
  const durationMs = Math.round((performance.now() - start) * 100) / 100;
  return {
    id,
    type,
    stdout: headAndTail(stdout, maxOutputBytes),
    stderr: headAndTail(stderr, maxOutputBytes),
    exitCode,
    durationMs,
    ...(reminders && { reminders }),
  };
}

/** Whatever goes wrong, who waits for a result gets one. */
function failed(router: BashRouter, command: string, { message }: Error): RouteResult {
  const type = router.identifyCommandType(command);
  return { type, stdout: '', stderr: `agent-shell: ${message}\n`, exitCode: 1 };
}

/** A number that JSON.stringify would write in another way. */
class RawId {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toJSON(): string {
    return `\0raw ${this.text}`;
  }
}

/** At most this many bytes of a text: its beginning, how much was left out, its end. */
function headAndTail(text: string, limit: number | undefined): string {
  if (limit === undefined || text.length * 3 <= limit) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  const half = Math.floor(limit / 2);
  let [head, tail] = [half, bytes.length - half];
  while (head > 0 && isContinuation(bytes[head])) head -= 1;
  while (tail < bytes.length && isContinuation(bytes[tail])) tail += 1;
  return `${bytes.subarray(0, head)}\n[agent-shell: ${tail - head} bytes left out]\n${bytes.subarray(tail)}`;
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

/** The request, or what is wrong with it. */
function parseRequest(line: string): z.infer<typeof REQUEST> | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'Not JSON. Expected one request a line: {"id":1,"command":"...","timeoutMs":30000}';
  }
  const { data, error } = REQUEST.safeParse(value);
  if (data) {
    return data;
  }
  const problems = error.issues.map(
    ({ path, message }) => `${path.join('.') || 'request'}: ${message}`,
  );
  return `Not a request. ${problems.join('; ').slice(0, 500)}`;
}
