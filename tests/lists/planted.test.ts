import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { appendOwnFile, writeOwnFile } from '../../src/base/system/files.ts';
import { FilePlace } from '../../src/lists/file-place.ts';
import { ListHome } from '../../src/lists/list-home.ts';
import { taskCommands } from '../../src/tasks/task-commands.ts';
import { openTaskStore } from '../../src/tasks/task-store.ts';
import { TodoHome } from '../../src/todo/todo-home.ts';
import { tokenIn } from '../../src/viewer/web-server.ts';
import { callCommand } from '../helpers/commands.ts';
import { cleanEnvironment, executable } from '../helpers/executables.ts';
import { listFiles, temporaryDirectory } from '../helpers/files.ts';
import { graphOf } from '../tasks/tasks.ts';

// Files that somebody else has put into a state folder, with correct checksums.

const NOW = new Date('2026-05-01T12:00:00.000Z');
const CLIPBOARD = '\u001b]52;c;ZXZpbA==\u0007';
const TASK = graphOf('S').tasks.get(1);

function planted(content: unknown): string {
  const folder = join(temporaryDirectory(), 'list');
  new FilePlace<unknown>({ folder }).commit(0, content, NOW);
  return folder;
}

const deep = (depth: number): object => (depth === 0 ? {} : { a: deep(depth - 1) });

test.each([
  ['has an invalid status', { ...TASK, status: CLIPBOARD }],
  ['has an invalid id', { ...TASK, id: CLIPBOARD }],
  ['has an invalid id', { ...TASK, id: -1 }],
  ['has an invalid createdAt', { ...TASK, createdAt: CLIPBOARD }],
  ['has an invalid updatedAt', { ...TASK, updatedAt: 7 }],
  ['has an invalid owner', { ...TASK, owner: {} }],
  ['has an invalid blockedBy', { ...TASK, blockedBy: [CLIPBOARD] }],
  ['has an invalid blocks', { ...TASK, blocks: 'all' }],
  ['has an invalid metadata', { ...TASK, metadata: deep(2000) }],
  ['has no subject', { ...TASK, subject: undefined }],
  ['has a field that is nested too deeply', { ...TASK, newer: deep(2000) }],
  ['has a field that is nested too deeply', { ...TASK, constructor: deep(2000) }],
])('a planted task that %s is an error that names the file', async (problem, task) => {
  const step = { nextId: 2, changed: [task], deleted: [] };
  const store = openTaskStore({ folder: planted({ isWhole: true, step }) });
  const commands = taskCommands({ open: () => store });
  for (const line of ['TaskList', 'TaskGet 1', 'TaskList --json', 'TaskUndo', 'TaskClaim 1']) {
    const [name, ...argv] = line.split(' ');
    const command = commands.find((known) => known.name === name);
    const result = await command?.execute({ argv, stdin: async () => '' });
    expect(result).toMatchObject({ stdout: '', exitCode: 3 });
    const advice = 'no older version is intact: restore a backup';
    expect(result?.stderr).toContain(`.json is damaged: task 0 ${problem}\n- ${advice}`);
  }
});

const NO_CHANGES = [null, 7, {}, { isWhole: true }, { isWhole: true, step: { nextId: 1 } }];

test.each(NO_CHANGES)('an entry that is no change of tasks is damage: %j', (content) => {
  const store = openTaskStore({ folder: planted(content) });
  expect(() => store.get()).toThrow(/is damaged: it holds no change to tasks/);
});

test('a link in the place of a file that is written is replaced, not followed', () => {
  const folder = temporaryDirectory();
  const [victim, link] = [join(folder, 'victim'), join(folder, 'link')];
  writeFileSync(victim, 'kept');
  symlinkSync(victim, link);
  for (const write of [appendOwnFile, writeOwnFile]) {
    expect(() => write(link, 'lost')).toThrow('it is a symbolic link');
  }
  // Its author's page would know this token.
  writeFileSync(victim, 'a'.repeat(32));
  expect(tokenIn(link)).not.toBe('a'.repeat(32));
  expect(tokenIn(victim)).not.toBe('a'.repeat(32));
  expect(lstatSync(link).isFile()).toBe(true);
});

describe('a cloned repository with a state folder', () => {
  test.each(['.todo', '.todo/s', '.todo/s/main'])('whose %s is a link is refused', async (path) => {
    const [clone, victim] = [temporaryDirectory(), temporaryDirectory()];
    mkdirSync(join(clone, '.git'));
    mkdirSync(join(clone, path, '..'), { recursive: true });
    symlinkSync(victim, join(clone, path));
    const environment = cleanEnvironment({ TODO_STATE_DIR: '.todo', TODO_SESSION: 's' });
    const call = await callCommand(environment, 'TodoWrite', ['[]'], { cwd: clone });
    const { stderr, exitCode } = call;
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`${join(clone, path)} is a symbolic link, which lists do not follow`);
    expect(listFiles(victim)).toEqual([]);
  });

  test('that is elsewhere may be reached by a link', () => {
    const [state, link] = [temporaryDirectory(), join(temporaryDirectory(), 'link')];
    symlinkSync(state, link);
    const home = new ListHome({ TODO_STATE_DIR: link }, '/');
    expect(home.trusted(join(link, 's', 'main'))).toBe(join(link, 's', 'main'));
  });
});

test('two folders whose names are not UTF-8 do not share a list', () => {
  const environment = cleanEnvironment({ TODO_STATE_DIR: temporaryDirectory() });
  const write = (directory: string, more = {}) => {
    const home = new TodoHome({ ...environment, ...more }, directory);
    return home.open({}).update([]);
  };
  expect(() => write('/tmp/caf\ufffd')).toThrow(/is not UTF-8/);
  expect(() => write('/tmp', { TODO_AGENT: '\ufffd' })).toThrow(/is not UTF-8/);
  expect(write('/tmp/caf\ufffd', { TODO_SESSION: 'café' })).toMatchObject({ version: 1 });
  const directory = '/tmp/caf\ufffd';
  expect(() => openTaskStore({ environment, directory })).toThrow(/is not UTF-8/);
  const named = { ...environment, TODO_TEAM: '\ufffd' };
  expect(() => openTaskStore({ environment: named, directory: '/' })).toThrow(/is not UTF-8/);
});

test('lists are in no folder whose path is not UTF-8, since it would be another one', () => {
  const work = temporaryDirectory();
  const program = executable('todo-write');
  const write = (dir: string) => `TODO_STATE_DIR=${dir} '${program}' '{"todos":[]}'`;
  const env = cleanEnvironment({ TODO_SESSION: 's', HOME: work });
  const inBash = (line: string) =>
    spawnSync('bash', ['-c', line], { cwd: work, env, encoding: 'utf8' });
  const stderr = expect.stringContaining('the folder of lists is not UTF-8: set TODO_STATE_DIR');
  expect(inBash(write("$PWD/$'a\\xff'"))).toMatchObject({ status: 3, stderr });
  expect(inBash(`HOME=$HOME/$'b\\xff' ${write('')}`)).toMatchObject({ status: 3, stderr });
  expect(readdirSync(work)).toEqual([]);
});
