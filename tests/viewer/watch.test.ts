import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FilePlace } from '../../src/lists/file-place.ts';
import { ENTRIES_KEPT, type LogEntry, LogPlace } from '../../src/lists/log-place.ts';
import { TASK_STEPS, type TaskStep } from '../../src/tasks/stored-tasks.ts';
import { createTasks, type NewTask } from '../../src/tasks/task-create.ts';
import type { TaskChanges } from '../../src/tasks/task-fields.ts';
import { TaskStore } from '../../src/tasks/task-store.ts';
import { updateTask } from '../../src/tasks/update-task.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { parseWatchArguments } from '../../src/viewer/watch-arguments.ts';
import { eventually } from '../helpers/eventually.ts';
import { cleanEnvironment, executable, startProgram } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { listFolder, taskListFolder } from '../helpers/list-folders.ts';
import { isAlive, usageOf } from '../helpers/processes.ts';
import { hasTmux, TmuxTerminal } from '../helpers/tmux.ts';
import { LEADER } from '../tasks/tasks.ts';
import { todo } from '../todo/call.ts';

/** Not on a terminal. */
function watch(state: string, ...argv: string[]) {
  const env = cleanEnvironment({ TODO_STATE_DIR: state });
  return startProgram(executable('agent-shell'), ['watch', ...argv], { cwd: state, env });
}

function storeOf(state: string, agent: string): TodoStore {
  const folder = listFolder(state, { session: 's', agent });
  return new TodoStore(undefined, new FilePlace({ folder, author: agent }));
}

/** Adds and changes tasks of the team of session `s` so many minutes ago, in the order of the calls. */
function teamOf(state: string) {
  let now = new Date();
  const folder = taskListFolder(state, 's');
  const entries = new FilePlace<LogEntry<TaskStep>>({ folder, history: ENTRIES_KEPT });
  const store = new TaskStore(new LogPlace(entries, TASK_STEPS), () => now);
  return async (minutes: number, ...changes: (NewTask | TaskChanges)[]) => {
    now = new Date(Date.now() - minutes * 60_000);
    for (const change of changes) {
      await store.change((graph, at) =>
        'taskId' in change
          ? updateTask(graph, change, LEADER, at)
          : createTasks(graph, [change], at),
      );
    }
  };
}

/** Makes a damaged version the newest one of a list. */
function breakNewest(folder: string): void {
  writeFileSync(join(folder, '9-broken00.json'), '');
  writeFileSync(join(folder, 'head-9-broken00'), '');
}

test('--jsonl prints the current list and then every version, one JSON line each, until a signal', async () => {
  const state = temporaryDirectory();
  const store = storeOf(state, 'main');
  store.update([todo('long before')]);
  store.update([todo('before')]);
  const { lines, child, ended } = watch(state, '--session', 's', '--jsonl');
  await eventually('the list as it stands', () => lines().length === 1);
  for (const content of ['a', 'b', 'c']) store.update([todo(content)]);
  await eventually('all versions', () => lines().length === 4);
  const versions = lines().map((line) => JSON.parse(line));
  expect(versions.map(({ version }) => version)).toEqual([2, 3, 4, 5]);
  expect(versions[3]).toEqual({
    session: 's',
    agent: 'main',
    todos: [todo('c')],
    updatedAt: store.get().updatedAt.toISOString(),
    version: 5,
  });
  child.kill('SIGINT');
  expect((await ended).exitCode).toBe(130);
});

test('without the id of a harness the lists of all its sessions are watched, including later ones', async () => {
  const state = temporaryDirectory();
  storeOf(state, 'main@one').update([todo('a')]);
  storeOf(state, 'helper').update([todo('b')]);
  const { lines } = watch(state, '--session', 's');
  await eventually('the first', () => lines().length === 1);
  storeOf(state, 'main@two').update([todo('c')]);
  await eventually('the second', () => lines().length === 2);
  expect(lines().map((line) => line.split(':')[0])).toEqual(['main@one', 'main@two']);
});

test('without a terminal each change is a line of words; --all follows every agent of the session, later ones included', async () => {
  const state = temporaryDirectory();
  const store = storeOf(state, 'main');
  store.update([todo('a')]);
  const one = watch(state, '--session', 's');
  const all = watch(state, '--session', 's', '--all');
  await eventually('the list', () => one.lines().length === 1 && all.lines().length === 1);
  store.update([{ ...todo('a'), status: 'completed' }]);
  await eventually('the change', () => one.lines().length === 2 && all.lines().length === 2);
  expect(one.lines()).toEqual(['Tasks 0/1: added: a', 'Tasks 1/1: completed: a']);
  storeOf(state, 'bob').update([todo('b')]);
  await eventually('the list of bob', () => all.lines().length === 3);
  expect(all.lines()).toEqual([
    ...one.lines().map((line) => `main: ${line}`),
    'bob: Tasks 0/1: added: b',
  ]);
});

test("--tasks prints each change of the team's tasks, a line each, and reports damage", async () => {
  const state = temporaryDirectory();
  const minutesAgo = teamOf(state);
  await minutesAgo(60, { subject: 'Parse' }, { subject: 'Print' });
  const words = watch(state, '--session', 's', '--tasks');
  const json = watch(state, '--list', 's', '--tasks', '--jsonl');
  await eventually('the tasks', () => words.lines().length === 1 && json.lines().length === 1);
  await minutesAgo(0, { taskId: 1, status: 'in_progress', owner: 'ann' });
  await eventually('the claim', () => words.lines().length === 2 && json.lines().length === 2);
  expect(words.lines()).toEqual([
    'Team tasks 0/2: added: #1 Parse; added: #2 Print',
    'Team tasks 0/2: in progress: #1 Parse (ann)',
  ]);
  // Only the task that has changed.
  expect(JSON.parse(json.lines()[1] ?? '')).toMatchObject({
    version: 3,
    changed: [{ id: 1, status: 'in_progress', owner: 'ann' }],
    deleted: [],
  });
  breakNewest(taskListFolder(state, 's'));
  await eventually('the trouble', () => words.said.stderr.includes('9-broken00.json is damaged'));
  await expect(minutesAgo(0, { taskId: 2, subject: 'Show' })).rejects.toThrow('stands in');
});

test.each([
  [['--all', '--agent', 'x'], '--all and --agent cannot be combined'],
  [['--tasks', '--all'], '--tasks shows the tasks of all agents; it excludes --all and --agent'],
  [['--list', 'l'], '--list needs --tasks'],
  [
    ['--web', '--jsonl'],
    '--web shows a whole session; it excludes --all, --agent, --tasks and --jsonl',
  ],
  [['--port', '1'], '--port needs --web'],
  [['--session'], '--session needs a name'],
  [['here'], "watch takes no argument 'here'"],
])('wrong usage: %j', (argv, problem) => {
  expect(parseWatchArguments(argv)).toEqual({ problem });
});

test('a list that cannot be read from the start: exit code 3, and stderr names the file', async () => {
  const state = temporaryDirectory();
  storeOf(state, 'main').update([todo('a')]);
  const folder = listFolder(state, { session: 's', agent: 'main' });
  const file = readdirSync(folder).find((name) => name.endsWith('.json')) ?? '';
  writeFileSync(join(folder, file), '');
  expect(await watch(state, '--session', 's', '--jsonl').ended).toMatchObject({
    exitCode: 3,
    stderr: expect.stringMatching(new RegExp(`^agent-shell: .*${file} is damaged`)),
  });
});

test('a list whose newest version is damaged is reported, shown as it was, and followed on', async () => {
  const state = temporaryDirectory();
  const store = storeOf(state, 'main');
  store.update([todo('a')]);
  const { lines, said } = watch(state, '--session', 's', '--jsonl');
  await eventually('the list', () => lines().length === 1);
  breakNewest(listFolder(state, { session: 's', agent: 'main' }));
  await eventually('the trouble', () => said.stderr.includes('9-broken00.json is damaged'));
  store.update([todo('b')]);
  await eventually('the mended list', () => lines().length === 3);
  const [, damaged, mended] = lines().map((line) => JSON.parse(line));
  expect(damaged).toMatchObject({ version: 9, todos: [todo('a')] });
  expect(mended).toMatchObject({ version: 10, todos: [todo('b')] });
});

describe.skipIf(!hasTmux)('on a terminal', () => {
  /** Started from a bash, to see what it leaves behind. */
  async function watchOnTerminal(state: string, argv: string, size = {}): Promise<TmuxTerminal> {
    const terminal = new TmuxTerminal(`PS1='outer> ' bash --norc`, { cwd: state, ...size });
    await terminal.until('the outer prompt', (screen) => screen.includes('outer>'));
    const program = `${process.execPath} ${executable('agent-shell')}`;
    terminal.enter(`clear; TODO_STATE_DIR=${state} ${program} watch --session s ${argv}`);
    return terminal;
  }

  /** The viewer of a list of one item, once it shows. */
  async function viewerOf(argv = '') {
    const state = temporaryDirectory();
    const store = storeOf(state, 'main');
    store.update([todo('Build')]);
    const terminal = await watchOnTerminal(state, argv);
    await terminal.until('the list', (screen) => screen.includes('Build'));
    return { state, store, terminal };
  }

  test('the viewer waits for a list, shows it on the whole screen, its progress in the title, and gives the screen back, to Ctrl-Z too; with --bell the bell rings once all is completed', async () => {
    const state = temporaryDirectory();
    const terminal = await watchOnTerminal(state, '--bell');
    await terminal.until('the placeholder', (screen) =>
      screen.includes('Waiting for the list of agent main in session s.'),
    );
    const store = storeOf(state, 'main');
    store.update([todo('Build')]);
    await terminal.until('the list', (screen) => screen.includes('○ Build'));
    const written = terminal.record();
    const titleIs = (title: string) =>
      eventually(title, () => terminal.ask('#{pane_title}') === title);
    store.update([{ ...todo('Build'), status: 'completed' }]);
    await titleIs('✓ 1/1 main · s');
    await eventually('the bell', () => written().includes('\x07'));
    // Right after the frame that shows it.
    expect(written()).toMatch(/✓ 1\/1(?:(?!\x1b\[\?2026h).)*\x07/s);
    store.update([{ ...todo('Build'), status: 'completed' }, todo('Ship')]);
    await terminal.until('the change', (screen) => /✓ Build.*\n.*○ Ship/.test(screen));
    await titleIs('1/2 main · s');
    expect(written().match(/\x07/g)).toHaveLength(1);
    terminal.press('C-z');
    const outside = await terminal.until('the prompt', (screen) => /outer>$/.test(screen));
    expect(outside).not.toContain('Build');
    await terminal.resize(50, 12);
    terminal.enter('clear; fg');
    // A stopped program is not told that its terminal has shrunk.
    await terminal.until('the header to its end', (screen) =>
      /^main · s +updated .* ago\n[\s\S]*✓ Build/.test(screen),
    );
    terminal.press('q');
    const last = await terminal.until('the prompt', (screen) => screen.endsWith('outer>'));
    expect(last).not.toContain('Build');
    expect(terminal.cursorIsVisible).toBe(true);
  });

  test('a screen that was resized is drawn again for its size, even if its old size is back', async () => {
    const { terminal } = await viewerOf();
    await terminal.resize(30, 8);
    await terminal.until('a small screen', (screen) => /^main +0\/1 .*\n▸○ Build$/.test(screen));
    writeFileSync(terminal.ask('#{pane_tty}'), '\x1b[8HCUT');
    await terminal.until('a screen that was changed', (screen) => screen.includes('CUT'));
    process.kill(terminal.child, 'SIGWINCH');
    await terminal.until('the list again', (screen) => !screen.includes('CUT'));
    terminal.press('q');
  });

  test('a signal ends it even if its terminal is not read', async () => {
    const { terminal } = await viewerOf();
    const [viewer, server] = [terminal.child, Number(terminal.ask('#{pid}'))];
    const { O_NOCTTY, O_NONBLOCK, O_RDWR } = constants;
    const device = openSync(terminal.ask('#{pane_tty}'), O_NOCTTY | O_NONBLOCK | O_RDWR);
    process.kill(server, 'SIGSTOP');
    try {
      // As much as the system buffers for a reader.
      expect(() => {
        for (;;) writeSync(device, 'x'.repeat(1024));
      }).toThrow('EAGAIN');
      const size = ['rows', '300', 'columns', '60'];
      spawnSync('stty', size, { stdio: [device, 'ignore', 'inherit'] });
      process.kill(viewer, 'SIGHUP');
      await eventually('its end', () => !isAlive(viewer));
    } finally {
      process.kill(server, 'SIGCONT');
      closeSync(device);
    }
  });

  test('so it does where each change is printed', async () => {
    const { store, terminal } = await viewerOf('--jsonl');
    const [child, server] = [terminal.child, Number(terminal.ask('#{pid}'))];
    process.kill(server, 'SIGSTOP');
    try {
      // Together many times the system's buffer.
      const items = Array.from({ length: 50 }, (_, at) => todo(`${at} ${'x'.repeat(190)}`));
      for (let count = 0; count < 60; count++) {
        store.update(items);
        store.update([]);
      }
      const looks: number[] = [];
      await eventually('it can write no more', () => {
        looks.push(usageOf(child).writtenBytes);
        return looks.length > 20 && new Set(looks.slice(-20)).size === 1;
      });
      process.kill(child, 'SIGTERM');
      await eventually('its end', () => !isAlive(child));
    } finally {
      process.kill(server, 'SIGCONT');
    }
  });

  test('--all shows the lists side by side, later ones included', async () => {
    const { state, terminal } = await viewerOf('--all');
    storeOf(state, 'bob').update([todo('Review')]);
    await terminal.until('both lists', (screen) =>
      /bob .*│.*main .*\n.*○ Review .*│.*○ Build/.test(screen),
    );
  });

  test("--tasks shows the team's board, with times that begin where the tasks did", async () => {
    const state = temporaryDirectory();
    const minutesAgo = teamOf(state);
    await minutesAgo(185, { subject: 'Parse' }, { subject: 'Print' });
    await minutesAgo(125, { taskId: 1, status: 'in_progress', owner: 'ann' });
    await minutesAgo(65, { taskId: 2, status: 'in_progress', owner: 'bob' });
    // Another change of a task is no change of its status.
    await minutesAgo(30, { taskId: 2, subject: 'Print all' });
    await minutesAgo(20, { taskId: 1, status: 'completed' });
    const terminal = await watchOnTerminal(state, '--tasks', { columns: 100 });
    const screen = await terminal.until('the board', (text) => text.includes('ann · '));
    expect(screen).toMatch(/^Team tasks · s .* {2}updated 2\dm ago\n/);
    expect(screen).toMatch(/bob · 1h 0[5-9]m/);
    expect(screen).toMatch(/ann · 2\dm ago/);
    await minutesAgo(0, { taskId: 2, status: 'completed' });
    await terminal.until('the end of the task', (text) => /bob · \ds ago/.test(text));
    expect(terminal.screen()).toContain('Completed 2');
  });
});
