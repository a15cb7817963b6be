import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand } from '../helpers/commands.ts';
import { cleanEnvironment } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { taskListFolder } from '../helpers/list-folders.ts';
import { ok } from '../helpers/replies.ts';

// A team's list with a damaged change stays usable: the list before it stands in until TaskUndo restores that.

/** One change for each task; each call stands for another process. */
async function listOf(count: number) {
  const state = temporaryDirectory();
  const env = cleanEnvironment({ TODO_STATE_DIR: state, TODO_TEAM: 'red', TODO_AGENT: 'ann' });
  const run = (line: string) => {
    const [name = '', ...argv] = line.split(' ');
    return callCommand(env, name, argv);
  };
  for (let task = 1; task <= count; task++) {
    expect(await run(`TaskCreate --subject T${task}`)).toMatchObject({ exitCode: 0 });
  }
  return { run, folder: taskListFolder(state, 'red') };
}

const subjects = (text: string) => text.match(/T\d+/g);

test.each([
  ['junk', (path: string) => writeFileSync(path, 'junk')],
  ['gone', (path: string) => rmSync(path)],
])('the newest change is %s: the list before it shows, until TaskUndo', async (_, damage) => {
  const { run, folder } = await listOf(3);
  damage(join(folder, readdirSync(folder).find((name) => name.startsWith('3-')) ?? ''));
  const read = await run('TaskList');
  expect(subjects(read.stdout)).toEqual(['T1', 'T2']);
  expect(read.stderr).toMatch(
    /^Note: \S+\/3-\w+\.json is (damaged: .*|missing); version 2 stands in for it\n$/,
  );
  const [create, update] = ['TaskCreate --subject T4', 'TaskUpdate 1 --comment C'];
  for (const change of [create, update, 'TaskClaim 1', 'TaskUndo --at 1']) {
    const { stderr, exitCode } = await run(change);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('version 2 stands in for it. See it with TaskList; then TaskUndo');
  }
  expect(await run('TaskUndo')).toEqual(ok('Undone: a damaged change\n', read.stderr));
  expect(await run('TaskCreate --subject T5')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(subjects((await run('TaskList')).stdout)).toEqual(['T1', 'T2', 'T5']);
  expect((await run('TaskList --history')).stdout).toMatch(/^5 .*\n2 .*\n1 .*\n$/);
});

test('a damaged version among others is not one that changed no task', async () => {
  const { run, folder } = await listOf(3);
  writeFileSync(join(folder, readdirSync(folder).find((name) => name.startsWith('2-')) ?? ''), '');
  const { stderr } = await run('TaskList --at 2');
  expect(stderr).toContain('there is no version 2: 1 and 3 are the nearest kept');
});
