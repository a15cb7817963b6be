import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CommandType } from '../../src/base/command/agent-command.ts';
import { GUIDANCE_RULES } from '../../src/guidance/rules.ts';
import { failedVerifications } from '../../src/guidance/verifications.ts';
import type { RoutedCommand } from '../../src/guidance/work.ts';
import { agentSession } from './agent-session.ts';

const note = (kind: string, line: string, exitCode = 1) =>
  `Note: the last ${kind} command exited with ${exitCode} and none has succeeded since: ${line}`;

/** The notes when a check is completed after these lines with their exit codes. */
async function notesAfter(...lines: readonly (readonly [string, number])[]): Promise<string[]> {
  const session = agentSession();
  await session.write('[x] Fix it', '[>] Verify it', '[ ] Ship it');
  for (const [line, exitCode] of lines) await session.run(line, exitCode);
  return session.write('[x] Fix it', '[x] Verify it', '[>] Ship it');
}

const PAGE = readFileSync('docs/guidance.md', 'utf8');
const ROWS = [...PAGE.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | '));

test('docs/guidance.md lists each rule with its kind, and commands of three kinds', () => {
  const rules = ROWS.filter(([name]) => name?.startsWith('`'));
  expect(rules.map(([name, kind]) => [name, kind])).toEqual(
    GUIDANCE_RULES.map(({ name, kind }) => [`\`${name}\``, kind]),
  );
  expect(new Set(NAMED.map(([kind]) => kind)).size).toBe(3);
});

const NAMED = ROWS.filter(([kind = '']) => ['test', 'build', 'lint'].includes(kind)).flatMap(
  ([kind = '', lines = '']) =>
    Array.from(lines.matchAll(/`([^`]+)`/g), ([, line = '']) => [kind, line]),
);

test.each([
  ...NAMED,
  ['test', 'npm t'],
  ['test', 'npm --prefix app test'],
  ['test', 'npx --yes jest src/a.test.ts'],
  ['test', './node_modules/.bin/mocha'],
  ['test', 'npx playwright test'],
  ['test', 'python3 -m unittest discover'],
  ['test', 'python manage.py test accounts'],
  ['test', 'uv run pytest'],
  ['test', 'go -C service test ./...'],
  ['test', './mvnw verify'],
  ['test', './gradlew :app:test'],
  ['test', 'bundle exec rspec'],
  ['test', 'bin/rails test'],
  ['test', 'make -C lib check'],
  ['test', 'CI=1 NODE_ENV=test npm test'],
  ['test', 'sudo -E npm test'],
  ['test', 'timeout -k 5 2m npm test'],
  ['test', 'npm test > out.log 2>&1'],
  ['test', 'cd app && npm test'],
  ['test', 'export CI=1; npm test'],
  ['test', 'cd app\nnpm test # all'],
  ['test', 'npm run build && npm test'],
  ['test', "bash -lc 'cd app && npm test'"],
  ['test', '/bin/sh -c "npm test"'],
  ['test', 'zig build test --summary all'],
  ['build', 'zig build -Doptimize=ReleaseFast'],
  ['build', 'make -j8 all'],
  ['build', 'python setup.py build'],
  ['lint', 'npm run lint:fix'],
  ['build', 'cargo check'],
])(
  'a failed %s command is named, and one that succeeded later clears it: %s',
  async (kind = '', line = '') => {
    expect(await notesAfter([line, 2])).toEqual([note(kind, line.replace('\n', ' '), 2)]);
    expect(await notesAfter([line, 2], [line, 0])).toEqual([]);
  },
);

test.each([
  ['nothing of the kind ran', 'git diff', 'ls tests', 'python3 -i'],
  ['it only speaks of tests', 'echo npm test', 'grep -r test src', 'git commit -m "test"'],
  ['it is the builtin', 'test -f out', '[ -d build ]'],
  ['a package of that name is installed', 'npm install jest', 'pip install pytest'],
  ['it is the text of a heredoc', "cat > t.sh <<'EOF'\nnpm test\nEOF"],
  [
    'its exit code is hidden',
    'npm test | tail',
    'npm test; ls nowhere',
    'npm test &',
    "sh -c 'npm test; ls nowhere'",
  ],
  ['another command may have failed', 'git pull && npm test', 'npm test || false'],
  ['a loop may have failed', 'for d in a b; do (cd $d && npm test); done'],
])('nothing is said where %s', async (_, ...lines) => {
  expect(await notesAfter(...lines.map((line) => [line, 1] as const))).toEqual([]);
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
  ['go build ./...', 'go test ./...'],
  ['cargo check', 'cd core && cargo test --all'],
  ['./gradlew assemble', './gradlew test'],
  ['make', 'timeout 60 make check'],
  ['npx tsc --noEmit', 'npm run typecheck'],
  ['npm run check-types', 'node_modules/.bin/tsc -p .'],
  ['npm test', 'npx vitest run tests/types.test.ts'],
])('nothing is said of %s where %s, which includes it, succeeded since', async (failed, line) => {
  expect(await notesAfter([failed, 1], [line, 0])).toEqual([]);
  expect(await notesAfter([line, 0], [failed, 1])).toHaveLength(1);
});

test('tests of a language without a build show none', async () => {
  for (const line of ['npm test', 'npx vitest run', 'pytest']) {
    expect(await notesAfter(['npm run build', 1], [line, 0])).toEqual([
      note('build', 'npm run build'),
    ]);
  }
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

test('a failure is among the last 500 lines, or forgotten', async () => {
  for (const [lines, count] of [
    [498, 1],
    [499, 0],
  ] as const) {
    const session = agentSession({ reminders: false });
    await session.write('[>] Test it', '[ ] Ship it');
    await session.run('npm test', 1);
    await session.idle(lines);
    expect(await session.write('[x] Test it', '[>] Ship it')).toHaveLength(count);
  }
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
  expect(
    failedVerifications({ items: [], commands, changes: Array(50).fill(change) }),
  ).toHaveLength(1);
  expect(reads).toBeLessThan(3 * commands.length);
});
