import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listsIn, sessionFolder } from '../../src/state/list-paths.ts';
import { taskCommands } from '../../src/tasks/task-commands.ts';
import { taskContext } from '../../src/tasks/task-context.ts';
import { TodoLists } from '../../src/todo/todo-lists.ts';
import { temporaryDirectory } from '../helpers/files.ts';

/** A work tree and a folder for lists. */
function workTree() {
  const root = temporaryDirectory();
  const tree = join(root, 'tree');
  mkdirSync(join(tree, '.git'), { recursive: true });
  mkdirSync(join(tree, 'src'));
  const environment = (more: Record<string, string>) => ({
    TODO_STATE_DIR: join(root, 'state'),
    ...more,
  });
  const lists = (more: Record<string, string>, directory = tree) =>
    new TodoLists(environment(more), directory);
  return { tree, lists, environment };
}

test.each(['CLAUDE_CODE_SESSION_ID', 'CODEX_THREAD_ID', 'OPENCODE_SESSION_ID'])(
  'two sessions of a harness in one work tree (%s) have two lists, and a resumed one finds its own',
  (name) => {
    const { tree, lists } = workTree();
    const item = { content: 'a', activeForm: 'A', status: 'pending' } as const;
    lists({ [name]: 'one' })
      .open({})
      .update([item]);
    expect(
      lists({ [name]: 'two' })
        .open({})
        .shown.get().items,
    ).toEqual([]);
    expect(lists({}).open({}).shown.get().items).toEqual([]);
    expect(
      lists({ [name]: 'one' }, join(tree, 'src'))
        .open({})
        .shown.get().items,
    ).toEqual([item]);
  },
);

test('all lists of the work tree are found without the id, and one of them by its whole name', () => {
  const { tree, lists } = workTree();
  lists({ CODEX_THREAD_ID: 'one' }).open({}).update([]);
  lists({ CODEX_THREAD_ID: 'two' }).open({ agent: 'helper' }).update([]);
  lists({}).open({}).update([]);
  const found = listsIn(sessionFolder(lists({}).folder, tree)).map(({ agent }) => agent);
  expect(found).toEqual(['helper@two', 'main', 'main@one']);
  expect(lists({ CODEX_THREAD_ID: 'two' }).name({ agent: 'main@one' }).agent).toBe('main@one');
});

test('a session that was named is the same one for every session of a harness', () => {
  const { lists } = workTree();
  const named = lists({ TODO_SESSION: 'release', CLAUDE_CODE_SESSION_ID: 'one' });
  expect(named.name({})).toEqual({ session: 'release', agent: 'main' });
  const asked = lists({ CLAUDE_CODE_SESSION_ID: 'one' }).name({ session: 'release' });
  expect(asked).toEqual({ session: 'release', agent: 'main' });
});

test('who wrote a list is the agent, without the id', async () => {
  const { lists } = workTree();
  const { open } = lists({ CLAUDE_CODE_SESSION_ID: 'one' });
  expect((await open({}).update([])).by).toBe('main');
  expect((await open({ agent: 'helper' }).update([])).by).toBe('helper');
});

test('where a harness runs inside another, one id counts, the same one each time', () => {
  const { lists } = workTree();
  const both = { CODEX_THREAD_ID: 'codex', CLAUDE_CODE_SESSION_ID: 'claude' };
  expect(lists(both).name({}).agent).toBe('main@claude');
});

test('the tasks of a work tree are those of all its sessions', async () => {
  const { tree, lists, environment } = workTree();
  const run = async (id: string, name: string, ...argv: string[]) => {
    const variables = environment({ CLAUDE_CODE_SESSION_ID: id, TODO_AGENT: id });
    const tasks = taskContext({
      environment: variables,
      directory: () => tree,
      lists: () => lists(variables),
    });
    const command = taskCommands(tasks).find((known) => known.name === name);
    return command?.execute({ argv, stdin: async () => '' });
  };
  await run('one', 'TaskCreate', '--subject', 'Ship it');
  expect((await run('two', 'TaskClaim', '--next'))?.exitCode).toBe(0);
});
