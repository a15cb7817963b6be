import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nearNameText } from '../../../src/base/command/near-names.ts';
import { findProgram } from '../../../src/base/system/access.ts';
import { ENV } from '../../helpers/bash.ts';
import { bestTime } from '../../helpers/best-time.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { isHere } from '../../helpers/machine.ts';
import { startRouter } from '../../helpers/session.ts';

const COMMANDS = 'TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet TaskClaim'.split(' ');

test.each([
  [
    'todo_write Todowrite todowrite todo-write TodoWrit TodoWrtie odoWrite TodoUpdate TodoAdd',
    'TodoWrite',
  ],
  ['TodoList TodRead', 'TodoRead'],
  ['TaskDone TaskComplete TaskRemove', 'TaskUpdate'],
  ['tasklist TasksList', 'TaskList'],
  ['TodoWrite todo task tasksel write TodoMVC', undefined],
])('of %s each is nearly %s', (names, command) => {
  for (const name of names.split(' ')) {
    const [, meant] = /did you mean (\w+)\?/.exec(nearNameText(name, COMMANDS) ?? '') ?? [];
    expect(meant, name).toBe(command);
    // A command that is not there is not named.
    expect(nearNameText(name, ['TaskGet'])).toBeUndefined();
  }
});

test.each([
  ['todo_clear', 'TodoWrite', ` Try: TodoWrite '{"todos":[]}'`],
  ['TaskNext', 'TaskClaim', ' Try: TaskClaim --next'],
  ['TaskAssign', 'TaskUpdate', ' Try: TaskUpdate ID --owner NAME'],
  ['TaskComment', 'TaskUpdate', ' Try: TaskUpdate ID --comment "..."'],
  ['TaskHistory', 'TaskList', ' Try: TaskList --history'],
  ['TodoUpdate', 'TodoWrite', ''],
])('%s: beside %s an example is named where the name alone does not help', (name, meant, more) => {
  const text = `${name}: command not found; did you mean ${meant}?${more}\n`;
  expect(nearNameText(name, COMMANDS)).toBe(text);
});

/** A PATH of these programs only: others may have such names. */
function pathOf(...names: string[]): string {
  const folder = temporaryDirectory();
  for (const name of names) {
    symlinkSync(findProgram(name, process.env) ?? name, join(folder, name));
  }
  return folder;
}

test('in a session the suggestion replaces the error, and nothing is run', async () => {
  const { router } = startRouter({ env: { PATH: pathOf('cat', 'mkfifo') } });
  expect(await router.route(`todo_write '{"todos":[]}'`)).toMatchObject({
    stdout: '',
    stderr: 'todo_write: command not found; did you mean TodoWrite?\n',
    exitCode: 127,
  });
  expect((await router.route('todo_write x; Todo_Read')).stderr).toBe(
    'todo_write: command not found; did you mean TodoWrite?\nTodo_Read: command not found; did you mean TodoRead?\n',
  );
  // Also where the line goes on, or has sent the error to stdout.
  for (const line of ['todo_write x; echo done', 'todo_write x 2>&1 | cat; true']) {
    expect(await router.route(line)).toMatchObject({
      stderr: 'todo_write: command not found; did you mean TodoWrite?\n',
      exitCode: 0,
    });
  }
  expect((await router.route('nothing_like_it')).stderr).toMatch(
    /^bash: .*nothing_like_it: command not found\n$/,
  );
  expect((await router.route('todowrite() { echo mine; }; todowrite')).stdout).toBe('mine\n');
});

test('a command whose line ends like on Windows is not found for the carriage return after its name', async () => {
  const { router } = startRouter({ env: { PATH: pathOf('cat', 'mkfifo') } });
  expect(await router.route('TodoRead\r\ntrue\n')).toMatchObject({
    stderr:
      'TodoRead: command not found: a carriage return follows its name, as in Windows line ends\n',
    exitCode: 0,
  });
  expect((await router.route('pwd\r')).stderr).toMatch(/pwd\\r': command not found\n$/);
});

test('the suggestion replaces the error in the language of the session, too', async () => {
  const env = { PATH: pathOf('cat', 'mkfifo', 'bash'), LANG: 'C.UTF-8', LANGUAGE: 'de' };
  const { router } = startRouter({ env });
  const { stderr } = await router.route('nothing_like_it');
  if (!isHere('German texts of bash', stderr.includes('nicht gefunden'))) return;
  expect(await router.route('todo_write x; nothing_like_it')).toMatchObject({
    stderr: `todo_write: command not found; did you mean TodoWrite?\n${stderr}`,
    exitCode: 127,
  });
});

test('on PATH there are the commands and nothing else: other names are not found, as in bash', () => {
  const line = 'compgen -c | grep -i "^todo\\|^task[^s]"; todo_write; command -v task-list';
  const { status, stdout, stderr } = spawnSync('dist/bin/agent-shell.cjs', ['-c', line], {
    env: { ...ENV, PATH: pathOf('bash', 'grep') },
    encoding: 'utf8',
  });
  const { bin } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(['agent-shell', ...stdout.trim().split('\n')].sort()).toEqual(Object.keys(bin).sort());
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'bash: line 1: todo_write: command not found\n',
  });
});

test('of a flood of unknown names, the first few are looked up, in no time and within the output that was asked for', async () => {
  const { router } = startRouter();
  await router.route('flood() { yes "$1: command not found" | head -n 200000 >&2; }');
  const limit = 20_000;
  // The best of three: where it waits for the other end of the pipe, each piece is a start of its own.
  const timeOf = (line: string) => bestTime(() => router.route(line), 3);
  // No name is looked up after a line that succeeded.
  const usual = await timeOf('flood x; true');
  for (const name of ['todo_write', 'x']) {
    const line = `todo_write; flood ${name}; todo_read`;
    const { stderr } = await router.route(line, { maxOutputBytes: limit });
    const whole = await router.route('flood todo_write; false');
    expect(stderr).toMatch(/^todo_write: command not found; did you mean TodoWrite\?\n/);
    expect(stderr.length).toBeLessThan(limit + 200);
    expect(whole.stderr.length).toBeGreaterThan(5_000_000);
    expect(await timeOf(`flood ${name}; false`)).toBeLessThan(5 * usual);
  }
});
