import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/base/settings/settings.ts';
import { Guide } from '../../src/guidance/guide.ts';
import { listNotes } from '../../src/guidance/rules.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';
import { agentSession, items } from './agent-session.ts';

/** The notes when the second list replaces the first: in a session, and the same by a program that knows only the two lists. */
async function notes(before: readonly string[], after: readonly string[]): Promise<string[]> {
  const session = agentSession();
  await session.write(...before);
  const said = await session.write(...after);
  const store = new TodoStore();
  const [was, written] = [store.update(items(...before)), store.update(items(...after))];
  const lists = { settings: DEFAULT_SETTINGS, isOfSubagent: async () => false };
  const alone = await listNotes(lists)(store, was, written);
  expect(alone.map((note) => `Note: ${note}`)).toEqual(said);
  return said;
}

describe('dropped items', () => {
  const plan = ['[>] Fix it', '[ ] Write docs', '[ ] Ship it'];
  const MANY = (count: number) => `${count} unfinished items are no longer on the list:`;

  const renumbered = ['[x] #1 Plan', '[ ] #2 Write docs', '[ ] #3 Ship it'];
  const ONE = '1 unfinished item is no longer on the list:';

  test.each([
    ['unfinished items', plan, ['[>] Fix it'], `${MANY(2)} "Write docs", "Ship it"`],
    [
      'three of more',
      [...'abcdef'].map((name) => `[ ] ${name}`),
      ['[ ] f'],
      `${MANY(5)} "a", "b", "c" and 2 more`,
    ],
    [
      'all, with the one in progress, of a list that another replaces',
      plan,
      ['[>] Draw it', '[ ] Print it'],
      `${MANY(3)} "Fix it", "Write docs", "Ship it"`,
    ],
    [
      'the item in progress, but not if another replaced it',
      plan,
      plan.slice(1),
      `${ONE} "Fix it"`,
    ],
    [
      'a single item, if another one shares no word',
      ['[>] Fix it'],
      ['[>] Go on'],
      `${ONE} "Fix it"`,
    ],
    ['a single item in Chinese', ['[>] 修复登录'], ['[>] 写文档'], `${ONE} "修复登录"`],
    ['an item with another id', renumbered, ['[ ] #3 Release'], `${ONE} "Write docs"`],
    ['an item whose id another has now', renumbered, ['[ ] #1 Ship it'], `${ONE} "Write docs"`],
    [
      'long and hostile text, cut short and safe for a terminal',
      [`[ ] \x1b[2J\u202e${'x'.repeat(150)}`],
      ['[ ] a'],
      `${ONE} "␛[2J${'x'.repeat(43)}..."`,
    ],
  ])('it names %s that are left out', async (_, before, after, said) => {
    expect(await notes(before, after)).toEqual([
      `Note: ${said}. By mistake: TodoWrite --undo; on purpose, next time: --drop N.`,
    ]);
  });

  test('items left out by --drop or --undo are not named', async () => {
    const session = agentSession();
    await session.write(...plan);
    const { stderr } = await session.router.route('TodoWrite --drop 3');
    expect(stderr).toBe('');
    expect((await session.router.route('TodoWrite --start 2 --done 1')).stderr).toBe('');
    expect(await session.write('[x] Fix it')).toHaveLength(1);
    await session.write(...plan);
    expect((await session.router.route('TodoWrite --undo')).stderr).toBe('');
  });

  test.each([`TodoWrite '{"todos":[]}'`, 'TodoWrite --drop 1,2,3', 'TodoWrite --undo'])(
    'a list that is cleared on purpose is not talked about: %s',
    async (line) => {
      const session = agentSession();
      await session.write(...plan);
      expect(await session.router.route(line)).toMatchObject({
        stdout: 'Todo list updated: 0 completed, 0 in_progress, 0 pending\n',
        stderr: '',
      });
    },
  );

  test('a list that is cleared because everything is done keeps the note on dropped items', async () => {
    const store = new TodoStore();
    const settings = { ...DEFAULT_SETTINGS, clearWhenDone: true };
    const handler = new TodoWriteHandler(store, () => ({ settings, warnings: [] }));
    const command = new Guide({ store }).guided(handler);
    store.update(items(...plan));
    const argv = [JSON.stringify({ todos: items('[x] Fix it') })];
    expect((await command.execute({ argv, stdin: async () => '' })).stderr).toBe(
      `Note: ${MANY(2)} "Write docs", "Ship it". By mistake: TodoWrite --undo; on purpose, next time: --drop N.\n`,
    );
    expect(store.get().items).toEqual([]);
  });

  test.each([
    ['the list stays as it is', plan, plan],
    ['the first list of all', [], plan],
    ['completed items are left out', ['[x] a', '[x] b', '[>] c'], ['[>] c']],
    ['the item in progress alone is renamed', plan, ['[>] Fix it well', ...plan.slice(1)]],
    ['a single item is renamed', ['[>] Fix it'], ['[>] FIX login']],
    ['a single item in Chinese is renamed', ['[>] 修复登录'], ['[>] 登录页面']],
    ['it loses its id, too', ['[>] #1 Fix it', '[ ] Ship it'], ['[>] Fix it well', '[ ] Ship it']],
    ['it is renamed and completed', plan, ['[x] Fix it well', ...plan.slice(1)]],
    ['items change places', plan, [...plan].reverse()],
    [
      'case, spaces and the full stop change',
      plan,
      ['[>] fix  it.', '[ ] Write Docs', '[ ] Ship it'],
    ],
    ['one of two items of the same text goes', ['[ ] a', '[ ] a'], ['[ ] a']],
    ['items are added', plan, [...plan, '[ ] Tell the others']],
    ['an item is renamed under its id', renumbered.slice(1), ['[ ] #2 Docs', '[ ] #3 Release']],
    ['items are renumbered', renumbered, ['[ ] #1 Write docs', '[ ] #2 Ship it']],
    ['all are completed at once', ['[>] a', '[ ] b'], ['[x] a', '[x] b']],
  ])('nothing is said where %s', async (_, before, after) => {
    expect(await notes(before, after)).toEqual([]);
  });
});

describe('a finish without a check', () => {
  const note =
    'Note: all 3 items are completed and none of them was a check. Verify the work before you report success.';
  const done = ['[x] Find it', '[x] Fix it', '[x] Write docs'];

  test('a verification step is asked for, once for a finished list, though it is written once, and again for a new one', async () => {
    expect(await notes(['[x] Find it', '[x] Fix it', '[>] Write docs'], done)).toEqual([note]);
    const session = agentSession();
    expect(await session.write(...done)).toEqual([note]);
    expect(await session.write(...done)).toEqual([]);
    expect(await session.write(...done.slice(0, 2))).toEqual([]);
    await session.write('[>] Find it', '[x] Fix it', '[x] Write docs');
    expect(await session.write(...done)).toEqual([note]);
  });

  test.each([
    'Verify the result',
    'Re-test on Windows',
    'Typecheck',
    'Get it reviewed',
    'Write e2e specs',
    'Make sure it works',
    '验证结果',
    '代码審查',
    '動作を確認する',
    'Tests ausführen und Ergebnis prüfen',
    'Проверить результат',
  ])('nothing is asked where an item is: %s', async (content) => {
    expect(await agentSession().write('[x] Find it', '[x] Fix it', `[x] ${content}`)).toEqual([]);
  });

  test('an activeForm that speaks of a check counts', async () => {
    const last = '[x] Finish <- Testing everything';
    expect(await agentSession().write('[x] Find it', '[x] Fix it', last)).toEqual([]);
  });

  test('an item with a proof counts: its check has passed', async () => {
    const proof = {
      command: 'true',
      exitCode: 0,
      at: '2026-01-31T12:00:00.000Z',
      by: 'main',
    } as const;
    const store = new TodoStore();
    const [was, written] = [
      store.update(items('[x] Find it', '[x] Fix it', '[>] Write docs')),
      store.update(items(...done).map((item) => ({ ...item, proof }))),
    ];
    const lists = { settings: DEFAULT_SETTINGS, isOfSubagent: async () => false };
    expect(await listNotes(lists)(store, was, written)).toEqual([]);
  });

  test.each([
    'Fix the checkout page',
    'Use the latest version',
    'Show a preview',
    'Attest the build',
  ])('an item is no check because of its letters: %s', async (content) => {
    expect(await agentSession().write('[x] Find it', '[x] Fix it', `[x] ${content}`)).toEqual([
      note,
    ]);
  });

  test.each([
    ['a list of two', ['[x] Find it', '[x] Fix it']],
    ['a list with something left', [...done, '[ ] Ship it']],
    ['an empty list', []],
  ])('nothing is asked of %s', async (_, list) => {
    expect(await agentSession().write(...list)).toEqual([]);
  });
});

describe('skipped items', () => {
  const pending = ['[ ] a', '[ ] b', '[ ] c', '[ ] Check it'];

  test('three at a time that were never in progress are mentioned', async () => {
    expect(await notes(pending, ['[x] a', '[x] b', '[x] c', '[>] Check it'])).toEqual([
      'Note: 3 items were completed without ever being in_progress: "a", "b", "c". Mark an item in_progress before you begin it.',
    ]);
  });

  test('one that was in progress once, and then put back, was not skipped', async () => {
    const session = agentSession();
    await session.write('[>] a', '[ ] b', '[ ] c', '[ ] Check it');
    await session.write(...pending);
    expect(await session.write('[x] a', '[x] b', '[x] c', '[ ] Check it')).toEqual([]);
  });

  test('it is remembered over a new name, by the id', async () => {
    const session = agentSession();
    await session.write('[>] #1 a', '[ ] #2 b', '[ ] #3 c', '[ ] Check it');
    await session.write('[ ] #1 a, part one', '[ ] #2 b', '[ ] #3 c', '[ ] Check it');
    expect(
      await session.write('[x] #1 a, all of it', '[x] #2 b', '[x] #3 c', '[ ] Check it'),
    ).toEqual([]);
  });

  test.each([
    ['two are completed at a time', pending, ['[x] a', '[x] b', '[ ] c', '[ ] Check it']],
    [
      'one of three was in progress',
      ['[>] a', ...pending.slice(1)],
      ['[x] a', '[x] b', '[x] c', '[ ] Check it'],
    ],
    ['they are new on the list', ['[>] Check it'], ['[x] a', '[x] b', '[x] c', '[>] Check it']],
    [
      'they were completed before',
      ['[x] a', '[x] b', '[x] c', '[ ] Check it'],
      ['[x] a', '[x] b', '[x] c', '[>] Check it'],
    ],
  ])('nothing is said where %s', async (_, before, after) => {
    expect(await notes(before, after)).toEqual([]);
  });
});

test('a subagent is not told to verify: its parent is', async () => {
  const done = ['[x] a', '[x] b', '[x] c'];
  for (const [isSubagent, count] of [
    [true, 0],
    [false, 1],
  ] as const) {
    const session = agentSession({ isSubagent: () => isSubagent });
    await session.write('[x] a', '[x] b', '[>] c');
    expect(await session.write(...done)).toHaveLength(count);
  }
});
