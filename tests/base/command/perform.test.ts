import { execFileSync } from 'node:child_process';
import { estimateTokenCount as tokens } from 'tokenx';
import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../src/base/settings/settings.ts';
import archivePage from '../../../src/tasks/task-archive.md';
import claimPage from '../../../src/tasks/task-claim.md';
import createPage from '../../../src/tasks/task-create.md';
import getPage from '../../../src/tasks/task-get.md';
import inboxPage from '../../../src/tasks/task-inbox.md';
import listPage from '../../../src/tasks/task-list.md';
import taskProvePage from '../../../src/tasks/task-prove.md';
import releasePage from '../../../src/tasks/task-release.md';
import undoPage from '../../../src/tasks/task-undo.md';
import updatePage from '../../../src/tasks/task-update.md';
import todoProvePage from '../../../src/todo/todo-prove.md';
import { TodoProveHandler } from '../../../src/todo/todo-prove.ts';
import readPage from '../../../src/todo/todo-read.md';
import { TodoReadHandler } from '../../../src/todo/todo-read.ts';
import { TodoStore } from '../../../src/todo/todo-store.ts';
import writePage from '../../../src/todo/todo-write.md';
import { TodoWriteHandler } from '../../../src/todo/todo-write.ts';
import { items } from '../../guidance/agent-session.ts';
import { ok } from '../../helpers/replies.ts';
import { Team } from '../../tasks/team.ts';
import { todoWrite } from '../../todo/call.ts';

const DEFAULTS: Record<string, unknown> = { ...DEFAULT_SETTINGS };

/** The help page of each command; the examples of some, with the commands that precede them. */
const PAGES: Record<string, [page: string, before?: string[]]> = {
  TodoWrite: [writePage.replace(/\{(\w+)\}/g, (_, name) => String(DEFAULTS[name])), []],
  TodoRead: [readPage],
  TaskCreate: [createPage, []],
  TaskUpdate: [updatePage, ['TaskCreate|--subject|A', 'TaskCreate|--subject|B|--blocked-by|1']],
  TaskList: [listPage],
  TaskGet: [getPage],
  TaskClaim: [claimPage, ['TaskCreate|--subject|Fix login']],
  TaskProve: [taskProvePage],
  TodoProve: [todoProvePage],
  TaskRelease: [releasePage, ['TaskCreate|--subject|A', 'TaskClaim|1|--agent|agent-1']],
  TaskInbox: [inboxPage],
  TaskUndo: [undoPage, ['TaskCreate|--subject|Fix login', 'TaskUpdate|1|--status|deleted']],
  TaskArchive: [archivePage, ['TaskCreate|--subject|A', 'TaskUpdate|1|--status|completed']],
};

test.each(Object.entries(PAGES))('the help of %s and its example', async (name, [page, before]) => {
  const team = new Team({ settings: { guidance: 'off' } });
  const lists = new TodoStore();
  const todo = [
    new TodoWriteHandler(lists),
    new TodoReadHandler(lists),
    new TodoProveHandler(lists),
  ];
  const handlers = [...team.handlers.values(), ...todo];
  const call = (command: string, argv: string[], stdin = '') =>
    handlers.find((known) => known.name === command)?.execute({ argv, stdin: async () => stdin });
  const lines = page.split('\n');
  expect(lines.length).toBeLessThan(60);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(81);
  expect(await call(name, ['--help'])).toEqual(ok(page));
  expect((await call(name, ['-h']))?.stdout).toMatch(
    new RegExp(`^Usage: ${name} .*\nMore: ${name} --help\n$`),
  );
  expect((await call(name, ['--version']))?.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  if (before === undefined) return;
  const [, example = '', reply = ''] = /\nExample\n([\s\S]*)Reply\n([\s\S]*)$/.exec(page) ?? [];
  const script = `${name}() { (( $# )) || cat; printf '\\0%s' "$@"; }\n${example}`;
  const said = execFileSync('bash', ['-c', script], { encoding: 'utf8' });
  const [stdin = '', ...argv] = said.split('\0');
  for (const line of before) {
    const [command = '', ...words] = line.split('|');
    await call(command, words);
  }
  expect(await call(name, argv.filter(Boolean), stdin)).toEqual(ok(reply));
});

test('the page names the limits that hold', async () => {
  const { stdout } = await todoWrite(['--help'], {
    settings: { maxItems: 3, maxContentLength: 5 },
  });
  expect(stdout).toContain('up to 5 characters');
  expect(stdout).toContain('up to 3 items');
});

test('the example of TodoRead is what it prints', async () => {
  const store = new TodoStore();
  store.update(
    items(
      '[x] Refactor auth module',
      '[>] Add unit tests <- Adding unit tests for auth module',
      '[ ] Update documentation',
    ),
  );
  const { stdout } = await new TodoReadHandler(store).execute({ argv: [] });
  expect(readPage.replaceAll('\n  ', '\n')).toContain(`$ TodoRead\n${stdout}`);
});

test('TodoWrite --help costs a model under 700 tokens', async () => {
  const { stdout } = await todoWrite(['--help']);
  // An estimate, within 5% of GPT-4o's tokenizer, whose tables would be a sixth of what `npm ci` installs.
  expect(tokens(stdout)).toBeLessThan(700);
  // The estimate of those who count four characters a token.
  expect(stdout.length / 4).toBeLessThan(700);
});

test('the page says when to write a list, when to read it, and how', () => {
  for (const words of [
    /user asks for a list/,
    /which the user watches live/,
    /Add new instructions at once/,
    /exactly one item is in_progress[^-]*finish it before\s+you start another/,
    /no longer relevant with --drop/,
    /never with failing tests,\s+errors or parts left/,
    /TodoRead[^.]*\. Read it when you resume/,
    /3 to 7 milestones, verification last/,
    /Blocked\? Use --pending N, add the obstacle/,
    /one hard step/,
    /Break a complex task into smaller steps/,
    /"pending" \(not begun\), "in_progress" \([^)]*\) or "completed"\s+\(fully done\)/,
    /\{"todos":\[\]\} clears it/,
  ]) {
    expect(writePage).toMatch(words);
  }
});
