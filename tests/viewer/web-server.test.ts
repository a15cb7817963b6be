import { once } from 'node:events';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serveWeb, tokenIn, type WebServer, webTokenFile } from '../../src/viewer/web-server.ts';
import { eventually } from '../helpers/eventually.ts';
import { cleanEnvironment, executable, openProgram } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';

const TOKEN = 'x'.repeat(32);

async function serve(): Promise<{
  server: WebServer;
  followers: () => number;
  change: (json: string) => void;
}> {
  const showing = new Set<(json: string) => void>();
  const server = await serveWeb(0, TOKEN, (address, show) => {
    showing.add(show);
    show(JSON.stringify({ session: address.get('session') ?? undefined }));
    return () => showing.delete(show);
  });
  onTestFinished(() => server.close());
  return {
    server,
    followers: () => showing.size,
    change: (json) => {
      for (const show of showing) show(json);
    },
  };
}

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  text: string;
}

function ask(
  url: string,
  options: { method?: string; headers?: Record<string, string>; path?: string } = {},
): Promise<Answer> {
  const { pathname, port, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path: options.path ?? pathname + search, ...options },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        answer.on('end', () =>
          resolve({ status: answer.statusCode, headers: answer.headers, text }),
        );
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

test('the page is one document that loads nothing else', async () => {
  const { server } = await serve();
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/x{32}\/$/);
  const { status, headers, text } = await ask(server.url);
  expect(status).toBe(200);
  expect(text).not.toMatch(/ (src|href)=(?!"data:)|url\(|@import/);
  const nonce = /script-src 'nonce-([\w-]+)'/.exec(String(headers['content-security-policy']))?.[1];
  expect(text).toContain(`<script nonce="${nonce}">`);
  expect((await ask(server.url)).headers['content-security-policy']).not.toContain(nonce);
  // Either name of this machine is its own.
  const { port } = new URL(server.url);
  for (const name of ['127.0.0.1', 'localhost']) {
    const Host = `${name}:${port}`;
    const own = { Host, Origin: `http://${Host}`, 'Sec-Fetch-Site': 'same-origin' };
    expect((await ask(server.url, { headers: own })).status).toBe(200);
  }
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  });
});

test.each([
  ['another Host, as after DNS rebinding', { headers: { Host: 'evil.example' } }, 403],
  ['another port in Host', { headers: { Host: '127.0.0.1:1' } }, 403],
  ['the Origin of another page', { headers: { Origin: 'http://evil.example' } }, 403],
  ['the Origin of a page without one', { headers: { Origin: 'null' } }, 403],
  ['a fetch from another site', { headers: { 'Sec-Fetch-Site': 'cross-site' } }, 403],
  ['a wrong token', { path: `/${'y'.repeat(32)}/` }, 404],
  ['no token', { path: '/' }, 404],
  ['a longer token', { path: `/${TOKEN}x/` }, 404],
  ['a page that is not there', { path: `/${TOKEN}/nothing` }, 404],
  ['another path', { path: `/${TOKEN}/../../etc/passwd` }, 404],
  ['writing', { method: 'POST' }, 405],
  ['deleting', { method: 'DELETE' }, 405],
])('%s is refused without an answer', async (_what, options, status) => {
  const { server, followers } = await serve();
  for (const url of [server.url, `${server.url}events`]) {
    const answer = await ask(url, options);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('session');
    if (status === 405) expect(answer.headers.allow).toBe('GET');
    if (status === 404) expect(answer.text).toMatch(/^Nothing is here: copy the whole URL/);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  }
  expect(followers()).toBe(0);
});

test('no other address is listened on', async () => {
  const { server } = await serve();
  // Linux has more than one on the loopback device.
  const other = server.url.replace('127.0.0.1', '127.0.0.2');
  await expect(fetch(other)).rejects.toThrow('fetch failed');
});

test('events come as they happen, and end with the page', async () => {
  const { server, followers, change } = await serve();
  const lines: string[] = [];
  // A browser takes no other status and type for a stream of events.
  let head: (string | number | undefined)[] = [];
  const asked = request(`${server.url}events?session=a%20b`, (answer) => {
    head = [answer.statusCode, answer.headers['content-type']];
    answer.setEncoding('utf8').on('data', (text: string) => lines.push(...text.split('\n')));
    answer.on('error', () => {});
  });
  asked.on('error', () => {});
  asked.end();
  await eventually('the state', () => lines.includes('data: {"session":"a b"}'));
  change('{"next":1}');
  await eventually('the change', () => lines.includes('data: {"next":1}'));
  asked.destroy();
  await eventually('the end', () => followers() === 0);
  expect(lines[0]).toBe('retry: 1000');
  expect(head).toEqual([200, 'text/event-stream']);
});

/** The answer to a page, of which nothing is read yet. */
async function eventsOf({ url }: WebServer): Promise<IncomingMessage> {
  const asked = request(`${url}events`).on('error', () => {});
  onTestFinished(() => void asked.destroy());
  asked.end();
  const [answer] = await once(asked, 'response');
  return answer.setEncoding('utf8').on('error', () => {});
}

test('a page that reads slowly gets the latest state, not each', async () => {
  const { server, followers, change } = await serve();
  const answer = await eventsOf(server);
  await eventually('it is followed', () => followers() === 1);
  const states = Array.from(
    { length: 100 },
    (_, at) => `{"at":${at},"of":"${'x'.repeat(2 ** 20)}"}`,
  );
  for (const state of states) change(state);
  const seen: number[] = [];
  let rest = '';
  answer.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines)
      seen.push(...(/^data: \{"at":(\d+)/.exec(line)?.slice(1).map(Number) ?? []));
  });
  await eventually('the latest', () => seen.at(-1) === 99);
  expect(seen.length).toBeLessThan(10);
});

test('a page hears something every 20 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { server, followers } = await serve();
  const answer = await eventsOf(server);
  let text = '';
  answer.on('data', (part: string) => {
    text += part;
  });
  await eventually('it is followed', () => followers() === 1);
  vi.advanceTimersByTime(60_000);
  const beats = () => text.match(/^data:$/gm)?.length;
  await eventually('some beats', () => (beats() ?? 0) >= 3);
  expect(beats()).toBe(3);
});

test('so many pages are followed, and no more', async () => {
  const { server, followers } = await serve();
  const open = Array.from({ length: 20 }, () => {
    const asked = request(`${server.url}events`, (answer) => answer.resume().on('error', () => {}));
    asked.on('error', () => {});
    asked.end();
    return asked;
  });
  await eventually('all are followed', () => followers() === 20);
  expect(await ask(`${server.url}events`)).toMatchObject({ status: 503 });
  for (const asked of open) asked.destroy();
});

test('a port that is taken, or a wrong setting, is an error that ends the program', async () => {
  const { server } = await serve();
  const { port } = new URL(server.url);
  const cwd = temporaryDirectory();
  const ending = async (more: Record<string, string>) => {
    const argv = ['watch', '--web', '--port', port];
    const env = cleanEnvironment({ TODO_STATE_DIR: cwd, HOME: cwd, ...more });
    const child = openProgram(executable('agent-shell'), argv, { cwd, env });
    const [[exitCode], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)]);
    return [exitCode, stderr];
  };
  const taken = `agent-shell: port ${port} is taken; without --port, a free one is used\n`;
  expect(await ending({})).toEqual([1, taken]);
  const wrong = expect.stringMatching(/^agent-shell: TODO_STATE_URL must begin with .*\n$/);
  expect(await ending({ TODO_STATE_URL: 'redis://x' })).toEqual([3, wrong]);
});

test('the token is the same the next time, and only its user can read it', () => {
  const file = join(temporaryDirectory(), 'state', 'web-token');
  const token = tokenIn(file);
  expect(token).toMatch(/^[\w-]{32}$/);
  expect(tokenIn(file)).toBe(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('an invalid token is replaced, and so is one that others can read', () => {
  const file = join(temporaryDirectory(), 'web-token');
  writeFileSync(file, 'short\n');
  chmodSync(file, 0o600);
  expect(tokenIn(file)).toMatch(/^[\w-]{32}$/);
  const known = 'a'.repeat(32);
  writeFileSync(file, known);
  chmodSync(file, 0o640);
  expect(tokenIn(file)).not.toBe(known);
});

test('where it cannot be kept it is good for this time', () => {
  expect(tokenIn('/dev/null/web-token')).toMatch(/^[\w-]{32}$/);
});

test('it is kept in the user folder: a state folder may come with a repository, and umask 077 makes its files private', () => {
  const home = temporaryDirectory();
  const environment = { HOME: home, TODO_STATE_DIR: join(temporaryDirectory(), '.todowrite') };
  expect(webTokenFile(environment)).toBe(join(home, '.local/state/todowrite/web-token'));
});
