import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { beginningFile } from '../../src/lists/list-paths.ts';
import { taskCommands } from '../../src/tasks/task-commands.ts';
import { teamOf } from '../../src/tasks/task-context.ts';
import type { TodoItem } from '../../src/todo/todo-fields.ts';
import { TodoHome } from '../../src/todo/todo-home.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { agentsIn } from '../helpers/list-folders.ts';

const ITEM: TodoItem = { content: 'a', activeForm: 'A', status: 'pending' };

function workTree() {
  const root = temporaryDirectory();
  const [tree, other] = [join(root, 'tree'), join(root, 'other')];
  for (const folder of [tree, other]) mkdirSync(join(folder, '.git'), { recursive: true });
  mkdirSync(join(tree, 'src'));
  const environment = (more: Record<string, string>) => ({
    TODO_STATE_DIR: join(root, 'state'),
    ...more,
  });
  const lists = (more: Record<string, string>, directory = tree) =>
    new TodoHome(environment(more), directory);
  const itemsOf = (more: Record<string, string>, directory?: string) =>
    lists(more, directory).open({}).get().items;
  const begin = (more: Record<string, string>, directory?: string, item: TodoItem = ITEM) =>
    lists(more, directory).open({}).update([item]);
  return { tree, other, lists, itemsOf, begin, environment };
}

const IDS = ['CLAUDE_CODE_SESSION_ID', 'CODEX_THREAD_ID', 'OPENCODE_SESSION_ID'];

test.each(IDS)('each session of a harness has its own list in a work tree, by its %s', (name) => {
  const { tree, itemsOf, begin } = workTree();
  begin({ [name]: 'one' });
  expect([itemsOf({ [name]: 'two' }), itemsOf({})]).toEqual([[], []]);
  expect(itemsOf({ [name]: 'one' }, join(tree, 'src'))).toEqual([ITEM]);
});

test('a list that a session of a harness has begun is found from every directory', () => {
  const { tree, other, lists, itemsOf, begin, environment } = workTree();
  const one = { CLAUDE_CODE_SESSION_ID: 'one' };
  begin(one);
  for (const directory of [join(tree, 'src'), other, '/']) {
    expect(itemsOf(one, directory)).toEqual([ITEM]);
  }
  const nowhere = new TodoHome(environment(one), undefined);
  expect(nowhere.open({}).get().items).toEqual([ITEM]);
  begin(one, other, { ...ITEM, status: 'completed' });
  expect(itemsOf(one)[0]?.status).toBe('completed');
  expect(agentsIn(lists({}).folder, tree)).toHaveLength(1);
  expect(agentsIn(lists({}).folder, other)).toEqual([]);
});

test('to read begins nothing, and each agent of a session has its own beginning', () => {
  const { tree, other, lists, begin } = workTree();
  const one = { CLAUDE_CODE_SESSION_ID: 'one' };
  lists(one, other).open({}).read();
  begin(one);
  lists(one, other).open({ agent: 'helper' }).update([]);
  expect(lists(one, other).name({})).toEqual({ session: tree, agent: 'main@one' });
  expect(lists(one, tree).name({ agent: 'helper' }).session).toBe(other);
});

test('where nobody names a session, and for a name that is complete, the work tree decides', () => {
  const { tree, other, lists, begin } = workTree();
  begin({ CODEX_THREAD_ID: 'one' });
  expect(lists({}, other).name({}).session).toBe(other);
  expect(lists({ CODEX_THREAD_ID: 'two' }, other).name({}).session).toBe(other);
  lists({ CODEX_THREAD_ID: 'one' }).open({ agent: 'ann@b' }).update([]);
  expect(lists({ CODEX_THREAD_ID: 'one' }, other).name({ agent: 'ann@b' }).session).toBe(other);
  expect(lists({}, tree).name({ agent: 'main@one' }).session).toBe(tree);
});

test('a list that began before sessions were found everywhere is found, too', () => {
  const { tree, other, lists, itemsOf } = workTree();
  const one = { CODEX_THREAD_ID: 'one' };
  const named = lists({ TODO_SESSION: tree, TODO_AGENT: 'main@one' });
  named.open({}).update([ITEM]);
  expect(itemsOf(one)).toEqual([ITEM]);
  expect(itemsOf(one, other)).toEqual([ITEM]);
});

test('all lists of the work tree are found without the id, and one of them by its whole name', () => {
  const { tree, lists } = workTree();
  lists({ CODEX_THREAD_ID: 'one' }).open({}).update([]);
  lists({ CODEX_THREAD_ID: 'two' }).open({ agent: 'helper' }).update([]);
  lists({}).open({}).update([]);
  const found = agentsIn(lists({}).folder, tree);
  expect(found).toEqual(['helper@two', 'main', 'main@one']);
  expect(lists({ CODEX_THREAD_ID: 'two' }).name({ agent: 'main@one' }).agent).toBe('main@one');
});

test('who named a session, or runs inside another harness, has one list each time; its author is the agent', async () => {
  const { lists } = workTree();
  const one = { CLAUDE_CODE_SESSION_ID: 'one' };
  const release = { session: 'release', agent: 'main' };
  expect(lists({ TODO_SESSION: 'release', ...one }).name({})).toEqual(release);
  expect(lists(one).name({ session: 'release' })).toEqual(release);
  expect(lists({ CODEX_THREAD_ID: 'codex', ...one }).name({}).agent).toBe('main@one');
  const home = lists(one);
  const list = home.open({});
  expect((await list.update([])).by).toBe('main');
  expect((await home.open({ agent: 'helper' }).update([])).by).toBe('helper');
});

test('an agent is a subagent where `main` of its session has a list, however old; `main` never is', async () => {
  const { lists } = workTree();
  const home = lists({ TODO_SESSION: 's' });
  const isSub = (agent: string) => home.isOfSubagent(home.open({ agent }));
  for (const agent of ['helper', 'helper@1', 'helper@2']) home.open({ agent }).update([]);
  expect(await isSub('helper')).toBe(false);
  for (const agent of ['main', 'main@1']) home.open({ agent }).update([]);
  const agents = ['main', 'main@1', 'main@2', 'helper', 'new', 'helper@1', 'helper@2'];
  const found = await Promise.all(agents.map(isSub));
  expect(agents.filter((_, at) => found[at])).toEqual(['helper', 'new', 'helper@1']);
});

test('the tasks of a work tree are those of all its sessions', async () => {
  const { other, lists, environment } = workTree();
  const run = async (id: string, name: string, ...argv: string[]) => {
    const variables = environment({ CLAUDE_CODE_SESSION_ID: id, TODO_AGENT: id });
    const command = taskCommands(teamOf(lists(variables))).find((known) => known.name === name);
    return command?.execute({ argv, stdin: async () => '' });
  };
  await run('one', 'TaskCreate', '--subject', 'Ship it');
  // Its own list elsewhere does not matter.
  lists({ CLAUDE_CODE_SESSION_ID: 'two' }, other).open({}).update([]);
  expect((await run('two', 'TaskClaim', '--next'))?.exitCode).toBe(0);
});

test.each([
  ['is garbage', (mark: string) => writeFileSync(mark, '\0\0garbage')],
  ['holds another value', (mark: string) => writeFileSync(mark, '["a"]\n')],
  ['is a folder', (mark: string) => mkdirSync(mark)],
  ['is a link', (mark: string) => symlinkSync('/etc/passwd', mark)],
  ['is gone, and its folder with it', (mark: string) => rmSync(dirname(mark), { recursive: true })],
])('where the mark of a beginning %s, the list is found all the same', (_, spoil) => {
  const { tree, other, lists, itemsOf, begin } = workTree();
  const one = { CLAUDE_CODE_SESSION_ID: 'one' };
  begin(one);
  lists({ CLAUDE_CODE_SESSION_ID: 'two' }, other).open({}).update([]);
  const mark = beginningFile(join(tree, '..', 'state'), 'main@one');
  rmSync(mark);
  spoil(mark);
  for (const directory of [tree, other, '/']) {
    expect(itemsOf(one, directory)).toEqual([ITEM]);
  }
});
