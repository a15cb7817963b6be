import { expect, test } from 'vitest';
import { CommandType } from '../../src/command/agent-command.ts';
import { missingEvidence } from '../../src/guidance/evidence.ts';
import type { RoutedCommand } from '../../src/guidance/rule.ts';
import { agentSession } from './agent-session.ts';

const FAILED = (line: string, exitCode: number) =>
  `Note: "Run the tests" is completed, but the last test command exited with ${exitCode}: ${line}`;
const NONE = 'Note: "Run the tests" is completed, but no test command has run since it began.';

/** What is noted at the end when these lines run, in order, while "Run the tests" is in progress. */
async function after(...lines: readonly [string, number][]): Promise<string[]> {
  const session = agentSession();
  await session.write('[x] Fix it', '[>] Run the tests');
  for (const [line, exitCode] of lines) await session.run(line, exitCode);
  return session.write('[x] Fix it', '[x] Run the tests');
}

test('a test command that failed last is named with its exit code', async () => {
  expect(await after(['npm test', 1])).toEqual([FAILED('npm test', 1)]);
  expect(await after(['npm test', 0], ['cd app && pytest -q', 2])).toEqual([
    FAILED('cd app && pytest -q', 2),
  ]);
  expect(await after(['npm test', 124], ['npm run lint', 0])).toEqual([FAILED('npm test', 124)]);
});

test('so is it that none ran', async () => {
  expect(await after()).toEqual([NONE]);
  expect(await after(['npm run build', 0], ['git diff', 0])).toEqual([NONE]);
  expect(await after(['echo npm test', 0], ["cat > t.sh <<'EOF'\nnpm test\nEOF", 0])).toEqual([
    NONE,
  ]);
});

test('the line is cut short and safe for a terminal', async () => {
  const [note = ''] = await after([`npm test -- "\x1b[2J${'x'.repeat(200)}"`, 1]);
  expect(note).toBe(FAILED(`npm test -- "␛[2J${'x'.repeat(40)}...`, 1));
});

test.each<[string, ...[string, number][]]>([
  ['it passed', ['npm test', 0]],
  ['it failed and then passed', ['npm test', 1], ['npm test', 0]],
  ['its exit code was hidden by a pipe', ['npm test', 1], ['npm test | tail', 0]],
  ['its exit code was hidden by || true', ['npm test || true', 0]],
  ['a script may have run it', ['./ci.sh', 0]],
  ['something unknown speaks of tests', ['node run-tests.mjs', 0]],
  ['a loop may have run it', ['for d in a b; do (cd $d && npm test); done', 0]],
])('nothing is said where %s', async (_, ...lines) => {
  expect(await after(...lines)).toEqual([]);
});

test('a test in the same line as the TodoWrite is not overlooked', async () => {
  const session = agentSession();
  await session.write('[>] Run the tests');
  const list = [{ ...session.store.get().items[0], status: 'completed' }] as never;
  const line = 'npm test && TodoWrite "$(cat done.json)"';
  expect((await session.run(line, { list })).stderr).toBe('');
});

test('a test that ran just before the item was marked in progress counts for it', async () => {
  const session = agentSession();
  await session.write('[>] Fix it', '[ ] Run the tests');
  await session.run('npm test', 0);
  await session.write('[x] Fix it', '[>] Run the tests');
  expect(await session.write('[x] Fix it', '[x] Run the tests')).toEqual([]);
});

test('one that ran before other work does not', async () => {
  const session = agentSession();
  await session.write('[>] Look', '[ ] Fix it', '[ ] Run the tests');
  await session.run('npm test', 0);
  await session.write('[x] Look', '[>] Fix it', '[ ] Run the tests');
  await session.run('sed -i s/a/b/ main.ts', 0);
  await session.write('[x] Look', '[x] Fix it', '[>] Run the tests');
  expect(await session.write('[x] Look', '[x] Fix it', '[x] Run the tests')).toEqual([NONE]);
});

test('an item that was never in progress is judged by all lines since it was listed', async () => {
  const session = agentSession();
  await session.write('[>] Fix it', '[ ] Run the tests');
  await session.run('npm test', 0);
  await session.write('[>] Fix it', '[ ] Run the tests', '[ ] Ship it');
  expect(await session.write('[>] Fix it', '[x] Run the tests', '[ ] Ship it')).toEqual([]);

  const other = agentSession();
  await other.write('[>] Fix it', '[ ] Run the tests');
  await other.run('npm test', 1);
  expect(await other.write('[>] Fix it', '[x] Run the tests')).toEqual([FAILED('npm test', 1)]);
});

test.each([
  ['Run the build', 'npm run build', 'build'],
  ['Run the linter', 'npx eslint .', 'lint'],
  ['Run the type checker', 'npx tsc --noEmit', 'type check'],
])('%s: %s', async (content, line, kind) => {
  const session = agentSession();
  await session.write(`[>] ${content}`);
  await session.run(line, 2);
  expect(await session.write(`[x] ${content}`)).toEqual([
    `Note: "${content}" is completed, but the last ${kind} command exited with 2: ${line}`,
  ]);
  await session.write(`[>] ${content}`);
  await session.run(line, 0);
  expect(await session.write(`[x] ${content}`)).toEqual([]);
});

test('an item that comes to the list as completed is not judged', async () => {
  expect(await agentSession().write('[x] Run the tests')).toEqual([]);
});

test('an item that was on the list before anything was seen is not judged', async () => {
  const session = agentSession();
  session.store.update([
    { content: 'Run the tests', activeForm: 'Running', status: 'in_progress' },
  ]);
  await session.run('ls');
  expect(await session.write('[x] Run the tests')).toEqual([]);
});

test('work that began so long ago that not all of it is remembered is not judged', async () => {
  const session = agentSession({ reminders: false });
  await session.write('[x] Fix it', '[>] Run the tests');
  await session.idle(501);
  expect(await session.write('[x] Fix it', '[x] Run the tests')).toEqual([]);
});

test('an item is judged when it becomes completed, not each time that it is repeated', async () => {
  const session = agentSession();
  await session.write('[>] Run the tests', '[ ] Ship it');
  expect(await session.write('[x] Run the tests', '[>] Ship it')).toEqual([NONE]);
  expect(await session.write('[x] Run the tests', '[x] Ship it')).toEqual([]);
});

test('each line is read a few times, however many items were completed', () => {
  let reads = 0;
  const commands = Array.from(
    { length: 400 },
    (): RoutedCommand => ({
      get line() {
        reads++;
        return 'git status && ls';
      },
      type: CommandType.NATIVE_SHELL_COMMAND,
      exitCode: 0,
    }),
  );
  const item = { content: 'Run the tests and the linter', activeForm: 'Running' };
  const change = {
    before: { ...item, status: 'in_progress' as const },
    after: { ...item, status: 'completed' as const },
    hasBegun: true,
    commands,
  };
  const work = {
    items: [],
    commandsSinceWrite: 0,
    commands,
    reminderTurns: 10,
    hasList: true,
    dropped: [],
    tasks: undefined,
    isSubagent: false,
  };
  expect(missingEvidence({ ...work, changes: Array(50).fill(change) })).toHaveLength(3);
  expect(reads).toBeLessThan(20 * commands.length);
});
