import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand } from '../helpers/commands.ts';
import { cleanEnvironment, executable } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';

// Folders without git, in a real bash that a harness starts for each line.

const PLAN = 'TodoWrite --add Plan --active-form Planning';
const SUB_PLAN = PLAN.replace('Plan', 'Sub-plan');

function plainFolders(more: Record<string, string> = {}) {
  const root = temporaryDirectory();
  const [home, project] = [join(root, 'home'), join(root, 'home', 'work', 'project')];
  const sub = join(project, 'src', 'deep');
  mkdirSync(sub, { recursive: true });
  const PATH = `${dirname(executable('todo-write'))}:${process.env.PATH}`;
  const state = join(root, 'state');
  const env = cleanEnvironment({ PATH, HOME: home, TODO_STATE_DIR: state, ...more });
  const sh = (line: string, cwd = project, variables = {}) =>
    execFileSync('bash', ['-c', `{ ${line}; } 2>&1`], {
      cwd,
      env: { ...env, ...variables },
      encoding: 'utf8',
    });
  /** A command in this process, its words without blanks. */
  const call = async (line: string, cwd = project, variables = {}) => {
    const [name = '', ...argv] = line.split(' ');
    const { stdout, stderr } = await callCommand({ ...env, ...variables }, name, argv, { cwd });
    return stdout + stderr;
  };
  return { root, home, project, sub, sh, call };
}

test('a subfolder has the list of the nearest folder above it that has one', async () => {
  const { project, sub, sh, call } = plainFolders();
  await call(PLAN);
  expect(sh('TodoRead', sub)).toContain('[ ] Plan');
  expect(sh('cd src/deep && TodoWrite --start 1')).toContain('1 in_progress');
  expect(await call('TodoRead')).toContain('[>] Plan');
  // Also for other agents and the team.
  await call(PLAN, sub, { TODO_AGENT: 'helper' });
  expect(await call('TodoRead --agent helper')).toContain('[ ] Plan');
  expect(sh('cd src && TaskCreate --subject "Ship it" && cd .. && TaskList')).toContain('Ship it');
  expect(sh(`${executable('agent-shell')} -c TodoRead`, sub)).toContain('[>] Plan');
  expect(await call(`TodoRead --session ${sub}`)).toBe('No todos.\n');
  expect(await call(`TodoRead --session ${project}`, '/')).toContain('[>] Plan');
});

test('in a deleted folder the errors of lists and tasks say to cd to another one, which helps', () => {
  const { sh } = plainFolders();
  const inDeleted = (line: string) =>
    sh(`mkdir gone; cd gone; rmdir ../gone; ${line}; cd "$OLDPWD"; ${line}`);
  expect(inDeleted('TodoRead')).toMatch(/deleted.*: cd to another one\nNo todos/);
  expect(inDeleted('TaskCreate --subject Ship')).toMatch(/deleted.*: cd to another one\nTask #1/);
});

test('a team without a todo list makes a project, too', async () => {
  const { sub, call } = plainFolders();
  await call('TaskCreate --subject Ship');
  expect(await call('TaskList', sub)).toContain('Ship');
  await call(PLAN, sub);
  expect(await call('TodoRead')).toContain('[ ] Plan');
});

test('a folder with a list keeps its own, and a named session is not looked for', async () => {
  const { sub, call } = plainFolders();
  await call(SUB_PLAN, sub);
  await call(PLAN);
  expect(await call('TodoRead', sub)).toContain('[ ] Sub-plan');
  expect(await call('TodoRead', dirname(sub))).toContain('[ ] Plan');
  expect(await call('TodoRead --session other', sub)).toBe('No todos.\n');
  expect(await call('TodoRead', sub, { TODO_SESSION: 'other' })).toBe('No todos.\n');
});

test('lists of the home folder, of /, and of a shared folder such as /tmp are not for those below', async () => {
  const { root, home, project, sh, call } = plainFolders();
  const open = join(root, 'open');
  mkdirSync(join(open, 'project'), { recursive: true });
  chmodSync(open, 0o1777);
  for (const folder of ['/', root, open, home, dirname(project)]) await call(PLAN, folder);
  expect(await call('TodoRead', project)).toContain('[ ] Plan');
  expect(await call('TodoRead', home)).toContain('[ ] Plan');
  expect(await call('TodoRead', join(open, 'project'))).toBe('No todos.\n');
  mkdirSync(join(home, 'new'));
  expect(await call('TodoRead', join(home, 'new'))).toBe('No todos.\n');
  // A home folder that is a link.
  symlinkSync(home, join(root, 'link'));
  expect(await call('TodoRead', join(home, 'new'), { HOME: join(root, 'link') })).toBe(
    'No todos.\n',
  );
  expect(sh('cd new && TodoRead', join(root, 'link'))).toBe('No todos.\n');
});

test('outside of the home folder, without HOME, and on a mount where everybody may write, it is the same', async () => {
  const { root, sh, call } = plainFolders();
  const sub = join(root, 'elsewhere', 'src');
  mkdirSync(sub, { recursive: true });
  chmodSync(dirname(sub), 0o777);
  await call(PLAN, dirname(sub));
  expect(await call('TodoRead', sub)).toContain('[ ] Plan');
  expect(sh('unset HOME; TodoRead', sub)).toContain('[ ] Plan');
});

test('a link to a subfolder leads to where that folder is', async () => {
  const { root, project, sub, sh, call } = plainFolders();
  await call(PLAN);
  symlinkSync(sub, join(root, 'to-sub'));
  symlinkSync(root, join(project, 'away'));
  expect(sh(`cd ${root}/to-sub && TodoRead`)).toContain('[ ] Plan');
  expect(sh('cd away && TodoRead')).toBe('No todos.\n');
});

test('a work tree below is a project of its own, and so is a deleted list', async () => {
  const { sub, sh, call } = plainFolders();
  mkdirSync(join(sub, '.git'));
  await call(PLAN);
  expect(await call('TodoRead', sub)).toBe('No todos.\n');
  expect(sh('rm -r "$TODO_STATE_DIR"/*/main; TodoRead', dirname(sub))).toBe('No todos.\n');
  await call(SUB_PLAN, dirname(sub));
  expect(await call('TodoRead')).toBe('No todos.\n');
});

test('a relative TODO_STATE_DIR is the same folder from everywhere in a project', async () => {
  const { sub, call } = plainFolders({ TODO_STATE_DIR: '.lists' });
  await call(PLAN);
  expect(await call('TodoRead', sub)).toContain('[ ] Plan');
  const tree = plainFolders({ TODO_STATE_DIR: '.lists' });
  mkdirSync(join(tree.project, '.git'));
  await tree.call(PLAN, tree.sub);
  expect(tree.sh('TodoRead; ls -d .lists')).toMatch(/\[ \] Plan\n.*\n\.lists\n$/s);
});

test('a session of a harness that begins in a subfolder is in the same project', async () => {
  const { sub, call } = plainFolders();
  await call(PLAN);
  const claude = { CLAUDE_CODE_SESSION_ID: 'one' };
  await call(SUB_PLAN, sub, claude);
  expect(await call('TodoRead', '/', claude)).toContain('[ ] Sub-plan');
  expect(await call('TodoRead --agent main@one')).toContain('[ ] Sub-plan');
  expect(await call('TodoRead', sub)).toContain('[ ] Plan');
});
