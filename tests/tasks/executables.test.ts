import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { ListHome } from '../../src/settings/list-home.ts';
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts';
import { taskContext, teamOf } from '../../src/tasks/task-context.ts';
import { TaskStore } from '../../src/tasks/task-store.ts';
import { callCommand } from '../helpers/commands.ts';
import { temporaryDirectory } from '../helpers/files.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

let directory: string;
let env: Record<string, string>;

beforeEach(() => {
  directory = temporaryDirectory();
  mkdirSync(join(directory, 'bin'));
  for (const [name, file] of Object.entries<string>(bin)) {
    symlinkSync(join(ROOT, file), join(directory, 'bin', name));
  }
  env = {
    PATH: `${join(directory, 'bin')}:${process.env.PATH}`,
    HOME: directory,
    TODO_STATE_DIR: join(directory, 'state'),
  };
});

/** Returns both outputs. */
async function bash(script: string, more: Record<string, string> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', `exec 2>&1\n${script}`], {
    cwd: directory,
    env: { ...env, ...more },
  });
  return stdout;
}

test('which list: --list, TODO_TASK_LIST, TODO_TEAM, the session', async () => {
  const call = async (more: Record<string, string>, name: string, argv: string[], at = '.') => {
    const cwd = join(directory, at);
    return (await callCommand({ ...env, ...more }, name, argv, { cwd })).stdout;
  };
  const [list, team] = [{ TODO_TASK_LIST: 't' }, { TODO_TEAM: 'm' }];
  const create = (more: Record<string, string>, ...argv: string[]) =>
    call(more, 'TaskCreate', ['--subject', ...argv]);
  await create({}, 'option', '--list', 'l');
  await create(list, 'list');
  await create(team, 'team');
  await create({}, 'session');
  mkdirSync(join(directory, '.git'));
  mkdirSync(join(directory, 'src'));
  await create({}, 'tree');
  for (const [listed, ...where] of [
    ['#1 [pending] option\n', { ...list, ...team }, ['--list', 'l']],
    ['#1 [pending] list\n', { ...list, ...team }, []],
    ['#1 [pending] team\n', team, []],
    ['#1 [pending] session\n#2 [pending] tree\n', {}, [], 'src'],
    ['No tasks.\n', { TODO_SESSION: 'other' }, []],
    ['#1 [pending] team\n', { TODO_SESSION: 'm' }, []],
  ] as [string, Record<string, string>, string[], string?][]) {
    const [more, argv, at] = where;
    expect(await call(more, 'TaskList', argv, at)).toBe(listed);
  }
});

test('hooks and teams are named by the environment, not by .env', async () => {
  writeFileSync(join(directory, '.env'), 'TODO_HOOKS_DIR=.\nTODO_TEAM=fromfile\n');
  writeFileSync(join(directory, 'task-created'), '#!/bin/sh\necho no >&2; exit 1\n', {
    mode: 0o755,
  });
  expect(await bash('TaskCreate --subject A; TaskList; TaskList --list fromfile')).toBe(
    'Task #1 created: A\n#1 [pending] A\nNo tasks.\n',
  );
  expect(await bash('TaskCreate --subject B || echo $?', { TODO_HOOKS_DIR: directory })).toBe(
    'Error: Cannot create the task\n- refused_by_hook: task-created: no\n1\n',
  );
});

test('the team that a host sets is that of calls whose environment names none', () => {
  const { settings, setTeam } = taskContext({ environment: env, directory: () => directory });
  const teamOf = (more: Record<string, string>) => settings({ env: more }).settings.taskList;
  setTeam('red');
  expect([teamOf({}), teamOf({ TODO_TEAM: 'blue' })]).toEqual(['red', 'blue']);
});

test('a shell with tasks in memory still opens the lists that a call names', () => {
  const unnamed = new TaskStore();
  const { open } = teamOf(new ListHome(env, directory), { unnamed });
  const isInMemory = (list?: string, settings = {}) =>
    open(list, { ...DEFAULT_SETTINGS, ...settings }) === unnamed;
  expect(isInMemory()).toBe(true);
  expect([isInMemory('l'), isInMemory(undefined, { session: 's' })]).toEqual([false, false]);
});

test('the text for a system prompt covers tasks only on request', async () => {
  const told = await bash(
    'for o in --session=s --tasks; do agent-shell --prompt $o | grep -c TaskClaim:; done',
  );
  expect(told).toBe('0\n1\n');
  expect(await bash('agent-shell --prompt', { TODO_TASKS: '1' })).toContain('- TaskClaim: ');
});

test('an invalid setting is reported once per call', async () => {
  const bad = { TODO_REMINDER_TURNS: 'soon', TODO_HISTORY: '-1', TODO_AGENT: 'ann' };
  await bash('TaskCreate --subject A');
  const warnings = (said: string) =>
    said.split('\n').filter((line) => line.startsWith('Warning: '));
  expect(warnings(await bash('TaskClaim --next', bad))).toHaveLength(2);
  const inside = await bash(`agent-shell -c 'TaskList | cat; TaskClaim --next; true'`, bad);
  expect(warnings(inside)).toHaveLength(4);
});
