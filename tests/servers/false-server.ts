import { once } from 'node:events';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import type { AnyPlace } from '../../src/lists/place.ts';
import { ServerStorage } from '../../src/servers/server-storage.ts';
import { closing } from '../helpers/engines.ts';

// Broken or malicious servers. Their answers are read as far as a list may need, and no further.

export const NOON = new Date('2026-05-01T12:00:00.000Z');
export const MIB = 1024 * 1024;
export const AS_ANN = { author: 'ann', history: 50 };

/** Bytes, also as Latin-1, in the parts in which they are sent: a string by its characters. */
export type Answer = Iterable<string | Buffer>;

/** Ends the connection. */
export const END = '';

/** A server on loopback, until the end of the test. @param begin called for each connection; without an answer it falls silent. */
export async function portThat(begin: () => (said: string) => Answer | undefined): Promise<number> {
  const server = createServer((socket) => {
    const answerTo = begin();
    socket.setNoDelay().on('error', () => {});
    socket.on('data', async (said) => {
      for (const part of answerTo(said.toString()) ?? []) {
        if (part === END) socket.end();
        if (!socket.writable) return;
        // Else the client would get many parts as one.
        await new Promise((resolve) => socket.write(part, 'latin1', () => setImmediate(resolve)));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

export const withoutEnd = (begin: string, more: string): Answer => ({
  *[Symbol.iterator]() {
    yield begin;
    const bytes = Buffer.from(more, 'latin1');
    for (;;) yield bytes;
  },
});

/** Requests are repeated until their time limit: after a few connections, the answers are the same to no purpose. */
function fewTimes<Begun>(begin: () => (said: string) => Begun, times: number) {
  let connections = 0;
  return () => (connections++ < times ? begin() : () => undefined);
}

/** @param timeoutMs for requests that are repeated until then; else longer than a busy machine takes. */
export function listsAt(url: string, timeoutMs = 60_000): ServerStorage {
  return closing(new ServerStorage({ url, environment: { PGPASSWORD: 's3cret' }, timeoutMs }));
}

export const placeIn = (storage: ServerStorage): AnyPlace<string> =>
  storage.place('todos/s/a', AS_ANN);
export const placeAt = (url: string, timeoutMs?: number) => placeIn(listsAt(url, timeoutMs));

export async function problemOf(work: unknown): Promise<string> {
  return Promise.resolve(work).then(
    () => 'none',
    (error: Error) => error.message,
  );
}

/**
 * What `ask` is told within a time limit that is short, since requests are repeated until then; within a longer one where a
 * busy machine has let it pass without an answer.
 */
export async function told<Said>(ms: number, ask: (ms: number) => Promise<Said>): Promise<Said> {
  const said = await ask(ms);
  const isLate = JSON.stringify(said).includes('no answer in time');
  return isLate && ms < 60_000 ? told(4 * ms, ask) : said;
}

/** Says it to six connections. */
export const etcdThatSays = async (answer: Answer) =>
  `etcd://127.0.0.1:${await portThat(fewTimes(() => () => answer, 6))}/acme`;

export const NOTHING = '{"header":{},"kvs":[]}';

export const http = (text: string, status = 200) => [
  `HTTP/1.1 ${status} Said\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
];

/** @param begin as of `portThat`. */
export const postgresThat = async (begin: () => (said: string) => Answer | undefined) =>
  `postgres://ann@127.0.0.1:${await portThat(begin)}/lists?sslmode=disable`;

/** Each answer to one message of a connection, for two connections. */
export const postgresThatSays = (answers: readonly Answer[]) =>
  postgresThat(
    fewTimes(() => {
      const left = [...answers];
      return () => left.shift();
    }, 2),
  );

/** A message of PostgreSQL. */
export function message(kind: string, body = ''): string {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + body.length);
  return kind + length.toString('latin1') + body;
}

export const authentication = (kind: number, text = '') =>
  message('R', `\0\0\0${String.fromCharCode(kind)}${text}`);
export const SCRAM = authentication(10, 'SCRAM-SHA-256\0\0');
export const WELCOME = authentication(0) + message('Z', 'I');
