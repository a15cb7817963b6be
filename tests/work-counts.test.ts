// Speed, kept by counting work and not time: these counts are the same on any machine, however busy it is.

import { createHook } from 'node:async_hooks';
import { spawnSync } from 'node:child_process';
import fs, { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CommandType } from '../src/base/command/agent-command.ts';
import { DEFAULT_SETTINGS, readSettings, settingsOfCalls } from '../src/base/settings/settings.ts';
import { Guide } from '../src/guidance/guide.ts';
import { FilePlace } from '../src/lists/file-place.ts';
import { MemoryPlace } from '../src/lists/place.ts';
import { TaskPanel } from '../src/screen/panel/task-panel.ts';
import { BashRouter } from '../src/shell/router/bash-router.ts';
import type { TodoItem } from '../src/todo/todo-fields.ts';
import { todoListSchema } from '../src/todo/todo-schema.ts';
import { TodoStore } from '../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../src/todo/todo-write.ts';
import { callCommand } from './helpers/commands.ts';
import { cleanEnvironment, executable } from './helpers/executables.ts';
import { temporaryDirectory } from './helpers/files.ts';
import { forAllTests } from './helpers/for-all-tests.ts';
import { isHere } from './helpers/machine.ts';
import { hasProc } from './helpers/processes.ts';
import { startSession } from './helpers/session.ts';
import { VirtualTerminal } from './helpers/virtual-terminal.ts';
import { FakeClock } from './screen/terminal/fake-clock.ts';

const items = (count: number, done = 0): TodoItem[] =>
  Array.from({ length: count }, (_, index) => ({
    content: `Write the chapter number ${index}`,
    activeForm: `Writing the chapter number ${index}`,
    status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
  }));
const call = (count: number, done = 0) =>
  `TodoWrite '${JSON.stringify({ todos: items(count, done) })}'`;

const OPERATIONS = ['fsyncSync', 'renameSync', 'mkdirSync', 'readdirSync', 'unlinkSync'] as const;

/** A hook that tells what its program loads, and how often it asks the file system for each of these operations. */
const HOOK = `const fs = require('fs');
  const counts = {};
  for (const name of ${JSON.stringify(OPERATIONS)}) {
    const original = fs[name];
    fs[name] = (...args) => {
      counts[name] = (counts[name] || 0) + 1;
      return original(...args);
    };
  }
  process.on('exit', () => {
    const files = Object.keys(require.cache).length;
    const told = { exitCode: process.exitCode, loaded: process.moduleLoadList, files, counts };
    fs.writeFileSync(process.env.TOLD, JSON.stringify(told));
  });`;

/** Runs programs with lists in files; `before`, the same commands, without a process. */
function programsIn(cwd = temporaryDirectory()) {
  const [hook, TOLD] = [join(cwd, 'hook.cjs'), join(cwd, 'told')];
  writeFileSync(hook, HOOK);
  const lists = { TODO_STATE_DIR: join(cwd, 'state'), TODO_TEAM: 'team', TODO_AGENT: 'ann' };
  const env = cleanEnvironment({ ...lists, TOLD, HOME: cwd });
  const run = (...program: readonly string[]) => {
    spawnSync(process.execPath, ['-r', hook, ...program], { cwd, env, input: '{}' });
    return JSON.parse(readFileSync(TOLD, 'utf8'));
  };
  const before = (name: string, ...argv: readonly string[]) =>
    callCommand(env, name, argv, { cwd });
  return { run, before };
}

const command = (name: string) => join(dirname(executable('todo-write')), name);

/** What Node loads for nothing. */
const empty = forAllTests((finished) => {
  const directory = temporaryDirectory(finished);
  writeFileSync(join(directory, 'empty.cjs'), '');
  return programsIn(directory).run(join(directory, 'empty.cjs'));
});

test.each([
  ['todo-write', ['{"todos":[]}']],
  ['todo-read', []],
] as const)('at start-up %s loads its one file, and of Node next to nothing', (name, argv) => {
  const { loaded, files } = programsIn().run(executable(name), ...argv);
  const modules = loaded
    .filter((module: string) => !empty().loaded.includes(module))
    .flatMap((module: string) => /^NativeModule (?!internal)(.*)/.exec(module)?.[1] ?? []);
  expect({ modules, files: files - empty().files }).toEqual({ modules: ['vm'], files: 0 });
});

test.each([
  [command('TaskCreate'), ['--subject', 'A']],
  [command('TaskClaim'), ['--next']],
  [command('TaskList'), []],
  [executable('agent-shell'), ['sessions']],
  [executable('agent-shell'), ['state']],
  [executable('agent-shell'), ['hook']],
])('with lists in files %s %j loads no network', (file, argv) => {
  const loaded = programsIn()
    .run(file, ...argv)
    .loaded.join('\n');
  expect(loaded).toMatch(/NativeModule fs$/m);
  expect(loaded).not.toMatch(/NativeModule (http|https|tls|_http_client|_tls_wrap)$/m);
});

describe.runIf(isHere('/proc/self/io', existsSync('/proc/self/io')))('read calls of bash', () => {
  test.each([
    ['', 'echo hi'],
    ['f() { :; }', 'echo hi'],
    ['f() { :; }; alias a=b; trap : USR1; eval :', 'cd / && for n in 1 2; do test "$n" = 2; done'],
    ['set -x', '(exit 3)'],
    ['', `: '${'x'.repeat(4_000)}'`],
    [`: '${'x'.repeat(4_000_000)}'`, 'echo hi'],
  ])('row %#: a line makes 12 at most, whatever ran before it', async (before, line) => {
    const session = startSession();
    for (const first of [before, line]) await session.run(first);
    const count = () => {
      const io = readFileSync(`/proc/${session.pid}/io`, 'utf8');
      return Number(/^syscr: (\d+)/m.exec(io)?.[1]);
    };
    const begin = count();
    for (let lines = 0; lines < 10; lines += 1) await session.run(line);
    const calls = count() - begin;
    expect(calls).toBeGreaterThan(0);
    expect(calls / 10).toBeLessThanOrEqual(12);
  });
});

/** A router with a TodoWrite, whose bash ends with the test. */
const routerInBash = () =>
  new BashRouter({
    handlers: [new TodoWriteHandler(new TodoStore())],
    shell: (handlers) => startSession({ handlers: [...handlers.values()] }),
  });

describe.runIf(hasProc)('processes spawned by a line', () => {
  /** A process's page faults in children that have ended: it grows with each child, and only then. */
  const faultsOfChildren = (pid: number | 'self') => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[8]);
  };

  async function startRouter() {
    const router = routerInBash();
    // The first line starts bash and what watches it.
    const { stdout } = await router.route('echo $$');
    return { router, faults: () => [faultsOfChildren('self'), faultsOfChildren(Number(stdout))] };
  }

  test.each([
    ['an agent command', call(10)],
    ['an agent command that is refused', "TodoWrite '{}'"],
    ['a builtin', 'echo hi'],
    ['a builtin that fails', 'cd /nonexistent'],
    ['builtins that are composed', 'cd / && for n in 1 2; do test "$n" = 2 || echo "$n"; done'],
  ])('%s: none', async (_, line) => {
    const { router, faults } = await startRouter();
    const before = faults();
    for (let count = 0; count < 3; count++) await router.route(line);
    expect(faults()).toEqual(before);
  });

  test('a program: the count sees it', async () => {
    const { router, faults } = await startRouter();
    const [own = 0, ofBash = 0] = faults();
    await router.route('/bin/true');
    const [ownThen, ofBashThen] = faults();
    expect(ownThen).toBe(own);
    expect(ofBashThen).toBeGreaterThan(ofBash);
  });
});

test('the schema is built once, however many lists it refuses', async () => {
  const handler = new TodoWriteHandler(new TodoStore());
  const limits = { maxItems: 50, maxContentLength: 200 };
  const built = todoListSchema(limits);
  for (let done = 0; done < 20; done++) {
    const argv = [JSON.stringify({ todos: [...items(20, done), {}] })];
    expect((await handler.execute({ argv, stdin: async () => '' })).exitCode).toBe(1);
  }
  expect(todoListSchema(limits)).toBe(built);
});

test('the settings are looked up once by each TodoWrite that leaves nothing to say', async () => {
  let lookups = 0;
  const settings = () => {
    lookups += 1;
    return { settings: DEFAULT_SETTINGS, warnings: [] };
  };
  const router = new BashRouter({ handlers: [new TodoWriteHandler(new TodoStore(), settings)] });
  lookups = 0;
  for (const calls of [1, 2]) {
    await router.route(call(10));
    expect(lookups).toBe(calls);
  }
  await router.dispose();
});

test('each variable is looked up once per call, and unchanged ones are not parsed again', () => {
  const names: string[] = [];
  const get = (_: unknown, name: string) => void names.push(name);
  const environment = new Proxy<Record<string, string>>({}, { get });
  const settings = settingsOfCalls(environment, () => '/nonexistent');
  const reading = settings({});
  expect(names.length).toBe(new Set(names).size);
  expect(settings({})).toBe(reading);
  names.length = 0;
  settingsOfCalls(environment, () => '/nonexistent', true)({});
  expect(names.length).toBeLessThanOrEqual(9);
  expect(readSettings({ TODO_MAX_ITEMS: '3' }, undefined).settings.maxItems).toBe(3);
});

test('a TodoWrite in process makes no more promises than it has steps that may have to wait', async () => {
  const router = new BashRouter({ handlers: [new TodoWriteHandler(new TodoStore())] });
  await router.route(call(10));
  let promises = 0;
  const hook = createHook({
    init: (_, type) => {
      if (type === 'PROMISE') promises += 1;
    },
  });
  hook.enable();
  await router.route(call(10, 1));
  hook.disable();
  expect(promises).toBeLessThanOrEqual(32);
  await router.dispose();
});

test('the texts of a list are not read after a line without a due reminder', () => {
  let looks = 0;
  const item = {
    get content() {
      looks += 1;
      return 'Write';
    },
    activeForm: 'Writing',
    status: 'in_progress' as const,
  };
  const list = { items: [item], updatedAt: new Date(0), version: 1, by: 'main' };
  const guide = new Guide({ store: { get: () => list } });
  guide.commandStarted('ls', CommandType.NATIVE_SHELL_COMMAND);
  expect(guide.commandEnded(0)).toEqual([]);
  expect(looks).toBe(0);
});

test('an update of the panel reads none of the versions before', () => {
  let read = 0;
  class CountingPlace extends MemoryPlace<readonly TodoItem[]> {
    override *history() {
      for (const version of super.history()) {
        read += 1;
        yield version;
      }
    }
  }
  const store = new TodoStore(() => new Date(0), new CountingPlace());
  for (let done = 0; done < 20; done++) store.update(items(50, done));
  const terminal = new VirtualTerminal(80, 24);
  terminal.isTTY = true;
  const panel = new TaskPanel({ store, stream: terminal, env: {}, clock: new FakeClock() });
  read = 0;
  store.update(items(50, 20));
  panel.dispose();
  expect(read).toBe(0);
});

test.runIf(hasProc)('300 commits leave no descriptor open', () => {
  const folder = join(temporaryDirectory(), 'agent');
  const store = new TodoStore(undefined, new FilePlace({ folder }));
  const commit = (count: number) => store.update(items(1 + (count % 2)));
  commit(0);
  const before = fs.readdirSync('/proc/self/fd').length;
  for (let count = 1; count <= 300; count++) commit(count);
  expect(fs.readdirSync('/proc/self/fd').length).toBe(before);
});

// The version, and its name. Without either a power cut would take what the agent was told is saved.
const DURABLE = { fsyncSync: 2, renameSync: 1 };
const write = (done: number) => ['TodoWrite', JSON.stringify(items(2, done))] as const;
const claim = ['TaskClaim', '--next'] as const;
const TASKS = JSON.stringify(['one', 'two', 'three'].map((subject) => ({ subject })));

// Without git, that the folder has lists is looked up first. The disk decides how long a durable commit takes. By the last call the list is there.
test.each([
  ['TodoWrite saves twice', [write(0), write(1), write(2)], { ...DURABLE, readdirSync: 3 }],
  ['TaskClaim saves twice', [['TaskCreate', TASKS], claim, claim], { ...DURABLE, readdirSync: 2 }],
  [
    'TaskClaim with news saves twice',
    [['TaskCreate', TASKS], claim, ['TaskUpdate', '2', '--owner', 'main', '--agent', 'ann'], claim],
    { ...DURABLE, readdirSync: 2 },
  ],
  ['TodoRead writes nothing', [write(0), ['TodoRead'], ['TodoRead']], { readdirSync: 2 }],
] as const)(
  'on PATH a %s, makes no folder that is there, and lists its own folder only',
  async (_, calls, counts) => {
    const { run, before } = programsIn();
    for (const [name, ...argv] of calls.slice(0, -1)) {
      expect((await before(name, ...argv)).exitCode).toBe(0);
    }
    const [name, ...argv] = calls.at(-1) as (typeof calls)[number];
    expect(run(command(name), ...argv)).toMatchObject({ exitCode: 0, counts });
  },
);

test('an agent command in bash looks for as many files, however many slots there are', async () => {
  const router = routerInBash();
  const line = `:; ${call(2)}`;
  await router.route(line);
  const spy = vi.spyOn(fs, 'existsSync');
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  expect((await router.route(line)).exitCode).toBe(0);
  const looks = spy.mock.calls.map(([path]) => String(path));
  expect(looks.length).toBeGreaterThan(0);
  expect(looks.filter((path) => path.includes('slot-'))).toEqual([]);
  expect(looks.length).toBeLessThanOrEqual(6);
});

test('a line for bash looks for no program', async () => {
  const router = routerInBash();
  await router.route('echo hi');
  const spy = vi.spyOn(fs, 'accessSync');
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  expect((await router.route('echo hi')).stdout).toBe('hi\n');
  const looks = spy.mock.calls.map(([path]) => String(path));
  expect(looks.filter((path) => path.endsWith('/bash'))).toEqual([]);
});
