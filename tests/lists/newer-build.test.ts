import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decodeVersion, encodeVersion, type StoredVersion } from '../../src/lists/version-file.ts';
import { callCommand } from '../helpers/commands.ts';
import { cleanEnvironment } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { listFolder, taskListFolder } from '../helpers/list-folders.ts';

// Builds of several ages share lists: those on PATH, in containers, on other machines.

function commandsIn() {
  const state = temporaryDirectory();
  const env = { TODO_STATE_DIR: state, TODO_SESSION: 's', TODO_TEAM: 'red', TODO_AGENT: 'ann' };
  const run = (name: string, ...argv: string[]) => callCommand(cleanEnvironment(env), name, argv);
  return { state, run };
}

/** Changes the newest version in place, as if a newer build had written it. */
function rewrite(folder: string, change: (json: string) => string): void {
  const [head = ''] = readdirSync(folder).filter((name) => name.startsWith('head-'));
  const path = join(folder, `${head.replace('head-', '')}.json`);
  const version = decodeVersion(readFileSync(path)) as StoredVersion<unknown>;
  const content = JSON.parse(change(JSON.stringify(version.content)));
  writeFileSync(path, encodeVersion({ ...version, content }));
}

test.each([
  ['kind', '"kind":"praised"', 'yours: changed'],
  ['kind that objects have', '"kind":"constructor"', 'yours: changed'],
  ['field', '"kind":"assigned","about":"colour"', 'assigned to you'],
])('a notice of a %s that this build does not know is shown', async (_, words, shown) => {
  const { state, run } = commandsIn();
  await run('TaskCreate', '--subject', 'A', '--owner', 'bob');
  rewrite(taskListFolder(state, 'red'), (json) => json.replace('"kind":"assigned"', words));
  expect(await run('TaskList', '--agent', 'bob')).toMatchObject({
    stderr: `Note: #1 "A": ${shown} by ann\n`,
    exitCode: 0,
  });
});

test('fields of items, tasks and notices that this build does not know are kept', async () => {
  const { state, run } = commandsIn();
  await run('TaskCreate', '--subject', 'A', '--owner', 'bob');
  await run('TaskUpdate', '1', '--comment', 'Hm');
  rewrite(taskListFolder(state, 'red'), (json) =>
    json.replaceAll('"by":', '"tone":"loud","by":').replaceAll('"id":', '"colour":"red","id":'),
  );
  expect(await run('TaskUpdate', '1', '--description', 'Well')).toMatchObject({ exitCode: 0 });
  const { stdout } = await run('TaskInbox', '--agent', 'bob', '--json');
  expect(JSON.parse(stdout).notices).toMatchObject([{ tone: 'loud' }, { tone: 'loud' }]);
  const task = JSON.parse((await run('TaskGet', '1', '--json')).stdout);
  expect(task).toMatchObject({ colour: 'red', comments: [{ tone: 'loud' }], description: 'Well' });

  await run('TodoWrite', '--add', 'Build', '--active-form', 'Building');
  rewrite(listFolder(state, { session: 's', agent: 'ann' }), (json) =>
    json.replace('"content":', '"colour":"red","content":'),
  );
  expect(await run('TodoWrite', '--start', '1')).toMatchObject({ exitCode: 0 });
  const list = (await run('TodoRead', '--json')).stdout;
  expect(JSON.parse(list).todos).toMatchObject([{ colour: 'red', status: 'in_progress' }]);
});
