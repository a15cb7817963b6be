import type { ChildProcess } from 'node:child_process';
import { basename } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { HistoryRange } from '../../src/lists/place.ts';
import { base64 } from '../../src/servers/etcd-answer.ts';
import { ServerStorage } from '../../src/servers/server-storage.ts';
import type { Items } from '../../src/todo/todo-fields.ts';
import type { TodoVersion } from '../../src/todo/todo-version.ts';
import {
  type FollowedList,
  type Follower,
  Following,
  followLists,
} from '../../src/viewer/follow.ts';
import { callCommand } from '../helpers/commands.ts';
import { closing, EtcdCluster, hasEtcd } from '../helpers/engines.ts';
import { eventually } from '../helpers/eventually.ts';
import { cleanEnvironment, executable, run, startProgram } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { isAlive, pause } from '../helpers/processes.ts';
import { startProxy } from '../helpers/proxy.ts';
import { useServers } from '../helpers/servers.ts';
import { hasTmux, TmuxTerminal } from '../helpers/tmux.ts';
import { json, todo } from '../todo/call.ts';

// Viewer, lines, page and sessions with lists on a server.

const servers = useServers();

let sessions = 0;

/** A session of its own on a server. @param seconds the time limit of its commands. */
function onServer(url: string, seconds = 2) {
  const folder = temporaryDirectory();
  const session = `~/app ${++sessions}`;
  const own = { TODO_STATE_URL: url, HOME: folder, TODO_STATE_TIMEOUT: `${seconds}` };
  const place = { cwd: folder, env: cleanEnvironment(own) };
  const call = (agent: string, name: string, ...argv: string[]) =>
    callCommand({ ...place.env, TODO_SESSION: session, TODO_AGENT: agent }, name, argv, place);
  return {
    session,
    write: (agent: string, ...lines: string[]) =>
      call(agent, 'TodoWrite', json(...lines.map((content) => todo(content)))),
    create: (subject: string) => call('ann', 'TaskCreate', '--subject', subject),
    agentShell: (...argv: string[]) => run('agent-shell', argv, place),
    /** Not on a terminal. */
    watch: (...argv: string[]) =>
      startProgram(executable('agent-shell'), ['watch', ...argv], place),
    viewer(...argv: string[]): TmuxTerminal {
      const settings = Object.entries(own).map(([name, value]) => `${name}='${value}'`);
      const program = `${process.execPath} ${executable('agent-shell')} watch`;
      const options = argv.map((word) => `'${word}'`);
      const line = ['exec env -u TODO_SESSION', ...settings, program, ...options].join(' ');
      return new TmuxTerminal(line);
    },
  };
}

/** The messages of `watch --web` to a page. */
async function pageOf({ lines }: ReturnType<typeof startProgram>) {
  const page = await eventually('the URL', () => lines()[0]);
  const answer = await fetch(`${page}events`, { headers: { 'sec-fetch-site': 'same-origin' } });
  const reader = answer.body?.getReader();
  onTestFinished(() => reader?.cancel());
  let text = '';
  const shown = async (what: string) => {
    while (!text.includes(what)) text += Buffer.from((await reader?.read())?.value ?? []);
  };
  return { shown, text: () => text };
}

/** Follows a list with so many versions, of which nothing is heard. */
function followed(count: number, follower: Partial<Follower<{ version: number }>> = {}) {
  const list = { count, find: () => [{ key: 'k', path: ['main'], version: list.count }] };
  const from = (first: number) =>
    Array.from({ length: list.count - first + 1 }, (_, at) => ({ version: list.count - at }));
  const source = {
    find: async () => list.find(),
    open: () => ({
      seen: { version: 0 },
      versions: (range: HistoryRange = {}) =>
        from('from' in range ? (range.from ?? 1) : Math.max(1, list.count - 1000 + 1)),
    }),
    watch: () => () => {},
  };
  const deaf = { changed: () => {}, failed: () => {}, reached: () => {} };
  const following = new Following(source, { ...deaf, ...follower }, 'all');
  onTestFinished(() => following.end());
  return { list, following };
}

test('of a list with many changes a thousand versions are kept', async () => {
  const { list, following } = followed(999);
  await following.look();
  expect(following.known[0]?.versions).toHaveLength(999);
  list.count = 1002;
  await following.look();
  expect(following.known[0]?.versions).toHaveLength(1000);
  expect(following.known[0]?.versions[0]).toEqual({ version: 1002 });
});

test('a look that failed is repeated, even if nothing is heard', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const told: string[] = [];
  const { list, following } = followed(1, {
    failed: (error) => told.push(`${error}`),
    reached: () => told.push('reached'),
  });
  await following.look();
  list.find = vi.fn(list.find).mockImplementationOnce(() => {
    throw new Error('away');
  });
  await following.look();
  await vi.advanceTimersByTimeAsync(1999);
  expect(told).toEqual(['reached', 'Error: away']);
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toEqual(['reached', 'Error: away', 'reached']);
  expect(following.failure).toBeUndefined();
});

test('a list that is named during a look that fails does not pass for all lists', async () => {
  const told: string[] = [];
  const { list, following } = followed(1, {
    failed: (error) => told.push(`${error}`),
    reached: () => told.push('reached'),
  });
  await following.look();
  list.find = () => {
    list.count = 2;
    if (told.length === 1) void following.look([{ key: 'k', path: ['main'], version: 2 }]);
    throw new Error('away');
  };
  await following.look();
  expect(told).toEqual(['reached', 'Error: away', 'Error: away']);
});

test('after its end nothing is told, though a look was on its way', async () => {
  const told = vi.fn();
  const { following } = followed(1, { changed: told, reached: told, failed: told });
  following.end();
  await following.look();
  expect(told).not.toHaveBeenCalled();
});

test.runIf(hasEtcd)(
  'a change of a list costs who follows it one request to etcd, which names it',
  async () => {
    const lists = (port: number) => {
      const url = `${servers.etcd.urlAt(port)}/named`;
      return closing(new ServerStorage({ url, environment: {}, timeoutMs: 20_000 }));
    };
    const proxy = await startProxy(servers.etcd.port);
    const writer = lists(servers.etcd.port);
    const ann = writer.place<Items>('todos/s/ann', { author: 'ann', history: 3 });
    let seen: number | undefined;
    const follower = {
      changed: ({ versions: [newest] }: FollowedList<TodoVersion>) => {
        seen = newest.version;
      },
      failed: () => {},
      reached: () => {},
    };
    await ann.commit(0, [], new Date());
    const following = followLists(lists(proxy.port), 'todos/s', follower, 'all');
    onTestFinished(() => following.end());
    await eventually('it is followed', () => seen === 1);
    // Until the watch is established, and has looked for what it may have missed.
    let version = 1;
    const requests: number[] = [];
    await eventually('some changes cost one request each', async () => {
      const before = proxy.posts();
      await ann.commit(version++, [], new Date());
      await eventually('it is seen', () => seen === version);
      requests.push(proxy.posts() - before);
      return requests.length > 4 && requests.slice(-3).every((count) => count === 1);
    });
    expect(following.known.map(({ versions }) => versions.length)).toEqual([version]);
    const other = writer.place<Items>('todos/s/bob', { author: 'bob', history: 3 });
    await other.commit(0, [], new Date());
    await eventually('a list that is created is named, too', () => following.known.length === 2);
    const key = base64(`${servers.etcd.root}/named/todos/s/ann/`);
    await closing(servers.etcd.client()).call(
      'kv/deleterange',
      { key, range_end: base64(`${servers.etcd.root}/named/todos/s/ann0`) },
      'change',
    );
    await eventually('a removed one is gone', () => following.known.length === 1);
  },
);

// Finding and following on each engine: tests/lists/storage.test.ts.
describe.runIf(hasEtcd)('agent-shell', () => {
  test('watch --jsonl, watch --web and sessions show the lists of a session, later ones included', async () => {
    const at = onServer(servers.etcd.emptyUrl());
    const { shown, text } = await pageOf(at.watch('--web'));
    await shown('"lists":[]');
    await at.write('ann', 'first');
    await shown('"text":"first"');
    const { lines } = at.watch('--session', at.session, '--all', '--jsonl');
    await eventually('the list as it stands', () => lines().length === 1);
    await at.write('bob', 'second');
    await at.write('ann', 'third');
    await eventually('each version', () => lines().length === 3);
    const seen = lines().map((line) => JSON.parse(line));
    const versions = seen.map(
      ({ agent, version, todos }) => `${agent} ${version} ${todos[0].content}`,
    );
    expect(versions[0]).toBe('ann 1 first');
    expect(versions.sort()).toEqual(['ann 1 first', 'ann 2 third', 'bob 1 second']);
    await at.create('Ship');
    await shown('"text":"#1 Ship"');
    expect(text()).toContain(`"session":"${basename(at.session)}"`);
    const { sessions } = JSON.parse(at.agentShell('sessions', '--json').stdout);
    const lists = [
      { agent: 'ann', completed: 0, pending: 1, version: 2 },
      { agent: 'bob', version: 1 },
    ];
    expect(sessions).toMatchObject([{ session: at.session, lists, tasks: { pending: 1 } }]);
  });

  test.skipIf(!hasTmux)('watch without a session offers the newest lists', async () => {
    const at = onServer(servers.etcd.url);
    await at.write('ann', 'Build');
    const terminal = at.viewer();
    await terminal.until('the newest lists', (screen) =>
      screen.includes(`▸ ${basename(at.session)}`),
    );
    expect(terminal.screen()).toContain('Set TODO_SESSION, or give --session NAME.');
    terminal.press('Enter');
    await terminal.until('the list', (screen) => screen.includes('○ Build'));
  });
});

test('a server that cannot be reached from the start: exit code 3, and stderr says which', async () => {
  const at = onServer('etcd://127.0.0.1:1/x', 1);
  // They wait at the same time.
  const watches = ['--jsonl', '--tasks'].map((how) => at.watch('--session', 's', how));
  expect(at.agentShell('sessions')).toMatchObject({ exitCode: 3, stdout: '' });
  for (const { ended } of watches) {
    expect(await ended).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/^agent-shell: cannot read from etcd at 127\.0\.0\.1:1: /),
    });
  }
  const noSession = at.agentShell('watch', '--jsonl');
  expect(noSession).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--session NAME'),
  });
});

test.skipIf(!hasTmux)('q ends the viewer while its server cannot be reached', async () => {
  const at = onServer('postgres://lists@127.0.0.1:1/x', 1);
  const terminal = at.viewer('--session', at.session);
  await terminal.until('the trouble', (screen) => screen.includes('127.0.0.1:1'));
  const { pid } = terminal;
  terminal.type('q');
  await eventually('its end', () => !isAlive(pid));
});

test.runIf(hasEtcd)(
  'lines report a server that stays away once, whatever the reasons',
  async () => {
    const own = await EtcdCluster.start();
    onTestFinished(() => own.stop());
    const proxy = await startProxy(own.port);
    const at = onServer(own.urlAt(proxy.port));
    await at.write('ann', 'a');
    const { child, lines, said, ended } = at.watch('--session', at.session, '--all', '--jsonl');
    await eventually('the list as it stands', () => lines().length === 1);
    await pause(own.members[0]?.process as ChildProcess);
    await eventually('the report', () => said.stderr.includes('no answer in time'), 30_000);
    own.members[0]?.process.kill('SIGKILL');
    // Within the time limit of one look it makes half of these.
    const tries = proxy.connections() + 40;
    await eventually('another reason', () => proxy.connections() > tries, 30_000);
    own.members[0]?.restart();
    await own.leader();
    await at.write('ann', 'b');
    await eventually('the next version', () => lines().length === 2, 30_000);
    child.kill('SIGTERM');
    expect((await ended).stderr.match(/^agent-shell: cannot read/gm)).toHaveLength(1);
  },
);

test.runIf(hasEtcd && hasTmux)('the viewer writes there, and goes on after a loss', async () => {
  const own = await EtcdCluster.start();
  onTestFinished(() => own.stop());
  const at = onServer(own.url);
  await at.write('main', 'Build');
  const terminal = at.viewer('--session', at.session);
  await terminal.until('the list', (screen) => screen.includes('○ Build'));
  terminal.type('n');
  terminal.enter('Sign it');
  await terminal.until('the item', (screen) => screen.includes('○ Sign it'));
  terminal.type('bn');
  terminal.enter('Test it');
  await terminal.until('the task', (text) => text.includes('▸○ #1 Test it'));
  await pause(own.members[0]?.process as ChildProcess);
  terminal.type('x');
  await terminal.until('the attempt', (screen) => screen.includes('Saving...'));
  // Not carried out, since it would remove the refusal from the screen.
  terminal.type('q');
  await terminal.until('the refusal', (screen) => screen.includes('Not saved:'));
  await terminal.until('the trouble', (screen) => screen.includes('cannot read from etcd at'));
  own.members[0]?.process.kill('SIGCONT');
  await own.leader();
  terminal.type('x');
  await terminal.until('the success', (screen) => screen.includes('Completed #1 Test it'));
  terminal.type('b');
  await at.write('main', 'Build', 'Sign it', 'Ship');
  await terminal.until('the next list', (screen) => screen.includes('○ Ship'));
});
