import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { JsonlClient } from '../helpers/agent-shell.ts';
import { callCommand } from '../helpers/commands.ts';
import { cleanEnvironment, run } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { failed, ok } from '../helpers/replies.ts';

// A cloned repository may contain lists, for a TODO_STATE_DIR in its work tree.

const LIST = '{"todos":[{"content":"Theirs","activeForm":"A","status":"in_progress"}]}';
const WARNING =
  /^Warning: git tracks files in \S+\/\.todowrite, so they are ignored; your lists are in untracked~ there\. .*\n$/;

/** A work tree with tracked lists, and a way to run commands in it. */
async function clone() {
  const root = temporaryDirectory();
  const cwd = join(root, 'app', 'src');
  mkdirSync(cwd, { recursive: true });
  const git = (...argv: string[]) => execFileSync('git', argv, { cwd: join(root, 'app') });
  const env = cleanEnvironment({ HOME: root, TODO_STATE_DIR: '.todowrite', TODO_SESSION: 's' });
  const call = (name: string, ...argv: string[]) => callCommand(env, name, argv, { cwd });
  const agentShell = (...argv: string[]) => run('agent-shell', argv, { cwd, env });
  git('init', '-q');
  await call('TodoWrite', LIST);
  await call('TaskCreate', '--subject', 'Theirs');
  const start = JSON.stringify({ hook_event_name: 'SessionStart', session_id: '1' });
  const hook = () => run('agent-shell', ['hook'], { cwd, env, input: start }).stdout;
  return { root, git, call, agentShell, hook, env, cwd };
}

test('lists that git tracks are ignored, and each command warns', async () => {
  const { git, call, agentShell, hook, env, cwd } = await clone();
  expect(await call('TodoRead')).toEqual(ok(expect.stringContaining('Theirs')));
  git('add', '.todowrite');
  expect(await call('TodoRead')).toEqual(ok('No todos.\n', expect.stringMatching(WARNING)));
  expect((await call('TaskList')).stdout).toBe('No tasks.\n');
  expect(agentShell('prime')).toMatchObject(ok('', expect.stringMatching(WARNING)));
  const sessions = agentShell('sessions', '--json').stdout;
  expect(JSON.parse(sessions)).toEqual({ sessions: [] });
  expect(JSON.parse(hook()).hookSpecificOutput.additionalContext).toMatch(
    /^Warning: git tracks[^\n]*$/,
  );
  const onServer = { ...env, TODO_STATE_URL: 'etcd://127.0.0.1:1/x', TODO_STATE_TIMEOUT: '1' };
  const { stderr } = await callCommand(onServer, 'TodoRead', [], { cwd });
  expect(stderr).toMatch(/^Error: Cannot read the list\n- .*\n$/);
  // A host warns in each result.
  const host = new JsonlClient({ env, cwd });
  for (const line of [`TodoWrite '${LIST}'`, 'TodoRead', 'TaskList']) {
    expect((await host.send(line)).stderr).toMatch(WARNING);
  }
});

test('the user has lists of their own beside them, and gets tracked ones back by untracking them', async () => {
  const { git, call, hook } = await clone();
  git('add', '.todowrite');
  const mine = LIST.replace('Theirs', 'Mine');
  expect((await call('TodoWrite', mine)).stderr).toMatch(WARNING);
  expect((await call('TodoRead')).stdout).toContain('[>] Mine');
  expect(hook()).toMatch(/Warning: .*\[>\] Mine/);
  git('add', '.todowrite');
  expect(await call('TodoRead')).toMatchObject(
    failed(expect.stringContaining('git rm -r --cached both'), 3),
  );
  git('rm', '-rq', '--cached', '.todowrite');
  expect(await call('TodoRead')).toEqual(ok(expect.stringContaining('Theirs')));
});

test('a tracked .gitignore is no list, and another repository in the environment is not asked', async () => {
  const { root, git, call } = await clone();
  writeFileSync(join(root, 'app', '.todowrite', '.gitignore'), '*\n');
  git('add', '-f', '.todowrite/.gitignore');
  expect((await call('TodoRead')).stderr).toBe('');
  git('add', '-f', '.todowrite/s');
  const other = join(root, 'other');
  execFileSync('git', ['init', '-q', other]);
  const env = cleanEnvironment({
    GIT_DIR: join(other, '.git'),
    TODO_STATE_DIR: join(root, 'app', '.todowrite'),
    TODO_SESSION: 's',
  });
  expect(run('todo-read', [], { cwd: other, env }).stdout).toBe('No todos.\n');
});
