import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FilePlace } from '../../src/state/file-place.ts';
import { listFolder, taskListFolder } from '../../src/state/list-paths.ts';
import { openTaskStore } from '../../src/tasks/open-task-store.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { cleanEnvironment, run } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { todos } from '../panel/todos.ts';

function write(
  state: string,
  session: string,
  agent: string,
  secondsAgo: number,
  ...lines: string[]
) {
  const folder = listFolder(state, { session, agent });
  const at = new Date(Date.now() - secondsAgo * 1000);
  new TodoStore(() => at, new FilePlace({ folder, author: agent })).update(todos(...lines));
}

function sessions(state: string, ...argv: string[]) {
  const env = cleanEnvironment({ TODO_STATE_DIR: state, HOME: '/home/ann' });
  return run('agent-shell', ['sessions', ...argv], { cwd: state, env });
}

test('each list is a line: session, agent, progress, age and item in progress, latest first', () => {
  const state = temporaryDirectory();
  write(state, '/home/ann/app', 'main', 7300, 'x a', '> b', '- c');
  write(state, 'other', 'bob', 200, 'x a');
  expect(sessions(state)).toEqual({
    stdout: [
      'SESSION  AGENT  DONE  CHANGED    IN PROGRESS',
      'other    bob    1/1   3 min ago',
      '~/app    main   1/3   2 h ago    Doing b',
      '',
    ].join('\n'),
    stderr: '',
    exitCode: 0,
  });
});

test('--json has the same, with whole paths and times', () => {
  const state = temporaryDirectory();
  write(state, '/home/ann/app', 'main', 60, 'x a', '> b', '- c');
  const { sessions: found } = JSON.parse(sessions(state, '--json').stdout);
  expect(found).toEqual([
    {
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
    },
  ]);
});

test("the tasks of a team are a line of their session's", async () => {
  const state = temporaryDirectory();
  write(state, 's', 'main', 60, '> b');
  const store = openTaskStore({ folder: taskListFolder(state, 's') });
  await store.change((_graph, at) => ({
    graph: {
      nextId: 2,
      tasks: new Map([
        [
          1,
          {
            id: 1,
            subject: 'Ship',
            description: '',
            status: 'in_progress' as const,
            blocks: [],
            blockedBy: [],
            createdAt: at,
            updatedAt: at,
          },
        ],
      ]),
    },
  }));
  const lines = sessions(state).stdout.split('\n');
  expect(lines[2]).toMatch(/^s +\(team\) +0\/1 +\d+ s ago +Ship$/);
});

test('without lists it says so; files and folders without lists are left out', () => {
  const state = temporaryDirectory();
  expect(sessions(state).stdout).toBe(`No lists in ${state}.\n`);
  writeFileSync(join(state, 'file'), '');
  mkdirSync(join(state, 's'));
  expect(sessions(state)).toMatchObject({ stdout: `No lists in ${state}.\n`, exitCode: 0 });
});

test('a damaged list is listed as that, with what stands in for it if there is any', () => {
  const state = temporaryDirectory();
  for (const [session, content] of [
    ['a', '> build'],
    ['b', '> test'],
  ] as const) {
    write(state, session, 'main', 60, content);
  }
  const folder = (session: string) => listFolder(state, { session, agent: 'main' });
  writeFileSync(join(folder('a'), 'head-9-broken00'), '');
  const file = readdirSync(folder('b')).find((name) => name.endsWith('.json')) ?? '';
  writeFileSync(join(folder('b'), file), 'x');
  const tasks = new FilePlace<string>({ folder: taskListFolder(state, 'c') });
  tasks.commit(0, 'no change to tasks', new Date());
  const { stdout } = sessions(state);
  expect(stdout).toMatch(/^a +main +0\/1 .* damaged: \S*9-broken00\.json is missing/m);
  expect(stdout).toMatch(new RegExp(`^b +main +0/0 .* damaged: \\S*${file} is damaged`, 'm'));
  expect(stdout).toMatch(/^c +\(team\) +0\/0 +damaged: .* it holds no change to tasks$/m);
  const { sessions: found } = JSON.parse(sessions(state, '--json').stdout);
  expect(found).toContainEqual({
    session: 'b',
    lists: [expect.objectContaining({ damaged: expect.stringContaining(file) })],
  });
});

test('a damaged list is listed as that, and so is one of which nothing can be shown', () => {
  const state = temporaryDirectory();
  const spoil = (session: string, name: RegExp, spoilt: (path: string) => void) => {
    write(state, session, 'main', 60, '> build');
    const folder = listFolder(state, { session, agent: 'main' });
    const path = join(folder, readdirSync(folder).find((file) => name.test(file)) ?? '');
    rmSync(path);
    spoilt(path);
  };
  spoil('a', /^head-/, () => {});
  spoil('b', /json$/, (path) => mkdirSync(path));
  const { stdout } = sessions(state);
  expect(stdout).toMatch(/^a +main +0\/1 .* damaged: .* no head-/m);
  expect(stdout).toMatch(/^b +main +0\/0 .* damaged: .* not a regular file$/m);
});

test('text of a list is text, whatever it holds', () => {
  const state = temporaryDirectory();
  write(state, 's\x1b]0;x\x07', 'a\u202eb', 60, '> \x1b[31mred');
  expect(sessions(state).stdout).not.toMatch(/[\x1b\x07\u202e]/);
  expect(sessions(state, '--json').stdout).not.toMatch(/[\x1b\x07\u202e]/);
});

test('a word or option that it does not know is wrong usage', () => {
  const state = temporaryDirectory();
  for (const word of ['--bogus', 'all']) {
    expect(sessions(state, word)).toMatchObject({ stdout: '', exitCode: 2 });
  }
  expect(sessions(state, '--help').stdout).toMatch(/^Usage: agent-shell sessions/);
});
