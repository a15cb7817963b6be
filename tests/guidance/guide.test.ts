import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CommandType, withExecute } from '../../src/base/command/agent-command.ts';
import { Guide, type GuideOptions } from '../../src/guidance/guide.ts';
import type { GuidanceRule } from '../../src/guidance/rules.ts';
import { GUIDANCE_RULES } from '../../src/guidance/rules.ts';
import { USER } from '../../src/lists/place.ts';
import { BashRouter } from '../../src/shell/router/bash-router.ts';
import { openTodoStore, TodoStore } from '../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { todoList } from '../todo/arbitraries.ts';
import { agentSession, items, notesOf, serve, shellThat, writeLine } from './agent-session.ts';

const DROPPED =
  'Note: 1 unfinished item is no longer on the list: "Ship it". By mistake: TodoWrite --undo; on purpose, next time: --drop N.';
const IDLE = 'Note: 1 item is open and none is in_progress. Mark the one you are working on.';

/** The notes and reminders of a session with both. */
async function guidanceWith(options: Parameters<typeof agentSession>[0]) {
  const session = agentSession(options);
  await session.write('[ ] Fix it', '[ ] Ship it');
  const notes = await session.write('[ ] Fix it');
  const reminders = await session.idle(5);
  return [...notes, ...reminders.map(([, reminder]) => reminder)];
}

const mode = (guidance: 'off' | 'notes' | 'all') => () => ({ guidance, reminderTurns: 10 });

test.each([
  ['all, unless told otherwise', {}, [DROPPED, IDLE]],
  ['all', { settings: mode('all') }, [DROPPED, IDLE]],
  ['notes only', { settings: mode('notes') }, [DROPPED]],
  ['nothing', { settings: mode('off') }, []],
  ['no notes, by option', { notes: false }, [IDLE]],
  ['no reminders, by option', { reminders: false }, [DROPPED]],
  [
    'no option allows guidance that the settings turn off',
    { settings: mode('off'), notes: true, reminders: true },
    [],
  ],
  [
    'all but one rule',
    { rules: GUIDANCE_RULES.filter(({ name }) => name !== 'dropped-items') },
    [IDLE],
  ],
])('a session gets %s', async (_, options, expected) => {
  expect(await guidanceWith(options)).toEqual(expected);
});

test('the settings are asked each time', async () => {
  let guidance: 'off' | 'all' = 'off';
  const session = agentSession({ settings: () => ({ guidance, reminderTurns: 10 }) });
  await session.write('[ ] Ship it');
  expect(await session.write('[ ] Fix it')).toEqual([]);
  guidance = 'all';
  await session.write('[ ] Ship it');
  expect(await session.write('[ ] Fix it')).toEqual([DROPPED]);
});

test('guidance changes neither the output, nor the exit code, nor the list', async () => {
  const stdin = async () => '';
  await fc.assert(
    fc.asyncProperty(fc.array(todoList(), { maxLength: 6 }), async (lists) => {
      const [alone, guided] = [new TodoStore(), new TodoStore()];
      const guide = new Guide({ store: guided });
      const handlers = [new TodoWriteHandler(alone), guide.guided(new TodoWriteHandler(guided))];
      for (const todos of lists) {
        guide.commandStarted('npm test', CommandType.NATIVE_SHELL_COMMAND);
        const argv = [JSON.stringify({ todos })];
        const [before, after] = await Promise.all(
          handlers.map((each) => each.execute({ argv, stdin })),
        );
        expect({ ...after, stderr: '' }).toEqual({ ...before, stderr: '' });
        expect(after?.stderr).toMatch(/^(Note: [^\n]{1,320}\n)*$/);
        expect(guided.get().items).toEqual(alone.get().items);
        for (const reminder of guide.commandEnded(1)) {
          expect(reminder).toMatch(/^(Note: [^\n]{1,320}(\n|$)){1,6}$/);
        }
      }
    }),
  );
});

test('a router with handlers of its own has guidance on the list of the TodoWrite among them', async () => {
  const store = new TodoStore();
  const shell = shellThat();
  for (const source of [store, () => store]) {
    store.update(items('[ ] Ship it'));
    const router = new BashRouter({ handlers: [new TodoWriteHandler(source)], shell });
    await router.route('ls');
    expect(notesOf(await router.route(writeLine(items('[ ] Fix it'))))).toEqual([DROPPED]);
  }
  store.update(items('[ ] Ship it'));
  const silent = new BashRouter({ handlers: [new TodoWriteHandler(store)], shell, guide: false });
  expect(notesOf(await silent.route(writeLine(items('[ ] Fix it'))))).toEqual([]);
});

test('a refused replacement and one by the host are not noted, neither then nor later', async () => {
  const session = agentSession();
  await session.write('[ ] Fix it', '[ ] Ship it');
  const { exitCode, stderr } = await session.router.route('TodoWrite \'{"todos":[{}]}\'');
  expect(exitCode).toBe(1);
  expect(stderr).not.toContain('Note: ');
  session.store.update(items('[ ] Fix it'));
  expect(await session.write('[ ] Fix it')).toEqual([]);
});

test('notes come after those of the command itself', async () => {
  const session = agentSession();
  await session.write('[ ] Ship it');
  const bare = JSON.stringify(items('[ ] Fix it'));
  const notes = notesOf(await session.router.route(`TodoWrite '${bare}'`));
  expect(notes).toEqual([expect.stringMatching(/^Note: read the bare array/), DROPPED]);
});

test('a guided command is the same one by name, summary and the JSON that it reads', () => {
  const store = new TodoStore();
  const { name, summary, readsRawJson } = new TodoWriteHandler(store);
  const guide = new Guide({ store });
  expect(guide.guided(new TodoWriteHandler(store))).toMatchObject({ name, summary, readsRawJson });
});

test("a host's rule may note and remind; its lines are made safe, and cut", async () => {
  const rules: GuidanceRule[] = [
    { name: 'long', kind: 'note', say: () => ['one', `\x1b[2J${'x'.repeat(400)}`] },
    {
      name: 'three-failures',
      kind: 'reminder',
      say: ({ commands }) =>
        commands.slice(-3).every(({ exitCode }) => exitCode !== 0) && commands.length >= 3
          ? `three commands in a row failed, the last one: ${commands.at(-1)?.line}`
          : undefined,
    },
  ];
  const session = agentSession({ rules });
  expect(await session.write('[>] Fix it')).toEqual([
    'Note: one',
    `Note: ␛[2J${'x'.repeat(293)}...`,
  ]);
  await session.run('make', 2);
  await session.run('make a', 2);
  expect((await session.run('make b', 2)).reminders).toEqual([
    'Note: three commands in a row failed, the last one: make b',
  ]);
});

test('a rule that throws fails no command, and is not lost', async () => {
  const broken: GuidanceRule = {
    name: 'broken',
    kind: 'note',
    say: () => {
      throw new Error('oops');
    },
  };
  const session = agentSession({ rules: [broken, ...GUIDANCE_RULES] });
  expect(await session.write('[>] Fix it')).toEqual([
    'Note: the guidance rule broken failed: oops',
  ]);
});

test('the guide ignores a list that cannot be read, and repeats no note for it', async () => {
  const store = new TodoStore();
  let isDamaged = true;
  const get = () => {
    if (isDamaged) throw new Error('damaged');
    return store.get();
  };
  const guide = new Guide({ store: { get } });
  const handler = guide.guided(new TodoWriteHandler(store));
  guide.commandStarted('ls', CommandType.NATIVE_SHELL_COMMAND);
  const write = (...lines: string[]) =>
    handler.execute({ argv: [JSON.stringify({ todos: items(...lines) })], stdin: async () => '' });
  expect(await write('[ ] Ship it')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(guide.commandEnded(0)).toEqual([]);
  isDamaged = false;
  expect(notesOf(await write('[ ] Fix it'))).toEqual([DROPPED]);
  isDamaged = true;
  expect(await write('[ ] Fix it')).toMatchObject({ exitCode: 0, stderr: '' });
});

test('a command that fails gets no note, whoever changed the list meanwhile', async () => {
  const store = new TodoStore();
  store.update(items('[ ] Ship it'));
  const write = new TodoWriteHandler(store);
  const execute = async () => {
    store.update(items('[ ] Fix it'));
    return { stdout: '', stderr: '', exitCode: 1 };
  };
  const failing = new Guide({ store }).guided(withExecute(write, execute));
  expect((await failing.execute({ argv: [], stdin: async () => '' })).stderr).toBe('');
});

test('a list that was there before the session is one, though nobody has written it since', async () => {
  const changes = ['git add a', 'git commit -m a', 'rm b', ...Array(9).fill('ls')];
  const reminders = async (...found: string[]) => {
    const session = agentSession();
    session.store.update(items(...found));
    const results = [];
    for (const line of changes) results.push(...((await session.run(line)).reminders ?? []));
    return results;
  };
  expect(await reminders('[x] Ship it')).toEqual([]);
  expect(await reminders()).toEqual([expect.stringContaining('without a task list')]);
});

test('reminders come first in stderr if the router, or the line, has that option', async () => {
  const store = new TodoStore();
  store.update(items('[ ] Fix it'));
  const shell = shellThat({ stdout: 'out', stderr: 'err', exitCode: 1 });
  const guide = () =>
    new Guide({ store, rules: [{ name: 'x', kind: 'reminder', times: 9, say: () => 'hey' }] });
  const router = new BashRouter({ handlers: [], shell, guide: guide(), reminders: 'stderr' });
  const said = { stdout: 'out', stderr: 'Note: hey\nerr', exitCode: 1 };
  expect(await router.route('ls')).toEqual({ type: 'native_shell_command', ...said });
  const field = { ...said, stderr: 'err', reminders: ['Note: hey'] };
  expect(await router.route('ls', { reminders: 'field' })).toMatchObject(field);
  const plain = new BashRouter({ handlers: [], shell, guide: guide() });
  const request = { id: 1, command: 'ls' };
  const [first, second] = await serve(plain, [
    { ...request, reminders: 'stderr' },
    { ...request, reminders: 1 },
  ]);
  expect(first).toMatchObject(said);
  expect(first).not.toHaveProperty('reminders');
  expect(second.error).toContain("reminders: Expected 'field' or 'stderr'");
});

test('late news delay no line, and are printed after the line during which they arrive', async () => {
  let come: (lines: readonly string[]) => void = () => {};
  const coming = new Promise<readonly string[]>((resolve) => {
    come = resolve;
  });
  let asked = 0;
  const news = async () => (asked++ === 0 ? coming : []);
  const tasks = { news } as unknown as NonNullable<GuideOptions['tasks']>;
  const guide = new Guide({ rules: [], tasks });
  expect(await guide.news()).toEqual([]);
  come(['#1 "Build" was completed by bob']);
  expect(await guide.news()).toEqual(['Note: #1 "Build" was completed by bob']);
  expect(await guide.news()).toEqual([]);
});

test("a person's changes to the agent's list are told once, after the next line; its own are not, nor is what was taken back", async () => {
  const folder = `${temporaryDirectory()}/s/main`;
  const shared = openTodoStore({ folder, author: 'main' });
  const user = openTodoStore({ folder, author: USER });
  const guide = new Guide({ shared });
  shared.update(items('[ ] Fix it'));
  expect(await guide.news()).toBeUndefined();
  user.update(items('[ ] Fix it', '[ ] Ship it'));
  expect(await new Guide({ shared, settings: mode('notes') }).news()).toBeUndefined();
  expect(await new Guide({ shared, reminders: false }).news()).toBeUndefined();
  expect(await guide.news()).toEqual(['Note: the user added "Ship it"']);
  expect(await guide.news()).toBeUndefined();
  user.update(items('[ ] Fix it'));
  user.update(items('[ ] Fix it', '[ ] Ship it'));
  expect(await guide.news()).toEqual([]);
  // Nothing is signed for it, and the list is not read again after each line.
  expect(shared.get()).toMatchObject({ version: 5, by: USER });
  expect(await guide.news()).toBeUndefined();
});
