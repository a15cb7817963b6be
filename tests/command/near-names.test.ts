import { spawnSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { nearName } from '../../src/command/near-names.ts';
import { BashRouter } from '../../src/router/bash-router.ts';

const COMMANDS = [
  'TodoWrite',
  'TodoRead',
  'TaskCreate',
  'TaskUpdate',
  'TaskList',
  'TaskGet',
  'TaskClaim',
];

test.each([
  ['todo_write', 'TodoWrite'],
  ['Todowrite', 'TodoWrite'],
  ['todowrite', 'TodoWrite'],
  ['todo-write', 'TodoWrite'],
  ['TodoWrit', 'TodoWrite'],
  ['TodoWrtie', 'TodoWrite'],
  ['TodoUpdate', 'TodoWrite'],
  ['TodoAdd', 'TodoWrite'],
  ['TodoList', 'TodoRead'],
  ['TaskDone', 'TaskUpdate'],
  ['TaskComplete', 'TaskUpdate'],
  ['tasklist', 'TaskList'],
  ['TasksList', 'TaskList'],
])('%s is nearly %s', (name, command) => {
  expect(nearName(name, COMMANDS)).toBe(command);
});

test.each([['TodoWrite'], ['todo'], ['task'], ['tasksel'], ['write'], ['TodoMVC']])(
  '%s is no slip',
  (name) => {
    expect(nearName(name, COMMANDS)).toBeUndefined();
  },
);

test('a command that is not there is not named', () => {
  expect(nearName('TaskDone', ['TodoWrite'])).toBeUndefined();
});

test('in a session the suggestion replaces the error, and nothing is run', async () => {
  const router = new BashRouter();
  onTestFinished(() => router.dispose());
  expect(await router.route(`todo_write '{"todos":[]}'`)).toMatchObject({
    stdout: '',
    stderr: 'todo_write: command not found; did you mean TodoWrite?\n',
    exitCode: 127,
  });
  expect((await router.route('todo_write x; Todo_Read')).stderr).toBe(
    'todo_write: command not found; did you mean TodoWrite?\nTodo_Read: command not found; did you mean TodoRead?\n',
  );
  expect((await router.route('nothing_like_it')).stderr).toMatch(
    /^bash: .*nothing_like_it: command not found\n$/,
  );
  expect((await router.route('todowrite() { echo mine; }; todowrite')).stdout).toBe('mine\n');
});

test('on PATH there are the commands and nothing else: other names are not found, as in bash', () => {
  const line = 'compgen -c | grep -i "^todo\\|^task[^s]"; todo_write; command -v task-list';
  const { status, stdout, stderr } = spawnSync('dist/bin/agent-shell.cjs', ['-c', line], {
    encoding: 'utf8',
  });
  expect(stdout.trim().split('\n').sort()).toEqual([
    ...[
      'TaskArchive',
      'TaskClaim',
      'TaskCreate',
      'TaskGet',
      'TaskInbox',
      'TaskList',
      'TaskRelease',
    ],
    ...['TaskUndo', 'TaskUpdate', 'TodoRead', 'TodoWrite'],
  ]);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'bash: line 1: todo_write: command not found\n',
  });
});
