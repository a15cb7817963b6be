import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { nearName, nearNames } from '../../src/command/near-names.ts';
import { BashRouter } from '../../src/router/bash-router.ts';
import { temporaryDirectory } from '../helpers/files.ts';

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

test('no near name is the name of a command', () => {
  const names = nearNames(COMMANDS);
  expect(names.size).toBeGreaterThan(50);
  for (const command of COMMANDS) expect(names.has(command)).toBe(false);
});

test('in a session the right name comes in place of the error, and nothing is run', async () => {
  const router = new BashRouter();
  onTestFinished(() => router.dispose());
  expect(await router.route(`todo_write '{"todos":[]}'`)).toMatchObject({
    stdout: '',
    stderr: 'todo_write: command not found; did you mean TodoWrite?\n',
    exitCode: 127,
  });
  expect((await router.route('nothing_like_it')).stderr).toMatch(
    /^bash: .*nothing_like_it: command not found\n$/,
  );
  expect((await router.route('todowrite() { echo mine; }; todowrite')).stdout).toBe('mine\n');
});

const agentShell = (line: string, path = process.env.PATH, options = '-c') =>
  spawnSync('dist/bin/agent-shell.cjs', [options, line], {
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  });

test('so it does where agent-shell is bash, in a program that bash runs too', () => {
  for (const line of ['TaskDone 1', 'sh -c "TaskDone 1"']) {
    const { status, stderr } = agentShell(line);
    expect({ status, stderr }).toEqual({
      status: 127,
      stderr:
        'TaskDone: command not found; did you mean TaskUpdate? Try: TaskUpdate ID --status completed\n',
    });
  }
});

test('so it does where an install of the package has put the commands on PATH', () => {
  const path = `${join(process.cwd(), 'dist/bin/commands')}:${process.env.PATH}`;
  for (const options of ['-c', '-lc', '-ic']) {
    const { status, stderr } = agentShell('todo_write x', path, options);
    expect(status).toBe(127);
    expect(stderr).toContain('todo_write: command not found; did you mean TodoWrite?\n');
  }
});

test("the user's own program of such a name is the user's", () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'todowrite'), '#!/bin/sh\necho mine\n');
  chmodSync(join(folder, 'todowrite'), 0o755);
  expect(agentShell('todowrite', `${process.env.PATH}:${folder}`).stdout).toBe('mine\n');
});
