import { describe, expect, onTestFinished, test } from 'vitest';
import { clockMs, inTime } from '../../src/base/command/time-limit.ts';
import { stateCommand } from '../../src/cli/state-command.ts';
import { ServerStorage } from '../../src/servers/server-storage.ts';
import { TodoHome } from '../../src/todo/todo-home.ts';
import { JsonlClient } from '../helpers/agent-shell.ts';
import { closing, hasEtcd, hasPostgres } from '../helpers/engines.ts';
import { eventually } from '../helpers/eventually.ts';
import { cleanEnvironment, executable, startProgram } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { startProxy } from '../helpers/proxy.ts';
import { describeOn, useServers } from '../helpers/servers.ts';

// TODO_STATE_TIMEOUT limits a command, not each of its requests.

const servers = useServers();
const LIST = '{"todos":[{"content":"Build","activeForm":"Building","status":"pending"}]}';
const UNPROVEN =
  '{"todos":[{"content":"Test","activeForm":"Testing","status":"completed","check":"sleep 4"}]}';

const environmentOf = (where: string, seconds: number) =>
  cleanEnvironment({
    HOME: temporaryDirectory(),
    TODO_STATE_URL: where,
    TODO_STATE_TIMEOUT: String(seconds),
    TODO_RELEASE_AT_EXIT: '0',
    TODO_SESSION: 'release',
    TODO_AGENT: 'ann',
  });
const write = (where: string, seconds: number, ...argv: string[]) =>
  startProgram(executable('todo-write'), argv, { cwd: '/', env: environmentOf(where, seconds) })
    .ended;

describeOn(servers.each, (server, name) => {
  /** A way to it on which two answers take longer than a second. */
  const slowUrl = async () => {
    // etcd answers a read and a write, PostgreSQL a login before.
    const [delayMs, query] = name === 'etcd' ? [600, ''] : [400, '?sslmode=disable'];
    const late = await startProxy(server().port, { delayMs });
    return server().urlAt(late.port) + query;
  };
  const TOO_LATE = /^Error: Cannot update the list\n- .*(nothing was|not known whether)/;

  test('a command has one time limit for all its requests, of which each alone would be quick enough', async () => {
    const { exitCode, stderr } = await write(await slowUrl(), 1, LIST);
    expect(stderr).toMatch(TOO_LATE);
    expect(exitCode).toBe(3);
  });

  test('so has a command in a host', async () => {
    const host = new JsonlClient({ env: environmentOf(await slowUrl(), 1) });
    const reply = await host.send(`TodoWrite '${LIST}'`);
    expect(reply).toMatchObject({ exitCode: 3, stderr: expect.stringMatching(TOO_LATE) });
  });

  test('a command asks over one connection, also for the leases of its agent', async () => {
    const proxy = await startProxy(server().port);
    expect(await write(server().urlAt(proxy.port), 30, LIST)).toMatchObject({ exitCode: 0 });
    expect(proxy.connections()).toBe(1);
  });

  test('of a host, a read does not wait for a change that is being made', async () => {
    const proxy = await startProxy(server().port);
    const url = server().urlAt(proxy.port);
    const storage = closing(new ServerStorage({ url, environment: {}, timeoutMs: 60_000 }));
    const list = storage.place<string>('todos/s/beside', { author: 'ann', history: 3 });
    await list.load();
    expect(proxy.connections()).toBe(1);
    await Promise.all([list.commit(0, 'a', new Date()), list.load()]);
    expect(proxy.connections()).toBe(2);
  });
});

test.runIf(hasPostgres)('what a watcher reads is not limited by how it heard of it', async () => {
  const open = (author: string) =>
    servers.postgres.place<string>('todos/heard', { author, history: 9 });
  const [ann, bob] = [open('ann'), open('bob')];
  const limits: number[] = [];
  const listener = () => inTime(60_000, async (deadline) => limits.push(deadline - clockMs()));
  onTestFinished(bob.watch(() => void listener()));
  let base = 0;
  await eventually('it is heard of', async () => {
    await ann.commit(base++, 'a', new Date());
    return limits.length > 1;
  });
  expect(Math.min(...limits)).toBeGreaterThan(50_000);
});

describe.runIf(hasEtcd)('on either a command', () => {
  test('may run a check for longer than that', async () => {
    expect(await write(servers.etcd.url, 3, UNPROVEN)).toMatchObject({ exitCode: 0 });
    const env = environmentOf(servers.etcd.url, 3);
    const proving = startProgram(executable('todo-prove'), [], { cwd: '/', env });
    expect(await proving.ended).toMatchObject({ exitCode: 0 });
  }, 60_000);

  test('may copy lists for longer than that', async () => {
    const lists = temporaryDirectory();
    const { open } = new TodoHome({ TODO_STATE_DIR: lists, TODO_SESSION: 's' }, '/');
    for (let count = 0; count < 20; count++) open({}).update([]);
    const late = await startProxy(servers.etcd.port, { delayMs: 150 });
    const url = servers.etcd.urlAt(late.port);
    const world = { environment: environmentOf(url, 3), directory: '/' };
    expect(await stateCommand(['copy', lists, url], world)).toMatchObject({ exitCode: 0 });
  }, 60_000);

  test('of a host has the time for itself, however many there were before', async () => {
    const late = await startProxy(servers.etcd.port, { delayMs: 150 });
    const env = environmentOf(servers.etcd.urlAt(late.port), 3);
    const host = new JsonlClient({ env });
    const start = clockMs();
    while (clockMs() - start < 4000) {
      expect(await host.send(`TodoWrite '${LIST}'`)).toMatchObject({ exitCode: 0 });
    }
  }, 60_000);
});
