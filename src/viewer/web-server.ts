import { randomBytes, timingSafeEqual } from 'node:crypto';
import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { makeFolders, readOwnFile } from '../base/system/files.ts';
import { stateFolder } from '../lists/list-paths.ts';
import page from './page/page.html';
import script from './page/page.ts?script';

/** Passes the state that the address asks for to `show` as JSON, now and after each change. Returns a function that stops it. */
export type Follow = (address: URLSearchParams, show: (json: string) => void) => () => void;

/** Each page follows a session. */
const MOST_PAGES = 20;
/** Each side finds connections that a tunnel or a sleeping laptop has silently dropped. */
const HEARTBEAT_MS = 20_000;

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

export interface WebServer {
  /** Secret: it opens the lists. */
  readonly url: string;
  close(): void;
}

/**
 * Serves the page on the loopback device.
 *
 * Only requests with the token are answered. Other pages in the same browser get nothing, not even by DNS rebinding: Host
 * and Origin must be this server's own.
 */
export function serveWeb(port: number, token: string, follow: Follow): Promise<WebServer> {
  const serving = { token, follow, open: 0 };
  const server = createServer((request, response) => answerRequest(request, response, serving));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const { port: bound } = server.address() as AddressInfo;
      resolve({
        url: `http://127.0.0.1:${bound}/${token}/`,
        close: () => {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });
}

interface Serving {
  readonly token: string;
  readonly follow: Follow;
  /** How many pages follow a session. */
  open: number;
}

function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  serving: Serving,
): unknown {
  const refuse = (status: number, reason: string) => {
    response.writeHead(status, { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(`${reason}\n`);
  };
  if (!isOwn(request)) return refuse(403, 'This server answers its own page only.');
  if (request.method !== 'GET') {
    response.setHeader('Allow', 'GET');
    return refuse(405, 'This server only reads.');
  }
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const [, given = '', name, ...rest] = path.split('/');
  const isThere = (name === '' || name === 'events') && rest.length === 0;
  if (!isSameToken(given, serving.token) || !isThere)
    return refuse(404, 'Nothing is here: copy the whole URL, with its last slash.');
  if (name === '') return sendPage(response);
  if (serving.open >= MOST_PAGES) return refuse(503, 'Too many pages are open.');
  serving.open++;
  response.once('close', () => serving.open--);
  return sendEvents(response, new URLSearchParams(query), serving.follow);
}

function isOwn({ headers, socket }: IncomingMessage): boolean {
  const hosts = [`127.0.0.1:${socket.localPort}`, `localhost:${socket.localPort}`];
  const { host = '', origin } = headers;
  const site = headers['sec-fetch-site'];
  return (
    hosts.includes(host.toLowerCase()) &&
    (origin === undefined || hosts.some((own) => origin === `http://${own}`)) &&
    (site === undefined || site === 'same-origin' || site === 'none')
  );
}

function isSameToken(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function sendPage(response: ServerResponse): void {
  const nonce = randomText();
  const own = `script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; img-src data:`;
  response.writeHead(200, {
    ...HEADERS,
    'Content-Security-Policy': `${HEADERS['Content-Security-Policy']}; ${own}`,
    'Content-Type': 'text/html; charset=utf-8',
  });
  response.end(page.replaceAll('{nonce}', nonce).replace("'{script}'", () => script));
}

/** Sends the state now and after each change. A slow reader gets only the latest. */
function sendEvents(response: ServerResponse, address: URLSearchParams, follow: Follow): void {
  response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream' });
  response.write('retry: 1000\n\n');
  let waiting: string | undefined;
  let isFull = false;
  const send = (json: string) => {
    if (isFull) waiting = json;
    else isFull = !response.write(`data: ${json}\n\n`);
  };
  response.on('drain', () => {
    isFull = false;
    const json = waiting;
    waiting = undefined;
    if (json !== undefined) send(json);
  });
  const heartbeat = setInterval(() => response.write('data:\n\n'), HEARTBEAT_MS);
  const end = follow(address, send);
  response.once('close', () => {
    clearInterval(heartbeat);
    end();
  });
}

/** In the user's own folder, since TODO_STATE_DIR may be in a cloned repository. */
export function webTokenFile(environment: NodeJS.ProcessEnv): string {
  return join(stateFolder(undefined, environment), 'web-token');
}

const TOKEN_FORM = /^[\w-]{32}$/;

/** Unguessable text that is valid in a URL. */
function randomText(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * The token from a private file, created if needed, so that an open page finds its server again after a restart. If the
 * file cannot be written, the token lasts for this run only.
 */
export function tokenIn(file: string): string {
  try {
    const kept = readOwnFile(file).toString().trim();
    const { mode, uid } = lstatSync(file);
    const isPrivate = (mode & 0o077) === 0 && uid === process.getuid?.();
    if (TOKEN_FORM.test(kept) && isPrivate) return kept;
  } catch {
    // There is no token yet.
  }
  const token = randomText();
  try {
    makeFolders(dirname(file));
    rmSync(file, { force: true });
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
  } catch {}
  return token;
}
