import fc from 'fast-check';
import { expect, test } from 'vitest';
import { saidAfterLine, saidBy } from '../../src/guidance/reminders.ts';
import { LINE_RULES } from '../../src/guidance/rules.ts';
import type { Work } from '../../src/guidance/work.ts';
import { runs } from '../helpers/random.ts';
import { agentSession, items, notesOf, writeLine } from './agent-session.ts';

const plan = ['[x] Find it', '[>] Fix it', '[ ] Run the tests'];
const reminder = `Note: 10 commands since the last TodoWrite; 2 items unfinished. Update the list if it is out of date:
Note: [>] Fix it
Note: [ ] Run the tests`;
const idle = (count: number) =>
  `Note: ${count === 1 ? '1 item is' : `${count} items are`} open and none is in_progress. Mark the one you are working on.`;

test('after ten commands without a TodoWrite the unfinished items are brought to mind, three times at most, each shorter', async () => {
  const session = agentSession();
  await session.write(...plan);
  const start = (count: number) =>
    `Note: ${count} commands since the last TodoWrite; 2 items unfinished`;
  expect(await session.idle(100)).toEqual([
    [10, reminder],
    [20, `${start(20)}: "Fix it", "Run the tests"`],
    [30, `${start(30)}.`],
  ]);
  await session.write(...plan);
  expect(await session.idle(100)).toEqual([]);
});

test('a changed list is, after as many commands again', async () => {
  const session = agentSession();
  await session.write(...plan);
  await session.idle(10);
  await session.write('[x] Find it', '[x] Fix it', '[>] Run the tests');
  expect(await session.idle(19)).toEqual([[10, expect.stringContaining('1 item unfinished')]]);
});

test('five items are listed and the others counted, in six lines', async () => {
  const session = agentSession();
  await session.write('[>] a', '[ ] b', '[ ] c', '[ ] d', '[ ] e', '[ ] f', '[ ] g', '[x] h');
  const [[, text = ''] = []] = await session.idle(10);
  expect(text.split('\n')).toEqual([
    'Note: 10 commands since the last TodoWrite; 7 items unfinished. Update the list if it is out of date:',
    'Note: [>] a',
    'Note: [ ] b',
    'Note: [ ] c',
    'Note: [ ] d',
    'Note: [ ] e ... and 2 more',
  ]);
});

test.each([
  ['an empty list', []],
  ['a finished list', ['[x] Find it', '[x] Fix it', '[x] Run the tests']],
])('never of %s', async (_, list) => {
  const session = agentSession();
  await session.write(...list);
  expect(await session.idle(50)).toEqual([]);
});

test('never if no list was written and little has changed', async () => {
  expect(await agentSession().idle(50)).toEqual([]);
  const session = agentSession();
  await session.run('git commit -am x');
  await session.run('rm a', 1);
  await session.run("echo 'a > b'; grep rm x; cat < in > /dev/null 2>&1; git status");
  await session.run('sed -i s/a/b/ c');
  expect(await session.idle(50)).toEqual([]);
});

test('ten commands without a list, three of them changes: one reminder, once', async () => {
  const session = agentSession();
  const lines = ['cd a && git add .', "cat > b.ts <<'EOF'\nx\nEOF", 'for f in *; do mv $f b; done'];
  for (const line of [...lines, ...Array(6).fill('ls')]) {
    expect((await session.run(line)).reminders).toBeUndefined();
  }
  const text =
    'Note: 10 commands without a task list, 3 of them changes. If steps remain, plan them with TodoWrite.';
  expect((await session.run('pwd')).reminders).toEqual([text]);
  await session.run('git push');
  expect(await session.idle(30)).toEqual([]);
});

test('open items of which none is in progress are mentioned after five commands, once', async () => {
  const session = agentSession();
  await session.write('[ ] a', '[ ] b');
  expect(await session.idle(9)).toEqual([[5, idle(2)]]);
  await session.write('[x] a', '[ ] b');
  expect(await session.idle(9)).toEqual([[5, idle(1)]]);
});

test('a rule that says nothing after the last line is not asked about those before it', () => {
  let asked = 0;
  const say = () => {
    asked += 1;
    return undefined;
  };
  const kept = { items: [], itemsBefore: undefined, lines: [], commandsSinceWrite: 1000 };
  const settings = { guidance: 'all', reminderTurns: 10 } as const;
  expect(saidAfterLine(kept, [{ name: 'quiet', kind: 'reminder', say }], settings)).toBe('');
  expect(asked).toBe(1);
});

test('a process that knows only the record of a session says what the guide of the session says', async () => {
  const settings = { guidance: 'all', reminderTurns: 3 } as const;
  const line = fc.constantFrom(['ls', 0], ['npm test', 0], ['npm test', 1]);
  const list = fc.constantFrom([' ', ' ', ' '], ['>', ' ', ' '], ['x', '>', ' '], ['x', 'x', 'x']);
  const steps = fc.array(fc.oneof(line, line, line, line, list), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const session = agentSession({ rules: LINE_RULES, settings: () => settings });
      await session.write('[>] Begin');
      const lines: { line: string; exitCode: number }[] = [];
      let commandsSinceWrite = 0;
      for (const [at, [first, second, third]] of steps.entries()) {
        const itemsBefore = third && session.store.get().items;
        const marked = () => [
          `[${first}] Run tests`,
          `[${second}] Fix it`,
          `[${third}] Step ${at}`,
        ];
        const line = third ? writeLine(items(...marked())) : first;
        const result = await session.run(line, third ? 0 : second);
        commandsSinceWrite = third ? 0 : commandsSinceWrite + 1;
        lines.push({ line, exitCode: result.exitCode });
        const kept = { items: session.store.get().items, itemsBefore, lines, commandsSinceWrite };
        const said = [...notesOf(result), ...(result.reminders ?? [])].join('\n');
        expect(saidAfterLine(kept, LINE_RULES, settings)).toBe(said);
      }
    }),
    { numRuns: runs(100) },
  );
});

test('a rule in JavaScript that returns null says nothing', () => {
  const say = () => null as unknown as undefined;
  expect(saidBy({ name: 'silent', kind: 'note', say }, {} as Work)).toEqual([]);
});
