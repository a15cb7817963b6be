import { describe, expect, test } from 'vitest';
import { CommandType } from '../../src/command/agent-command.ts';
import { failedChecks } from '../../src/guidance/evidence.ts';
import type { RoutedCommand } from '../../src/guidance/rule.ts';
import { agentSession } from './agent-session.ts';

const note = (kind: string, line: string, exitCode = 1) =>
  `Note: the last ${kind} command exited with ${exitCode} and none has succeeded since: ${line}`;

/** The notes when a check is completed after these lines with their exit codes. */
async function notesAfter(...lines: readonly [string, number][]): Promise<string[]> {
  const session = agentSession();
  await session.write('[x] Fix it', '[>] Verify it', '[ ] Ship it');
  for (const [line, exitCode] of lines) await session.run(line, exitCode);
  return session.write('[x] Fix it', '[x] Verify it', '[>] Ship it');
}

// The test of docs/guidance.md has those that the page names.
describe('a command of these kinds that failed is named, and one that succeeded later clears it', () => {
  test.each(
    Object.entries({
      test: [
        'npm t',
        'npm --prefix app test',
        'npx --yes jest src/a.test.ts',
        './node_modules/.bin/mocha',
        'npx playwright test',
        'python3 -m unittest discover',
        'python manage.py test accounts',
        'uv run pytest',
        'go -C service test ./...',
        './mvnw verify',
        './gradlew :app:test',
        'bundle exec rspec',
        'bin/rails test',
        'make -C lib check',
        'CI=1 NODE_ENV=test npm test',
        'sudo -E npm test',
        'timeout -k 5 2m npm test',
        'npm test > out.log 2>&1',
        'cd app && npm test',
        'export CI=1; npm test',
        'cd app\nnpm test # all',
        'npm run build && npm test',
      ],
      build: ['make -j8 all', 'docker build -t app .', 'python setup.py build'],
      lint: [
        'npm run lint:fix',
        'cargo clippy -- -D warnings',
        'cargo check',
        'npm run type-check',
      ],
    }).flatMap(([kind, lines]) => lines.map((line) => [kind, line] as const)),
  )('%s: %s', async (kind, line) => {
    const [text = ''] = await notesAfter([line, 2]);
    const shown = line.replace('\n', ' ');
    expect(text).toBe(note(kind, shown, 2));
    expect(await notesAfter([line, 2], [line, 0])).toEqual([]);
  });
});

test.each([
  ['nothing of the kind ran', ['git diff', 1], ['ls tests', 2]],
  [
    'it only speaks of tests',
    ['echo npm test', 1],
    ['grep -r test src', 1],
    ['git commit -m "test"', 1],
  ],
  ['it is the builtin', ['test -f out', 1], ['[ -d build ]', 1]],
  ['a package of that name is installed', ['npm install jest', 1], ['pip install pytest', 1]],
  ['it is the text of a heredoc', ["cat > t.sh <<'EOF'\nnpm test\nEOF", 1]],
  [
    'its exit code is hidden',
    ['npm test | tail', 1],
    ['npm test; ls nowhere', 2],
    ['npm test &', 1],
  ],
  ['another command may have failed', ['git pull && npm test', 1], ['npm test || false', 1]],
  ['a loop may have failed', ['for d in a b; do (cd $d && npm test); done', 1]],
] as [string, ...[string, number][]][])('nothing is said where %s', async (_, ...lines) => {
  expect(await notesAfter(...lines)).toEqual([]);
});

test.each([
  ['it may have succeeded in a pipe', 'npm test | tail'],
  ['... or before something else', 'npm test; git status'],
  ['... or with another name', 'npx vitest run'],
  ['a script may have run it', './ci.sh'],
  ['... or an unknown script of npm', 'npm run ci'],
  ['... or something that speaks of tests', 'node run-tests.mjs'],
  ['... or a line that cannot be read', 'for d in a b; do (cd $d && npm test); done'],
])('nothing is said where %s since', async (_, line) => {
  expect(await notesAfter(['npm test', 1], [line, 0])).toEqual([]);
});

test.each([
  'git add -A && git commit -m "fix tests"',
  'ls tests',
  'npm run lint',
  'sed -i s/a/b/ x.ts',
])('a command that did not run the tests clears nothing: %s', async (line) => {
  expect(await notesAfter(['npm test', 1], [line, 0])).toEqual([note('test', 'npm test')]);
});

test('each kind is said once, with its last line; the line is cut short and safe for a terminal', async () => {
  const long = `npm test -- "\x1b[2J${'x'.repeat(200)}"`;
  expect(await notesAfter(['npm run lint', 1], ['npm test', 2], [long, 3])).toEqual([
    note('lint', 'npm run lint'),
    note('test', `npm test -- "␛[2J${'x'.repeat(40)}...`, 3),
  ]);
});

test('an item that is no check may be completed with a failure, as that of a bug that is reproduced; a check may not', async () => {
  const session = agentSession();
  await session.write('[>] Reproduce it', '[ ] Run the tests', '[ ] Tell');
  await session.run('npm test', 1);
  expect(await session.write('[x] Reproduce it', '[>] Run the tests', '[ ] Tell')).toEqual([]);
  expect(await session.write('[x] Reproduce it', '[x] Run the tests', '[>] Tell')).toEqual([
    note('test', 'npm test'),
  ]);
});

test('when the list is finished, all of the session counts, each time', async () => {
  const session = agentSession();
  await session.write('[>] Reproduce it', '[ ] Fix it');
  await session.run('npm test', 1);
  await session.write('[x] Reproduce it', '[>] Fix it');
  await session.run('git diff');
  expect(await session.write('[x] Reproduce it', '[x] Fix it')).toEqual([note('test', 'npm test')]);
  expect(await session.write('[x] Reproduce it', '[x] Fix it')).toEqual([]);
  await session.write('[>] Tell');
  expect(await session.write('[x] Tell')).toEqual([note('test', 'npm test')]);
});

test('a test in the same line as the TodoWrite is not overlooked', async () => {
  const session = agentSession();
  await session.write('[>] Test it');
  await session.run('npm test', 1);
  const list = [{ ...session.store.get().items[0], status: 'completed' }] as never;
  const line = 'npm test && TodoWrite "$(cat done.json)"';
  // The exit code of a running line is unknown.
  expect((await session.run(line, { list })).stderr).toBe('');
});

test('a failure longer ago than 500 lines is forgotten', async () => {
  const session = agentSession({ reminders: false });
  await session.write('[>] Test it', '[ ] Ship it');
  await session.run('npm test', 1);
  await session.idle(501);
  expect(await session.write('[x] Test it', '[>] Ship it')).toEqual([]);
});

test('each line is read a few times, however many items were completed', () => {
  let reads = 0;
  const commands = Array.from(
    { length: 400 },
    (): RoutedCommand => ({
      get line() {
        reads++;
        return 'npm test';
      },
      type: CommandType.NATIVE_SHELL_COMMAND,
      exitCode: 1,
    }),
  );
  const item = { content: 'Fix it', activeForm: 'Fixing' };
  const change = {
    before: { ...item, status: 'in_progress' as const },
    after: { ...item, status: 'completed' as const },
    hasBegun: true,
  };
  expect(failedChecks({ items: [], commands, changes: Array(50).fill(change) })).toHaveLength(1);
  expect(reads).toBeLessThan(3 * commands.length);
});
