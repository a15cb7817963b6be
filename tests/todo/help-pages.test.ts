import { execFileSync } from 'node:child_process';
import { estimateTokenCount as tokens } from 'tokenx';
import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts';
import readPage from '../../src/todo/todo-read.md';
import { TodoReadHandler } from '../../src/todo/todo-read.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import writePage from '../../src/todo/todo-write.md';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';
import { items } from '../guidance/agent-session.ts';
import { todoWrite } from './call.ts';

test.each([
  ['TodoWrite', new TodoWriteHandler(new TodoStore()), writePage],
  ['TodoRead', new TodoReadHandler(new TodoStore()), readPage],
])(
  '-h, --help and --version of %s; its page is under 60 lines of under 100 columns',
  async (name, handler, page) => {
    for (const [option, stdout] of [
      ['-h', new RegExp(`^Usage: ${name} .*\n$`)],
      ['--help', new RegExp(`^${name} - `)],
      ['--version', /^\d+\.\d+\.\d+\n$/],
    ] as const) {
      const expected = { stdout: expect.stringMatching(stdout), stderr: '', exitCode: 0 };
      const call = { argv: [option], stdin: async () => '' };
      expect(await handler.execute(call)).toEqual(expected);
    }
    // The limits are shorter than their names.
    const lines = page.replaceAll(/\{\w+\}/g, '200').split('\n');
    expect(lines.length).toBeLessThan(60);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(100);
  },
);

test.each([
  [{}, DEFAULT_SETTINGS.maxItems, DEFAULT_SETTINGS.maxContentLength],
  [{ maxItems: 3, maxContentLength: 5 }, 3, 5],
])('the page names the limits that hold: %j', async (settings, items, characters) => {
  const { stdout } = await todoWrite(['--help'], { settings });
  expect(stdout).toContain(`up to ${characters} characters`);
  expect(stdout).toContain(`up to ${items} items`);
});

test("the page's example, pasted into bash, gives the page's reply", async () => {
  const [, example = '', reply = ''] =
    /\nExample\n([\s\S]*)Reply\n([\s\S]*)$/.exec(writePage) ?? [];
  const stdin = execFileSync('bash', ['-c', `TodoWrite() { cat; }\n${example}`], {
    encoding: 'utf8',
  });
  const { exitCode, stdout, stderr } = await todoWrite([], { stdin });
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: reply, stderr: '' });
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
});

test('the page says when to write a list, when to read it, and how', () => {
  for (const words of [
    /user asks for a list/,
    /Add new instructions at once/,
    /exactly one item is in_progress[^-]*finish it before\s+you start another/,
    /no longer relevant with --drop/,
    /never with failing tests,\s+errors or parts left/,
    /TodoRead[^.]*\. Read it when you resume/,
    /3 to 7 milestones, verification last/,
    /Blocked\? Set the item back to pending/,
    /one hard step/,
    /Break a complex task into smaller steps/,
    /"pending" \(not begun\), "in_progress" \([^)]*\) or "completed"\s+\(fully done\)/,
    /\{"todos":\[\]\} clears it/,
  ]) {
    expect(writePage).toMatch(words);
  }
});
