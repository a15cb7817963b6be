import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { TodoReadHandler } from '../../src/todo/todo-read.ts';
import { TodoStore, todoStore } from '../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';
import { items } from '../guidance/agent-session.ts';
import { anyCharacter } from '../helpers/any-character.ts';
import { bestTime } from '../helpers/best-time.ts';
import { runs } from '../helpers/random.ts';
import { failed, ok } from '../helpers/replies.ts';
import { text } from './arbitraries.ts';
import { BEFORE, BUILD, commandsOn, json, refused, todoWrite } from './call.ts';

const USAGE = `Usage: TodoWrite '{"todos":[{"content":"...","activeForm":"...","status":"pending"}]}'\n`;

test('a list in one argument replaces the whole list, and the reply counts its states', async () => {
  const items = [
    { content: 'Plan', activeForm: 'Planning', status: 'completed' },
    { content: 'Test', activeForm: 'Testing', status: 'in_progress' },
    BUILD,
  ];
  expect(await todoWrite([json(...items)])).toEqual({
    ...ok('Todo list updated: 1 completed, 1 in_progress, 1 pending\n'),
    items,
  });
});

test.each([[[]], [['-']]])('with %j the list is read from standard input', async (argv) => {
  const result = await todoWrite(argv, { stdin: `${json(BUILD)}\n` });
  expect(result).toMatchObject({ exitCode: 0, stderr: '', items: [BUILD] });
});

test('standard input is not read where the list is an argument', async () => {
  const stdin = () => Promise.reject(new Error('read'));
  const handler = new TodoWriteHandler(new TodoStore());
  expect((await handler.execute({ argv: [json(BUILD)], stdin })).exitCode).toBe(0);
});

test.each([
  ['no argument and no input', [], ''],
  ['no argument and blank input', [], ' \n'],
  ['a dash and no input', ['-'], ''],
  ['an empty argument', [''], json(BUILD)],
  ['a blank argument', ['  \t'], json(BUILD)],
])('%s: the JSON is missing', async (_, argv, stdin) => {
  expect(await todoWrite(argv, { stdin })).toEqual(
    refused(`Error: Missing JSON parameter\nUsage: TodoWrite '{"todos":[...]}'\n`),
  );
});

/** What is said after a problem that a heredoc would not have. */
const inHeredoc = (cause: string) =>
  `\n- ${cause}. In a heredoc bash changes nothing:\nTodoWrite <<'EOF'\n{"todos":[{"content":"...","activeForm":"...","status":"pending"}]}\nEOF`;

test.each([
  [['{invalid}'], 'line 1, column 2: expected a property name in double quotes, near {invalid}'],
  // Truncated, and never half read.
  [
    [json(BUILD).slice(0, -10)],
    `line 1, column 63: the string that begins here is never closed, near ...lding","status":"p${inHeredoc('The JSON is cut short: perhaps an unescaped quote, a backtick or $( in its text ended it')}`,
  ],
  [
    ['{todos:[{content:Build}]}'],
    `line 1, column 2: expected a property name in double quotes, near {todos:[{content:Build}]}${inHeredoc('A name or a text in the JSON has no double quotes: perhaps bash removed them')}`,
  ],
  [
    ['{"todos":[{"content":"Say "hi" now"}]}'],
    `line 1, column 28: expected ',' or '}', near ..."content":"Say "hi" now"}]}${inHeredoc('A double quote inside a text must be written \\"; if it is, bash has replaced it')}`,
  ],
  [
    ['{"todos":[{"content":"Dont', 'stop"}]}'],
    `expected the JSON as one argument, received 2; the first is {"todos":[{"content":"Dont${inHeredoc('The JSON came in pieces: perhaps an unescaped quote in its text split it')}`,
  ],
])('the error for %j says where, what, the likely cause and the usage', async (argv, problem) => {
  expect(await todoWrite(argv)).toEqual(
    refused(`Error: Invalid JSON format\n- ${problem}\n${USAGE}`),
  );
});

test('each slip that was forgiven is noted on stderr, and stdout stays exact', async () => {
  expect(await todoWrite([`\ufeff[${JSON.stringify(BUILD)},]`])).toEqual({
    ...ok(
      'Todo list updated: 0 completed, 0 in_progress, 1 pending\n',
      `Note: ignored a byte-order mark before the JSON
Note: ignored a trailing comma
Note: read the bare array as the list; it belongs in {"todos":[...]}
`,
    ),
    items: [BUILD],
  });
});

test('a slip of the same kind in two places is noted once', async () => {
  const nested = `{"todos":${JSON.stringify(`[${JSON.stringify(BUILD)},]`)},}`;
  expect((await todoWrite([nested])).stderr.match(/trailing comma/g)).toHaveLength(1);
});

test('a list of exactly 1 MiB is read, and one of a byte more is refused before it is', async () => {
  const padded = (bytes: number) => json(BUILD) + ' '.repeat(bytes - json(BUILD).length);
  expect((await todoWrite([padded(1024 * 1024)])).exitCode).toBe(0);
  const tooLarge = refused('Error: Validation failed\n- The list must be at most 1 MiB\n');
  expect(await todoWrite([padded(1024 * 1024 + 1)])).toEqual(tooLarge);
  expect(await todoWrite([], { stdin: padded(1024 * 1024 + 1) })).toEqual(tooLarge);
  expect(await todoWrite([], { raw: padded(1024 * 1024 + 1) })).toEqual(tooLarge);
  expect(await todoWrite(['"'.padEnd(400_000, '日')])).toEqual(tooLarge);
});

test('a warning about a setting is one more line on stderr, whether the list is taken or refused', async () => {
  const warnings = ['Warning: one', 'Warning: two'];
  const taken = await todoWrite([json(BUILD)], { warnings });
  expect(taken).toMatchObject({ exitCode: 0, stderr: 'Warning: one\nWarning: two\n' });
  const { stderr } = await todoWrite(['{}'], { warnings });
  expect(stderr).toBe('Error: Validation failed\n- todos: Required\nWarning: one\nWarning: two\n');
});

test('standard input that cannot be read, or a store that cannot take the list, is an error, not a throw', async () => {
  class FullStore extends TodoStore {
    override updateIf(): never {
      throw new Error('no\nspace');
    }
  }
  const broken = () => Promise.reject(new Error('broken pipe'));
  const outcomes = await Promise.all([
    new TodoWriteHandler(new FullStore()).execute({ argv: [json(BUILD)], stdin: async () => '' }),
    new TodoWriteHandler(new TodoStore()).execute({ argv: [], stdin: broken }),
  ]);
  expect(outcomes).toEqual(
    ['no space', 'broken pipe'].map((problem) =>
      failed(`Error: Cannot update the list\n- ${problem}\n`),
    ),
  );
});

test('without a store of their own both commands use the shared one', async () => {
  await new TodoWriteHandler().execute({ argv: [json(BUILD)], stdin: async () => '' });
  expect(todoStore.get().items).toEqual([BUILD]);
  expect((await new TodoReadHandler().execute({ argv: [] })).stdout).toContain('[ ] Build\n');
  todoStore.clear();
});

/** Whole lines, at most 4 KB, nothing but text. */
function expectSafe(stderr: string): void {
  expect(Buffer.byteLength(stderr)).toBeLessThanOrEqual(4096);
  expect(stderr).toMatch(/^(?:[^\n]+\n)*$/);
  expect(stderr.replaceAll('\n', '')).not.toMatch(/(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
}

async function expectResultOrCleanError(input: string): Promise<void> {
  for (const call of [{ argv: [input] }, { argv: [input, input] }, { argv: [], raw: input }]) {
    const { exitCode, stdout, stderr, items } = await todoWrite(call.argv, call);
    expectSafe(stderr);
    if (exitCode === 0) {
      expect(stdout).toMatch(/^Todo list updated: \d+ completed, \d+ in_progress, \d+ pending\n$/);
      expect(stderr).not.toMatch(/^Error/m);
    } else {
      expect([1, 2]).toContain(exitCode);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^Error: /);
      expect(items).toEqual(BEFORE);
    }
  }
}

test('any text gets a result or a clean error', async () => {
  const wild = fc.oneof(text, fc.string({ unit: anyCharacter, maxLength: 400 }), fc.jsonValue());
  const key = fc.oneof(fc.constantFrom('content', 'activeForm', 'status', 'id', '__proto__'), text);
  const status = fc.oneof(fc.constantFrom('pending', 'in_progress'), wild);
  const item = fc.oneof(
    fc.dictionary(key, wild),
    fc.record({ content: wild, activeForm: wild, status, id: wild }),
    wild,
  );
  const root = fc.record(
    { todos: fc.array(item, { maxLength: 70 }), items: wild },
    { requiredKeys: ['todos'] },
  );
  const value = fc.oneof(root, fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 4 }));
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
  const signs = [...'{}[]",:\\`$\'! \n', '"todos":', '"items":', '```', 'null', '1', '\x1b[2J'];
  const soup = fc.array(fc.constantFrom(...signs, '\u202e')).map((parts) => parts.join(''));
  const input = fc.oneof(
    value.map((each) => JSON.stringify(each)),
    fc.string({ unit }),
    soup,
  );
  await fc.assert(fc.asyncProperty(input, expectResultOrCleanError), { numRuns: runs(1200) });
});

const deep = 100_000;
test.each([
  ['unclosed arrays', '['.repeat(deep)],
  ['arrays', '['.repeat(deep) + ']'.repeat(deep)],
  ['objects', `${'{"todos":'.repeat(deep)}1${'}'.repeat(deep)}`],
  ['arrays in an item', `{"todos":[${'['.repeat(deep) + ']'.repeat(deep)}]}`],
])('%s nested 100,000 deep are refused', async (_, input) => {
  const { exitCode, stderr } = await todoWrite([input]);
  expect(exitCode).toBe(1);
  expectSafe(stderr);
});

test('100,000 broken items are refused in a fraction of the time that a report of each would take', async () => {
  const input = `{"todos":[${Array(100_000).fill('{}').join()}]}`;
  const text = z.string();
  const item = z.object({ content: text, activeForm: text, status: text });
  const reports = () => z.object({ todos: z.array(item) }).safeParse(JSON.parse(input));
  const ofReports = await bestTime(reports, 2);
  expect(await bestTime(() => todoWrite([input]), 5)).toBeLessThan(ofReports / 3);
});

test('TodoWrite accepts the output of TodoRead --json, and checks its version', async () => {
  const store = new TodoStore();
  const { write: call, read } = commandsOn(store);
  await call(json({ ...BUILD, id: '7', priority: 'low' }));
  const { stdout: printed } = await read('--json');
  const changed = printed.replace('pending', 'completed');
  expect(await call(changed)).toMatchObject({ exitCode: 0, stderr: '' });
  expect(store.get().items).toEqual([{ ...BUILD, id: '7', priority: 'low', status: 'completed' }]);
  for (const late of [printed, printed.replace('"version":1', '"version":"1"')]) {
    const stderr = expect.stringContaining('The list is at version 2, not 1; nothing was changed');
    expect(await call(late)).toMatchObject({ exitCode: 1, stderr });
  }
  for (const odd of [{ version: 'x' }, { updatedAt: 5 }]) {
    const { stderr } = await call(JSON.stringify({ todos: [], ...odd }));
    expect(stderr).toContain('Unrecognized');
  }
  expect(store.get().version).toBe(2);
});

test("the option that a late list's refusal names is accepted with the same JSON", async () => {
  const { write: call, read } = commandsOn(new TodoStore());
  await call(json(BUILD));
  const { stdout: printed } = await read('--json');
  await call(json({ ...BUILD, status: 'completed' }));
  const [, ...way] = / write with (--if-version) (\d+)/.exec((await call(printed)).stderr) ?? [];
  expect(await call(...way, printed)).toMatchObject({ exitCode: 0 });
  expect(await call(...way, printed)).toMatchObject({ exitCode: 1 });
});

function clearing(store = new TodoStore()) {
  const { write } = commandsOn(store, { clearWhenDone: true });
  return { store, write: (...items: object[]) => write(json(...items)) };
}

test('TODO_CLEAR_WHEN_DONE empties a list that is completed; the reply and the history still count it, with its texts', async () => {
  const { store, write } = clearing();
  const done = { ...BUILD, status: 'completed' };
  await write(done, BUILD);
  expect(store.get().items).toHaveLength(2);
  const { stdout } = await write(done, done);
  expect(stdout).toBe('Todo list updated: 2 completed, 0 in_progress, 0 pending\n');
  expect(store.get()).toMatchObject({ items: [], version: 3 });
  const { read } = commandsOn(store);
  expect((await read('--history')).stdout).toMatch(/finished 2 items\n.* {2}completed "Build"\n/);
  expect((await read('--at', '2')).stdout).toBe('[x] Build\n[x] Build\n\n(2/2 completed)\n');
  await commandsOn(store).write('--undo');
  expect(store.get()).toMatchObject({ items: [done, BUILD], version: 4 });
  await write();
  expect(store.get()).toMatchObject({ items: [], version: 5 });
});

test('TODO_CLEAR_WHEN_DONE: a list that is written before the finished one is emptied stays', async () => {
  const { store, write } = clearing();
  store.onChange(({ version }) => {
    if (version === 1) store.update([BUILD]);
  });
  await write({ ...BUILD, status: 'completed' });
  expect(store.get()).toMatchObject({ items: [BUILD], version: 2 });
});

const PLAN = json(...items('[>] Fix it', '[ ] Run the tests'));
const SUMMARY = 'Todo list updated: 0 completed, 1 in_progress, 1 pending\n';
const planned = commandsOn(new TodoStore(), {}, PLAN);

test('the reply is a summary unless another is asked for', async () => {
  const { write } = planned;
  expect((await write(PLAN)).stdout).toBe(SUMMARY);
  expect((await write('--output', 'summary', PLAN)).stdout).toBe(SUMMARY);
  expect((await write('--output', 'next', PLAN)).stdout).toBe(
    `${SUMMARY}Now 1: Fix it\nNext 2: Run the tests\n`,
  );
  const done = await write('--done', '1', '--output', 'summary');
  expect(done.stdout).toBe('Todo list updated: 1 completed, 0 in_progress, 1 pending\n');
});

test.each([
  ['list', []],
  ['json', ['--json']],
])('--output %s replies with what TodoRead prints, also for an undo', async (output, argv) => {
  const { write, read } = planned;
  const ways = [
    ['--output', output, PLAN],
    [`--output=${output}`, PLAN],
    ['--output', output],
  ];
  for (const call of ways) expect(await write(...call)).toEqual(ok((await read(...argv)).stdout));
  await write('[]');
  expect(await write('--undo', '--output', output)).toEqual(await read(...argv));
  expect((await read()).stdout).toContain('Run the tests');
});

test('a carriage return at the end of an argument is ignored with a note, whatever the option', async () => {
  const note =
    'Note: ignored a carriage return at the end of an argument: the script has Windows line ends\n';
  const { write, read } = commandsOn(new TodoStore());
  const form = ['--add\r', 'Ship\r', '--active-form\r', 'Shipping\r'];
  expect(await write(...form, '\r')).toMatchObject({ exitCode: 0, stderr: note });
  expect(await write('--done', '1\r', '--output', 'list\r')).toMatchObject({ exitCode: 0 });
  const [plain, withReturn] = [await read('--json'), await read('--json\r')];
  expect(withReturn).toEqual({ ...plain, stderr: note });
  expect(plain.stdout).toContain('"content":"Ship","activeForm":"Shipping"');
  expect((await write('--undoo\r')).stderr).toMatch(/did you mean --undo\?\)\nNote: ignored/);
});

test('white space around texts is trimmed; two ids that differ by it are one', async () => {
  const { items } = await todoWrite([json({ ...BUILD, content: ' \n Build\t', id: ' a' })]);
  expect(items).toEqual([{ ...BUILD, id: 'a' }]);
  const twice = await todoWrite([json({ ...BUILD, id: 'a ' }, { ...BUILD, id: 'a' })]);
  expect(twice.stderr).toContain("Only one item can have the id 'a', received 2");
});

test('an error about a limit names the .env that sets it, and none that sets another', async () => {
  const settings = { maxItems: 1, limitsFile: { path: '/app/.env', limits: [1] } };
  const { stderr } = await todoWrite([json(BUILD, BUILD)], { settings });
  expect(stderr).toMatch(/received 2\n- the limit is set in \/app\/\.env\n/);
  for (const wrong of [{ status: 'done' }, { content: 'x'.repeat(201) }]) {
    const other = await todoWrite([json({ ...BUILD, ...wrong })], { settings });
    expect(other.exitCode).toBe(1);
    expect(other.stderr).not.toContain('/app/.env');
  }
});
