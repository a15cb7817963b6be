import { execFileSync } from 'node:child_process';
import { estimateTokenCount as tokens } from 'tokenx';
import { expect, test } from 'vitest';
import type { AgentBashHandler } from '../../../src/base/command/agent-command.ts';
import { DEFAULT_SETTINGS } from '../../../src/base/settings/settings.ts';
import { agentHandlers } from '../../../src/shell/router/agent-handlers.ts';
import readPage from '../../../src/todo/todo-read.md';
import { TodoReadHandler } from '../../../src/todo/todo-read.ts';
import { TodoStore } from '../../../src/todo/todo-store.ts';
import writePage from '../../../src/todo/todo-write.md';
import { items } from '../../guidance/agent-session.ts';
import { ok } from '../../helpers/replies.ts';
import { Team } from '../../tasks/team.ts';
import { todoWrite } from '../../todo/call.ts';

const ONE_TASK = 'TaskCreate|--subject|Fix login';
/** The commands that precede the example of a help page, if not one that creates a task. */
const BEFORE: Record<string, string[]> = {
  TodoWrite: [],
  TaskCreate: [],
  TaskUpdate: ['TaskCreate|--subject|A', 'TaskCreate|--subject|B|--blocked-by|1'],
  TaskRelease: ['TaskCreate|--subject|A', 'TaskClaim|1|--agent|agent-1'],
  TaskUndo: [ONE_TASK, 'TaskUpdate|1|--status|deleted'],
  TaskArchive: ['TaskCreate|--subject|A', 'TaskUpdate|1|--status|completed'],
};
/** Their examples show times, longer lists, or a check that ran. */
const NOT_RUN = ['TodoRead', 'TodoProve', 'TaskProve', 'TaskGet', 'TaskList', 'TaskInbox'];

function allCommands(): AgentBashHandler[] {
  const team = new Team({ settings: { guidance: 'off' } });
  const settings = () => ({ settings: DEFAULT_SETTINGS, warnings: [] });
  return [...agentHandlers(new TodoStore(), settings), ...team.handlers.values()];
}

test.each(allCommands().map(({ name }) => name))('the help of %s and its example', async (name) => {
  const handlers = allCommands();
  const call = (command: string, argv: string[], stdin = '') =>
    handlers.find((known) => known.name === command)?.execute({ argv, stdin: async () => stdin });
  const page = (await call(name, ['--help']))?.stdout ?? '';
  expect(page).toMatch(new RegExp(`^${name} - `));
  expect(page).not.toMatch(/\{\w+\}/);
  const lines = page.split('\n');
  expect(lines.length).toBeLessThan(60);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(81);
  expect((await call(name, ['-h']))?.stdout).toMatch(
    new RegExp(`^Usage: ${name} .*\nMore: ${name} --help\n$`),
  );
  expect((await call(name, ['--version']))?.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  if (NOT_RUN.includes(name)) return;
  const [, example = '', reply = ''] = /\nExample\n([\s\S]*)Reply\n([\s\S]*)$/.exec(page) ?? [];
  const script = `${name}() { (( $# )) || cat; printf '\\0%s' "$@"; }\n${example}`;
  const said = execFileSync('bash', ['-c', script], { encoding: 'utf8' });
  const [stdin = '', ...argv] = said.split('\0');
  for (const line of BEFORE[name] ?? [ONE_TASK]) {
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
