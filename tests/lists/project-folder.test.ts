import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, executable } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';

// Folders without git, in a real bash that a harness starts for each line.

const PLAN = `TodoWrite '{"todos":[{"content":"Plan","activeForm":"Planning","status":"pending"}]}'`;
const SUB_PLAN = PLAN.replace('"Plan"', '"Sub plan"');

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
  return { root, home, project, sub, sh };
}

test('a subfolder has the list of the nearest folder above it that has one', () => {
  const { project, sub, sh } = plainFolders();
  sh(PLAN);
  expect(sh('TodoRead', sub)).toContain('[ ] Plan');
  expect(sh('cd src/deep && TodoWrite --start 1')).toContain('1 in_progress');
  expect(sh('TodoRead')).toContain('[>] Plan');
  // Also for other agents and the team.
  sh(PLAN, sub, { TODO_AGENT: 'helper' });
  expect(sh('TodoRead --agent helper')).toContain('[ ] Plan');
  expect(sh('cd src && TaskCreate --subject "Ship it" && cd .. && TaskList')).toContain('Ship it');
  expect(sh(`${executable('agent-shell')} -c TodoRead`, sub)).toContain('[>] Plan');
  expect(sh(`TodoRead --session ${sub}`)).toBe('No todos.\n');
  expect(sh(`TodoRead --session ${project}`, '/')).toContain('[>] Plan');
});

test('a team without a todo list makes a project, too', () => {
  const { sub, sh } = plainFolders();
  sh('TaskCreate --subject "Ship it"');
  expect(sh('TaskList', sub)).toContain('Ship it');
  sh(PLAN, sub);
  expect(sh('TodoRead')).toContain('[ ] Plan');
});

test('a folder with a list keeps its own, and a named session is not looked for', () => {
  const { sub, sh } = plainFolders();
  sh(SUB_PLAN, sub);
  sh(PLAN);
  expect(sh('TodoRead', sub)).toContain('[ ] Sub plan');
  expect(sh('TodoRead', dirname(sub))).toContain('[ ] Plan');
  expect(sh('TodoRead --session other', sub)).toBe('No todos.\n');
  expect(sh('TodoRead', sub, { TODO_SESSION: 'other' })).toBe('No todos.\n');
});

test('lists of the home folder, of /, and of a folder open to everybody are not for those below', () => {
  const { root, home, project, sh } = plainFolders();
  const open = join(root, 'open');
  mkdirSync(join(open, 'project'), { recursive: true });
  chmodSync(open, 0o1777);
  for (const folder of ['/', root, open, home, dirname(project)]) sh(PLAN, folder);
  expect(sh('TodoRead', project)).toContain('[ ] Plan');
  expect(sh('TodoRead', home)).toContain('[ ] Plan');
  expect(sh('TodoRead', join(open, 'project'))).toBe('No todos.\n');
  mkdirSync(join(home, 'new'));
  expect(sh('TodoRead', join(home, 'new'))).toBe('No todos.\n');
  // A home folder that is a link.
  symlinkSync(home, join(root, 'link'));
  expect(sh('TodoRead', join(home, 'new'), { HOME: join(root, 'link') })).toBe('No todos.\n');
  expect(sh('cd new && TodoRead', join(root, 'link'))).toBe('No todos.\n');
});

test('outside of the home folder, and without HOME, it is the same', () => {
  const { root, sh } = plainFolders();
  const sub = join(root, 'elsewhere', 'src');
  mkdirSync(sub, { recursive: true });
  sh(PLAN, dirname(sub));
  expect(sh('TodoRead', sub)).toContain('[ ] Plan');
  expect(sh('unset HOME; TodoRead', sub)).toContain('[ ] Plan');
});

test('a link to a subfolder leads to where that folder is', () => {
  const { root, project, sub, sh } = plainFolders();
  sh(PLAN);
  symlinkSync(sub, join(root, 'to-sub'));
  symlinkSync(root, join(project, 'away'));
  expect(sh(`cd ${root}/to-sub && TodoRead`)).toContain('[ ] Plan');
  expect(sh('cd away && TodoRead')).toBe('No todos.\n');
});

test('a work tree below is a project of its own, and so is a deleted list', () => {
  const { sub, sh } = plainFolders();
  mkdirSync(join(sub, '.git'));
  sh(PLAN);
  expect(sh('TodoRead', sub)).toBe('No todos.\n');
  expect(sh('rm -r "$TODO_STATE_DIR"/*/main; TodoRead', dirname(sub))).toBe('No todos.\n');
  sh(SUB_PLAN, dirname(sub));
  expect(sh('TodoRead')).toBe('No todos.\n');
});

test('a relative TODO_STATE_DIR is the same folder from everywhere in a project', () => {
  const { sub, sh } = plainFolders({ TODO_STATE_DIR: '.lists' });
  sh(PLAN);
  expect(sh('TodoRead', sub)).toContain('[ ] Plan');
  const tree = plainFolders({ TODO_STATE_DIR: '.lists' });
  mkdirSync(join(tree.project, '.git'));
  tree.sh(PLAN, tree.sub);
  expect(tree.sh('TodoRead; ls -d .lists')).toMatch(/\[ \] Plan\n.*\n\.lists\n$/s);
});

test('a session of a harness that begins in a subfolder is in the same project', () => {
  const { sub, sh } = plainFolders();
  sh(PLAN);
  const claude = { CLAUDE_CODE_SESSION_ID: 'one' };
  sh(SUB_PLAN, sub, claude);
  expect(sh('TodoRead', '/', claude)).toContain('[ ] Sub plan');
  expect(sh('TodoRead --agent main@one')).toContain('[ ] Sub plan');
  expect(sh('TodoRead', sub)).toContain('[ ] Plan');
});
