import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
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

/** Runs a script, and gives everything that it prints. */
async function bash(script: string, more: Record<string, string> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', `exec 2>&1\n${script}`], {
    cwd: directory,
    env: { ...env, ...more },
  });
  return stdout;
}

test('three agents in three terminals: each task is done once, and nobody waits for a lock', async () => {
  await bash(
    `for n in {1..12}; do echo '{"subject":"Task"},'; done | { echo -n '['; cat; echo '{"subject":"Last","blockedBy":[]}]'; } | TaskCreate`,
    { TODO_TEAM: 'blue' },
  );
  const work = 'while TaskClaim --next; do :; done; TaskRelease 13 2>&1; true';
  const said = await Promise.all(
    ['ann', 'bob', 'cleo'].map((agent) => bash(work, { TODO_TEAM: 'blue', TODO_AGENT: agent })),
  );
  const claims = said.join('').match(/^Task #\d+ claimed by \w+/gm) ?? [];
  // The last one may be claimed again after each release.
  const others = claims.filter((line) => !line.includes('#13 '));
  expect(others.map((line) => line.split(' ')[1]).sort()).toEqual(
    Array.from({ length: 12 }, (_, index) => `#${index + 1}`).sort(),
  );
}, 60_000);

test('which list: --list, TODO_TASK_LIST, TODO_TEAM, the session', async () => {
  await bash(`
    TaskCreate --subject option --list l
    TODO_TASK_LIST=t TaskCreate --subject list
    TODO_TEAM=m TaskCreate --subject team
    TaskCreate --subject session
    mkdir .git src; TaskCreate --subject tree`);
  expect(
    await bash(`
    TODO_TASK_LIST=t TODO_TEAM=m TaskList --list l
    TODO_TASK_LIST=t TODO_TEAM=m TaskList
    TODO_TEAM=m TaskList
    cd src; TaskList
    TODO_SESSION=other TaskList; TODO_SESSION=m TaskList`),
  ).toBe(
    `#1 [pending] option\n#1 [pending] list\n#1 [pending] team\n#1 [pending] session\n#2 [pending] tree\nNo tasks.\n#1 [pending] team\n`,
  );
});

test('in an agent shell they are commands on the same lists', async () => {
  writeFileSync(
    join(directory, 'script'),
    `TaskCreate --subject first && echo '{"taskId":1,"subject":"piped"}' | TaskUpdate
TaskList | cat
sh -c TaskList
`,
  );
  expect(await bash('agent-shell script; TaskList')).toBe(
    'Task #1 created: first\nUpdated task #1: subject\n#1 [pending] piped\n#1 [pending] piped\n#1 [pending] piped\n',
  );
  expect(
    await bash(`agent-shell --session s --agent a -c 'TaskCreate --subject S; TaskClaim 1'
      TODO_SESSION=s TaskList; TODO_TEAM=t agent-shell -c 'TaskCreate --subject T'; TODO_TEAM=t TaskList`),
  ).toBe(
    'Task #1 created: S\nTask #1 claimed by a: S\n#1 [in_progress] S (a)\nTask #1 created: T\n#1 [pending] T\n',
  );
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

test('the text for a system prompt speaks of tasks only where it is told to', async () => {
  expect(await bash('agent-shell --prompt')).not.toContain('Task');
  expect(await bash('agent-shell --prompt --tasks')).toContain('- TaskClaim: ');
  expect(await bash('agent-shell --tasks --prompt')).toContain('- TaskClaim: ');
  expect(await bash('agent-shell --prompt', { TODO_TASKS: '1' })).toContain('- TaskClaim: ');
});

test('watch --tasks follows the tasks of a team, in words or as JSON', async () => {
  await bash('TaskCreate --subject A --list team');
  const watch = (argv: string[]) => {
    const child = spawn('agent-shell', ['watch', '--tasks', '--list', 'team', ...argv], {
      cwd: directory,
      env,
    });
    onTestFinished(() => void child.kill());
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    return { said: () => said, end: () => child.kill() };
  };
  const words = watch([]);
  const json = watch(['--jsonl']);
  await expect
    .poll(() => words.said() !== '' && json.said() !== '', { timeout: 10_000 })
    .toBe(true);
  await bash('TaskClaim 1 --list team --agent ann');
  await expect
    .poll(words.said, { timeout: 10_000 })
    .toBe('Team tasks 0/1: 1 added\nTeam tasks 0/1: in progress: #1 A (ann)\n');
  await expect.poll(() => json.said().split('\n').length, { timeout: 10_000 }).toBe(3);
  const [first, second] = json
    .said()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(first).toMatchObject({ version: 1, changed: [{ id: 1, status: 'pending' }], deleted: [] });
  expect(second).toMatchObject({ version: 2, changed: [{ id: 1, owner: 'ann' }], deleted: [] });
});

test('a damaged list is exit code 3, and the file is named and left as it is', async () => {
  await bash('TaskCreate --subject A --list l');
  const said = await bash(`
    for f in state/tasks~/l/*.json; do echo junk > $f; done
    TaskList --list l; echo $?; TaskCreate --subject B --list l; echo $?; cat state/tasks~/l/*.json`);
  expect(said).toMatch(
    /^Error: Cannot list the tasks\n- \S*state\/tasks~\/l\/1-\w+\.json is damaged: .*\n- no version before .*\n3\nError: Cannot create the task\n- .*\n- .*\n3\njunk\n$/,
  );
});

test('a setting that cannot be used is told once a call', async () => {
  const bad = { TODO_REMINDER_TURNS: 'soon', TODO_HISTORY: '-1', TODO_AGENT: 'ann' };
  await bash('TaskCreate --subject A');
  const warnings = (said: string) =>
    said.split('\n').filter((line) => line.startsWith('Warning: '));
  expect(warnings(await bash('TaskClaim --next', bad))).toHaveLength(2);
  const inside = await bash(`agent-shell -c 'TaskList | cat; TaskClaim --next; true'`, bad);
  expect(warnings(inside)).toHaveLength(4);
});
