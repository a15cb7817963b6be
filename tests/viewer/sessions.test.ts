import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FilePlace } from '../../src/lists/file-place.ts';
import { sessionKey } from '../../src/lists/list-paths.ts';
import { FolderStorage } from '../../src/lists/storage.ts';
import { claimTask } from '../../src/tasks/claims.ts';
import { createTasks } from '../../src/tasks/task-create.ts';
import { openTaskStore } from '../../src/tasks/task-store.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { sessionsCommand } from '../../src/viewer/sessions.ts';
import { cleanEnvironment, executable, run } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { listFolder, taskListFolder } from '../helpers/list-folders.ts';
import { ok } from '../helpers/replies.ts';
import { describeOn, useServers } from '../helpers/servers.ts';
import { hasTmux, TmuxTerminal } from '../helpers/tmux.ts';
import { todos } from '../screen/panel/todos.ts';

function write(state: string, session: string, agent: string, ago: number, ...lines: string[]) {
  const folder = listFolder(state, { session, agent });
  const at = new Date(Date.now() - ago * 1000);
  new TodoStore(() => at, new FilePlace({ folder, author: agent })).update(todos(...lines));
}

/** In this process. */
async function sessions(state: string, ...argv: string[]) {
  vi.stubEnv('HOME', '/home/ann');
  onTestFinished(() => void vi.unstubAllEnvs());
  return sessionsCommand(argv, cleanEnvironment({ TODO_STATE_DIR: state }));
}

/** A command of agent-shell on a terminal, which stays open after it. */
function onTerminal(state: string, command: string, columns?: number): TmuxTerminal {
  const program = `HOME=/home/ann TODO_STATE_DIR=${state} ${process.execPath} ${executable('agent-shell')}`;
  return new TmuxTerminal(`${program} ${command}; echo "code $?"; sleep 60`, { columns });
}

test('each list is a line: session, agent, progress, age and item in progress, latest first; --json has whole paths and times', async () => {
  const state = temporaryDirectory();
  expect((await sessions(state)).stdout).toBe(`No lists in ${state}.\n`);
  writeFileSync(join(state, 'file'), '');
  mkdirSync(join(state, 'empty'));
  write(state, '/home/ann/app', 'main', 7300, 'x a', '> b', '- c');
  write(state, 'other', 'bob', 185, 'x a');
  write(state, 's\x1b]0;x\x07', 'a\u202eb', 86_400, '> \x1b[31mred');
  const team = openTaskStore({ folder: taskListFolder(state, 'other') });
  await team.change((graph, at) => createTasks(graph, [{ subject: 'Ship' }], at));
  await team.change((graph, at) => claimTask(graph, 1, { agent: 'ann', checkBusy: false }, at));
  // As desktops leave them behind.
  for (const folder of ['other', 'tasks~']) writeFileSync(join(state, folder, '.DS_Store'), '');
  const { stdout, ...rest } = await sessions(state);
  expect(rest).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout.split('\n')).toEqual([
    'SESSION  AGENT   DONE  CHANGED  IN PROGRESS',
    'other    bob     1/1   3m ago',
    expect.stringMatching(/^other {4}\(team\) {2}0\/1 {3}\d+s ago +Ship$/),
    '~/app    main    1/3   2h ago   Doing b',
    's␛]0;x␇  ab      0/1   24h ago  Doing ␛[31mred',
    '',
  ]);
  const env = cleanEnvironment({ TODO_STATE_DIR: state, HOME: '/home/ann' });
  const json = run('agent-shell', ['sessions', '--json'], { cwd: state, env }).stdout;
  expect(json).not.toMatch(/[\x1b\x07\u202e]/);
  expect(JSON.parse(json).sessions[1]).toEqual({
    session: '/home/ann/app',
    lists: [
      {
        agent: 'main',
        completed: 1,
        in_progress: 1,
        pending: 1,
        doing: 'Doing b',
        updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        version: 1,
      },
    ],
  });
});

test.skipIf(!hasTmux)('on a terminal the table takes all columns but the last', async () => {
  const state = temporaryDirectory();
  write(state, 's', 'main', 60, '> 012345678 890');
  const terminal = onTerminal(state, 'sessions', 50);
  await terminal.until('the table', (screen) => /^s .* Doing 012345678\n {31}890$/m.test(screen));
});

describe('removal', () => {
  const DAY = 86_400;
  /** A session of two agents and a team, an old one, and one that is being written. */
  async function full(): Promise<string> {
    const state = temporaryDirectory();
    write(state, '/home/ann/app', 'main', 3600, '> b');
    write(state, '/home/ann/app', 'bob', 120, 'x a');
    const team = openTaskStore({ folder: taskListFolder(state, '/home/ann/old') });
    await team.change((graph) => ({ graph: { ...graph, nextId: 2 } }));
    write(state, '/home/ann/old', 'main', 40 * DAY, 'x a');
    // However long the test takes.
    write(state, 'busy', 'main', -DAY, '> c');
    return state;
  }
  const left = (state: string) => {
    const storage = new FolderStorage({ folder: state });
    const found = [...storage.find('todos'), ...storage.find('tasks')];
    return found.map(({ path: [kind, session, agent] }) => `${session} ${agent ?? kind}`).sort();
  };

  test('a session of a long name, as Chinese ones are in files, is shown by its beginning, and removed by either name', async () => {
    const state = temporaryDirectory();
    const long = `/home/ann/项目/${'登录系统重构'.repeat(3)}`;
    for (const end of ['一', '二']) write(state, long + end, 'main', 7300, '> b');
    const { stdout } = await sessions(state);
    const [one = ''] = /^~\/项目\/登录系统重~[\da-f]{8}(?= {2}main)/m.exec(stdout) ?? [];
    expect(await sessions(state, '--remove', one, '--yes')).toEqual(ok('Removed 1 list.\n'));
    const both = await Promise.all(
      ['一', '二'].map((end) => sessions(state, '--remove', long + end, '--yes')),
    );
    expect(both.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1]);
  });

  test('--remove removes the lists of a session, by its name or as it is shown, --older those unchanged for that long', async () => {
    const state = await full();
    expect(await sessions(state, '--remove', '~/app', '--yes')).toEqual(ok('Removed 2 lists.\n'));
    expect(left(state)).toEqual(['/home/ann/old main', '/home/ann/old tasks', 'busy main']);
    expect(readdirSync(state).sort().join()).not.toContain('app');
    expect(await sessions(state, '--remove', '~/app', '--yes')).toMatchObject({ exitCode: 1 });
    expect((await sessions(state, '--older', '30d', '--yes')).stdout).toBe('Removed 1 list.\n');
    expect(left(state)).toEqual(['/home/ann/old tasks', 'busy main']);
    expect(await sessions(state, '--older', '30d', '--yes')).toMatchObject({
      stdout: '',
      exitCode: 0,
    });
  });

  test('damaged tasks of a team are as old as their last change', async () => {
    const state = temporaryDirectory();
    const tasks = new FilePlace<string>({ folder: taskListFolder(state, 'c') });
    tasks.commit(0, 'no change to tasks', new Date());
    expect((await sessions(state, '--older', '1d', '--yes')).stdout).toBe('');
    expect(left(state)).toEqual(['c tasks']);
  });

  test('a list of a newer program, which cannot be read, can be removed', async () => {
    const state = temporaryDirectory();
    write(state, 'a', 'main', DAY, '> b');
    const folder = listFolder(state, { session: 'a', agent: 'main' });
    const file = join(folder, readdirSync(folder).find((name) => name.endsWith('json')) ?? '');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"format":1', '"format":2'));
    expect((await sessions(state)).stdout).toContain('this program reads format 1 only');
    const yesterday = new Date(Date.now() - 1000 * DAY);
    utimesSync(folder, yesterday, yesterday);
    expect(await sessions(state, '--remove', 'a', '--yes')).toEqual(ok('Removed 1 list.\n'));
  });

  test('one that cannot be removed, such as a link that others put there, keeps no older one', async () => {
    const state = temporaryDirectory();
    write(state, 'old', 'main', 3 * DAY, '> b');
    const others = temporaryDirectory();
    const main = join(others, 'main');
    mkdirSync(main);
    symlinkSync(others, join(state, 'a'));
    const before = new Date(Date.now() - 2000 * DAY);
    utimesSync(main, before, before);
    expect(await sessions(state, '--older', '1d', '--yes')).toEqual({
      stdout: 'Removed 1 list.\n',
      stderr: expect.stringContaining('/a is a symbolic link'),
      exitCode: 3,
    });
    expect(left(state)).toEqual(['a main']);
  });

  test('a list that is being written is left alone', async () => {
    const state = await full();
    expect(await sessions(state, '--remove', 'busy', '--yes')).toEqual({
      stdout: 'Removed 0 lists.\n',
      stderr: 'agent-shell: busy main is in use; it was left alone\n',
      exitCode: 1,
    });
    const folder = listFolder(state, { session: '/home/ann/app', agent: 'bob' });
    const storage = new FolderStorage({ folder: state });
    const [found] = storage.find(sessionKey('/home/ann/app'));
    write(state, '/home/ann/app', 'bob', 0, '- new');
    // The version has changed since.
    expect(storage.remove(found?.key ?? '', 0)).toBe(false);
    expect(new FilePlace({ folder }).load()?.content).toEqual(todos('- new'));
  });

  test('without a terminal nothing is removed that was not agreed to, nor by a wrong use', async () => {
    const state = await full();
    for (const argv of [
      ['--remove', '~/app'],
      ['--older', 'soon', '--yes'],
      ['--remove', '~/app', '--older', '1d', '--yes'],
      ['--yes'],
      ['all'],
    ]) {
      expect(await sessions(state, ...argv), argv.join(' ')).toMatchObject({
        stdout: '',
        exitCode: 2,
      });
    }
    expect(left(state)).toHaveLength(5);
  });

  test.skipIf(!hasTmux)('on a terminal it lists the lists to remove, and asks', async () => {
    const state = await full();
    const terminal = onTerminal(state, "sessions --remove '~/app'");
    await terminal.until('the question', (screen) =>
      /^~\/app bob\n~\/app main\nRemove 2 lists, with their history\? \[y\/N\]$/.test(screen),
    );
    terminal.enter('n');
    await terminal.until('its end', (screen) => screen.endsWith('code 1'));
    expect(left(state)).toHaveLength(5);
  });

  test.skipIf(!hasTmux)(
    'where one cannot be removed, it still says what was left alone and how many were removed',
    async () => {
      const state = await full();
      write(state, '/home/ann/app', 'main', -DAY, '> b');
      write(state, '/home/ann/app', 'old', 3 * DAY, '> c');
      const terminal = onTerminal(state, "sessions --remove '~/app'");
      await terminal.until('the question', (screen) => screen.endsWith('[y/N]'));
      rmSync(listFolder(state, { session: '/home/ann/app', agent: 'old' }), { recursive: true });
      terminal.enter('y');
      await terminal.until('its end', (screen) =>
        /app main is in use; it was left alone\nagent-shell: cannot remove .*\nRemoved 1 list\.\ncode 3$/s.test(
          screen,
        ),
      );
    },
  );

  test.skipIf(!hasTmux)('D removes a session in the viewer, after a question', async () => {
    const state = await full();
    const terminal = onTerminal(state, 'watch --session busy', 100);
    await terminal.until('the list', (screen) => screen.includes('Doing c'));
    terminal.type('s');
    await terminal.until('the sessions', (screen) => /^▸? +old · .*\+?main/m.test(screen));
    terminal.type('/busy');
    terminal.press('Enter');
    await terminal.until('the one', (screen) =>
      /sessions\n\n▸ busy · Doing c.* main .*\n\n/.test(screen),
    );
    terminal.type('Dy');
    await terminal.until('it is busy', (screen) =>
      screen.endsWith('In use, left alone: main in busy'),
    );
    terminal.press('Escape');
    await terminal.until('all again', (screen) => screen.includes('old · '));
    terminal.press('End');
    terminal.type('D');
    await terminal.until('the question', (screen) =>
      screen.endsWith('Remove the 2 lists in app, with all history?  y / n'),
    );
    terminal.type('n');
    await terminal.until('it stays', (screen) => screen.includes('old · '));
    terminal.type('Dy');
    await terminal.until('it is gone, and the one beside it is selected', (screen) =>
      /^▸ old · .*Removed the lists of app$/ms.test(screen),
    );
    expect(left(state)).toEqual(['/home/ann/old main', '/home/ann/old tasks', 'busy main']);
  });
});

test('a damaged list is marked, and shows the version that stands in for it', async () => {
  const state = temporaryDirectory();
  for (const session of ['a', 'b']) write(state, session, 'main', 60, '> build');
  const folder = (session: string) => listFolder(state, { session, agent: 'main' });
  writeFileSync(join(folder('a'), 'head-9-broken00'), '');
  const file = readdirSync(folder('b')).find((name) => name.endsWith('json')) ?? '';
  writeFileSync(join(folder('b'), file), 'x');
  const tasks = new FilePlace<string>({ folder: taskListFolder(state, 'c') });
  tasks.commit(0, 'no change to tasks', new Date());
  const { stdout } = await sessions(state);
  expect(stdout).toMatch(/^a +main +0\/1 .* damaged: \S*9-broken00\.json is missing/m);
  expect(stdout).toMatch(new RegExp(`^b +main +0/0 .* damaged: \\S*${file} is damaged`, 'm'));
  expect(stdout).toMatch(/^c +\(team\) +0\/0 +\d+s ago +damaged: .* it holds no change to tasks$/m);
  const { sessions: found } = JSON.parse((await sessions(state, '--json')).stdout);
  expect(found).toContainEqual({
    session: 'b',
    lists: [expect.objectContaining({ damaged: expect.stringContaining(file) })],
  });
});

test('a list that is whole, but cannot be read here, is not called damaged', async () => {
  const state = temporaryDirectory();
  write(state, 'a', 'main', 60, '> build');
  const folder = listFolder(state, { session: 'a', agent: 'main' });
  const file = readdirSync(folder).find((name) => name.endsWith('json')) ?? '';
  writeFileSync(join(folder, file), '{"format":9,');
  expect((await sessions(state)).stdout).toMatch(/^a .* {2}unreadable: \S*json has format 9/m);
  const { sessions: found } = JSON.parse((await sessions(state, '--json')).stdout);
  expect(Object.keys(found[0].lists[0])).toContain('unreadable');
});

const servers = useServers();

describeOn(servers.one, (server) => {
  test('lists on a server are not removed, and nobody is asked whether to', async () => {
    const list = server().place('todos/there/ann', { author: 'ann', history: 50 });
    await list.commit(0, [], new Date());
    const there = cleanEnvironment({ TODO_STATE_URL: server().url });
    await expect(sessionsCommand(['--remove', 'there'], there)).rejects.toThrow(
      'lists on a server are removed there, with its own tools: docs/machines.md',
    );
  });
});
