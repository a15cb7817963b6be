import type { Readable, Writable } from 'node:stream';
import * as z from 'zod/mini';
import type { BashRouter } from '../router/bash-router.ts';
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
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `Unrecognized key '${safeText(issue.keys[0] ?? '', MAX_KEY_CHARACTERS)}'`
        : 'Expected an object',
  },
);
const MAX_KEY_CHARACTERS = 40;
const SHORTENED_LENGTH = 4 * 1024 * 1024;

/**
 * Serves one client: for each request line one result line, in order, until the end of input.
 *
 *     {"id":1,"command":"echo hi","timeoutMs":30000}
 *     {"id":1,"type":"native_shell_command","stdout":"hi\n","stderr":"","exitCode":0,"durationMs":0.4}
 *
 * Where guidance has something to say of the list, the result has it as well: `"reminders":["Note: ..."]`.
 * A line that is no such request gets `{"id":null,"error":"..."}`.
 */
export async function serveJsonl(
  router: BashRouter,
  input: Readable,
  output: Writable,
): Promise<void> {
  try {
    for await (const line of splitLines(input)) {
      output.write(`${toLine(await answer(router, line))}\n`);
    }
  } finally {
    await router.dispose();
  }
}

interface Answer {
  [field: string]: unknown;
  stdout?: string;
  stderr?: string;
}

/** JSON on one line, also for a reader that takes the line separators of Unicode for ends of lines. */
function toLine(answer: Answer): string {
  try {
    return JSON.stringify(answer).replace(
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

async function answer(router: BashRouter, line: string): Promise<Answer> {
  const request = parseRequest(line);
  if (typeof request === 'string') {
    return { id: null, error: request };
  }
  const { id, command, timeoutMs } = request;
  const start = performance.now();
  const { type, stdout, stderr, exitCode, reminders } = await router.route(command, {
    timeoutMs,
  });
  const durationMs = Math.round((performance.now() - start) * 100) / 100;
  return { id, type, stdout, stderr, exitCode, durationMs, ...(reminders && { reminders }) };
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
