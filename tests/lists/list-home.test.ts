import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { TodoHome } from '../../src/todo/todo-home.ts';
import { JsonlClient } from '../helpers/agent-shell.ts';
import { callCommand } from '../helpers/commands.ts';
import { cleanEnvironment, run } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { isRoot } from '../helpers/machine.ts';
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

test('the folder of lists may be that of another user, what is in it may not', () => {
  const state = temporaryDirectory();
  const [theirs, none] = [join(state, 'theirs'), join(state, 'none')];
  mkdirSync(theirs);
  // Else it would be root's, whom everybody trusts.
  if (isRoot()) for (const folder of [state, theirs]) chownSync(folder, 12345, 12345);
  vi.spyOn(process, 'getuid').mockReturnValue(54321);
  onTestFinished(() => void vi.restoreAllMocks());
  const home = new TodoHome({ TODO_STATE_DIR: state, TODO_SESSION: 's' }, '/');
  expect(home.trusted(none)).toBe(none);
  expect(() => home.trusted(theirs)).toThrow(
    /\/theirs belongs to .*; to make it yours: sudo chown -R 54321 /,
  );
});

describe('whatever a repository contains, git is not asked and runs nothing', () => {
  test('a tracked state folder that looks like a bare repository does not hide its lists', async () => {
    const { git, call, cwd } = await clone();
    const state = join(cwd, '..', '.todowrite');
    for (const folder of ['objects', 'refs']) mkdirSync(join(state, folder));
    writeFileSync(join(state, 'HEAD'), 'ref: refs/heads/main\n');
    for (const folder of ['objects', 'refs']) writeFileSync(join(state, folder, 'x'), '');
    git('add', '.todowrite');
    expect(await call('TodoRead')).toEqual(ok('No todos.\n', expect.stringMatching(WARNING)));
  });

  test('the program of a promisor remote does not run', async () => {
    const { root, git, call, agentShell, hook } = await clone();
    const [program, ran] = [join(root, 'program'), join(root, 'ran')];
    writeFileSync(program, `#!/bin/sh\ntouch ${ran}\n`);
    chmodSync(program, 0o755);
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a', 'commit', '-qm', 'a');
    git('sparse-checkout', 'set', '--cone', '--sparse-index', 'src');
    for (const [key = '', value = ''] of [
      ['extensions.partialClone', 'origin'],
      ['remote.origin.promisor', 'true'],
      ['remote.origin.url', root],
      ['remote.origin.uploadpack', program],
      ['core.fsmonitor', program],
    ]) {
      git('config', key, value);
    }
    rmSync(join(root, 'app', '.git', 'objects'), { recursive: true });
    mkdirSync(join(root, 'app', '.git', 'objects'));
    await call('TodoWrite', LIST);
    for (const name of ['TodoRead', 'TaskList']) await call(name);
    for (const name of ['sessions', 'prime']) agentShell(name);
    hook();
    expect(existsSync(ran)).toBe(false);
  });

  test.runIf(isRoot())("another user's .git in a shared folder is no repository", async () => {
    const { git, call, root } = await clone();
    git('add', '.todowrite');
    const shared = join(root, 'app');
    execFileSync('chown', ['-R', '12345', join(shared, '.git')]);
    const env = { TODO_STATE_DIR: join(shared, '.todowrite'), TODO_SESSION: 's' };
    const { stdout } = await callCommand(cleanEnvironment({ HOME: root, ...env }), 'TodoRead', []);
    expect(stdout).toContain('Theirs');
    expect(await call('TodoRead')).toMatchObject({ exitCode: 0 });
  });

  test('an index that cannot be read: the lists are not ours, and the error has the way out', async () => {
    const { call, cwd } = await clone();
    const index = join(cwd, '..', '.git', 'index');
    for (const bytes of ['junk', 'DIRC\0\0\0\x09\0\0\0\x01', 'DIRC\0\0\0\x02\0\0\0\x01']) {
      writeFileSync(index, bytes);
      const { stdout, stderr, exitCode } = await call('TodoRead');
      expect([stdout, exitCode]).toEqual(['', 3]);
      expect(stderr).toMatch(/index has an unknown format; set TODO_STATE_DIR to a folder outside/);
    }
  });
});
