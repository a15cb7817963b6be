import { describe, expect, test } from 'vitest';
import { CommandType } from '../../src/command/agent-command.ts';
import type { CommandKind } from '../../src/guidance/command-kinds.ts';
import { outcomeOf } from '../../src/guidance/command-outcome.ts';
import { growth } from '../helpers/best-time.ts';

const type = CommandType.NATIVE_SHELL_COMMAND;
const passes = (line: string, kind: CommandKind = 'test') =>
  outcomeOf({ line, type, exitCode: 0 }, kind);
const fails = (line: string, kind: CommandKind = 'test') =>
  outcomeOf({ line, type, exitCode: 1 }, kind);

const KINDS: Record<CommandKind, readonly string[]> = {
  test: [
    'npm test',
    'npm t',
    'npm run test:unit -- --reporter=dot',
    'npm --prefix app test',
    'pnpm -r test',
    'yarn test',
    'bun test',
    'node --test tests/',
    'npx vitest run',
    'npx --yes jest src/a.test.ts',
    './node_modules/.bin/mocha',
    'npx playwright test',
    'pytest -q tests/test_api.py::test_login',
    'python -m pytest -x',
    'python3 -m unittest discover',
    'python manage.py test accounts',
    'poetry run pytest',
    'uv run pytest',
    'tox -e py312',
    'go test ./...',
    'go -C service test ./...',
    'cargo test --workspace',
    'cargo nextest run',
    'mvn -q test',
    './mvnw verify',
    './gradlew :app:test',
    'bundle exec rspec',
    'bin/rails test',
    'make test',
    'make -C lib check',
    'bats tests/shell',
    'ctest --output-on-failure',
    'dotnet test',
    './vendor/bin/phpunit',
    'mix test',
    'CI=1 NODE_ENV=test npm test',
    'sudo -E npm test',
    'time npm test',
    'timeout 120 npm test',
    'timeout -k 5 2m npm test',
    'npm test 2>&1',
    'npm test > out.log 2>&1',
    'cd app && npm test',
    'cd app\nexport CI=1\nnpm test\n',
    'npm install && cd app && npm test # all of it',
    'cat <<EOF > notes\nnothing\nEOF\nnpm test',
  ],
  build: [
    'npm run build',
    'yarn build',
    'npx vite build',
    'cargo build --release',
    'go build ./...',
    'mvn package',
    './gradlew assemble',
    'make',
    'make -j8',
    'make all',
    'cmake --build out',
    'tsc -p .',
    'docker build -t app .',
    'dotnet build',
  ],
  lint: [
    'npm run lint',
    'npm run lint:fix',
    'npx eslint src',
    'npx biome check .',
    'ruff check .',
    'ruff',
    'cargo clippy -- -D warnings',
    'golangci-lint run',
    'shellcheck run.sh',
    'make lint',
  ],
  'type check': [
    'npm run typecheck',
    'npm run type-check',
    'npx tsc --noEmit',
    'tsc -p tsconfig.json',
    'mypy src',
    'npx pyright',
    'vue-tsc --noEmit',
    'cargo check',
    'go vet ./...',
  ],
};

describe.each(Object.entries(KINDS))('%s', (kind, lines) => {
  test.each(lines)('%s', (line) => {
    expect(passes(line, kind as CommandKind)).toBe('passed');
  });
});

test.each([
  'npm test',
  'cd app && npm test',
  'cd app\nnpm test',
  'export CI=1; npm test -- --bail',
  'CI=1 timeout 60 npx vitest run 2>&1',
])('where a test command alone decides the exit code, it failed: %s', (line) => {
  expect(fails(line)).toBe('failed');
});

test('so did one that was stopped or not found', () => {
  for (const exitCode of [124, 127, 130, 137]) {
    expect(outcomeOf({ line: 'npm test', type, exitCode }, 'test')).toBe('failed');
  }
});

test.each([
  'npm test || true',
  'npm test || echo failed',
  'npm test | tail -20',
  'npm test 2>&1 | tee log',
  'npm test |& tail',
  'npm test; echo done',
  'npm test; true',
  'npm test &',
  'npm test\necho $?',
  '! npm test',
  'if npm test; then echo ok; fi',
  '(cd app && npm test)',
  '{ npm test; }',
  'for d in a b; do npm test; done',
  'out=$(npm test)',
  'echo "$(npm test)"',
  'echo `npm test`',
  'npm test -- --help',
  'npm test --passWithNoTests',
  'pytest --collect-only',
  'make -n test',
  'mvn verify -DskipTests',
  './gradlew check -x test',
  'git pull --rebase=merges "unclosed && npm test',
  `npm test ${'x'.repeat(30_000)}`,
])('whose exit code it is, or what it tells, is in doubt: %s', (line) => {
  expect(passes(line)).toBe('unknown');
  expect(fails(line)).toBe('unknown');
});

test.each([
  ['git pull && npm test', 'a failure may be that of the pull'],
  ['npm test && npm run build', 'a failure may be that of the build'],
  ['npm test && npm run all', 'a failure may be that of whatever follows'],
])('%s: %s', (line) => {
  expect(passes(line)).toBe('passed');
  expect(fails(line)).toBe('unknown');
});

test('a line that still runs tells nothing yet', () => {
  const line = 'npm test && TodoWrite "$(cat plan.json)"';
  expect(outcomeOf({ line, type, exitCode: undefined }, 'test')).toBe('unknown');
});

test.each([
  './ci.sh',
  'bash scripts/all.sh',
  'source run',
  'npm run validate',
  'npm run all',
  'make -s',
  'docker compose run app',
  'ssh host ls',
  '$RUNNER',
  'find . -name "*_test.go" -exec go {} +',
  'node scripts/verify.js',
  'python check_all.py',
  'xargs -n1 < files',
  'mvn package',
  'for f in a b; do ./run "$f"; done',
])('it may run tests unseen: %s', (line) => {
  expect(passes(line)).toBe('unknown');
});

test.each([
  'echo npm test',
  'printf "run npm test"',
  'ls # npm test',
  '# npm test',
  "cat <<'EOF' > README\nnpm test\nEOF",
  'cat <<-EOF\n\tnpm test\n\tEOF\nls',
  'cat > run.sh <<EOF\nnpm test\nEOF',
  'git commit -m "Run npm test in CI"',
  'git checkout test && git log',
  'grep -rn "npm test" docs',
  'cat tests/login.test.ts | head -50',
  'ls tests',
  'npm run build',
  'npm run typecheck && npm run lint',
  'cargo check',
  'make -j4 lint',
  'test -f package.json',
  '[ -d tests ] && ls',
  'mkdir -p tests/unit; touch tests/unit/a',
  'cd tests',
  'sed -i s/test/spec/ a.ts',
  'node server.js',
  'npm start',
  'npm run dev',
  'curl https://example.com/test',
  'TodoRead',
  'x=1; y=$x',
  '',
])('it certainly runs no tests: %s', (line) => {
  expect(passes(line)).toBeUndefined();
  expect(fails(line)).toBeUndefined();
});

test.each([
  ['the text of a todo', `TodoWrite '{"todos":[{"content":"Run npm test"}]}'`, undefined],
  ['broken quotes in it', `TodoWrite '{"todos":[{"content":"Don't test"}]}'`, undefined],
  ["a host's own command", 'RunTests all', 'unknown'],
  ["another command of the host's", 'Deploy tests', undefined],
])('an agent command: %s', (_, line, outcome) => {
  const command = { line, type: CommandType.AGENT_SHELL_COMMAND, exitCode: 0 };
  expect(outcomeOf(command, 'test')).toBe(outcome);
});

test('a long line is read in the time of its length', async () => {
  const read = (size: number) => {
    for (const word of ['npm ', '"', '$', 'a=b ', '<<E\n', 'sudo ']) {
      const line = word.repeat(size / word.length);
      for (const kind of Object.keys(KINDS)) passes(line, kind as CommandKind);
    }
  };
  expect(await growth(read, 950)).toBeLessThan(300);
});
