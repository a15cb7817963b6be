import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/base/settings/settings.ts';
import { shellList } from '../../src/cli/shell-list.ts';
import { taskContext } from '../../src/tasks/task-context.ts';
import { callCommand } from '../helpers/commands.ts';
import { cleanEnvironment, run } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';

let directory: string;
let env: Record<string, string>;

beforeEach(() => {
  directory = temporaryDirectory();
  env = cleanEnvironment({ HOME: directory, TODO_STATE_DIR: join(directory, 'state') });
});

/** Both outputs of a program. */
function said(name: Parameters<typeof run>[0], argv: string[], more: Record<string, string> = {}) {
  const { stdout, stderr } = run(name, argv, { cwd: directory, env: { ...env, ...more } });
  return stderr + stdout;
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

test('the team that a host sets is that of calls whose environment names none', () => {
  const { settings, setTeam } = taskContext({ environment: env, directory: () => directory });
  const teamOf = (more: Record<string, string>) => settings({ env: more }).settings.taskList;
  setTeam('red');
  expect([teamOf({}), teamOf({ TODO_TEAM: 'blue' })]).toEqual(['red', 'blue']);
});

test('a shell with tasks in memory still opens the lists that a call names', () => {
  const { open } = shellList({}).tasks;
  const opened = (list?: string, settings = {}) => open(list, { ...DEFAULT_SETTINGS, ...settings });
  const isInMemory = (...named: Parameters<typeof opened>) => opened(...named) === opened();
  expect(isInMemory()).toBe(true);
  expect([isInMemory('l'), isInMemory(undefined, { session: 's' })]).toEqual([false, false]);
});

test('the text for a system prompt covers tasks only on request', () => {
  expect(said('agent-shell', ['--prompt'])).not.toContain('TaskClaim:');
  expect(said('agent-shell', ['--prompt', '--tasks'])).toContain('- TaskClaim: ');
  expect(said('agent-shell', ['--prompt'], { TODO_TASKS: '1' })).toContain('- TaskClaim: ');
});

test('an invalid setting is reported once per call', () => {
  const bad = { TODO_REMINDER_TURNS: 'soon', TODO_HISTORY: '-1', TODO_AGENT: 'ann' };
  const warnings = (name: Parameters<typeof run>[0], ...argv: string[]) =>
    said(name, argv, bad).match(/^Warning: /gm);
  said('task-create', ['--subject', 'A']);
  expect(warnings('task-claim', '--next')).toHaveLength(2);
  const line = 'TaskList | cat; TaskClaim --next; true';
  expect(warnings('agent-shell', '-c', line)).toHaveLength(4);
});
