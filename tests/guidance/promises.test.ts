import { describe, expect, test } from 'vitest';
import type { CommandKind } from '../../src/guidance/command-kinds.ts';
import { promisesOf } from '../../src/guidance/promises.ts';

const promises = (content: string, activeForm = content) =>
  promisesOf({ content, activeForm, status: 'completed' });

const PROMISES: Record<CommandKind, readonly string[]> = {
  test: [
    'Run tests',
    'Run the tests',
    'Run all unit tests',
    'Run the full test suite',
    'Re-run the failing tests',
    'Run npm test',
    'Run pytest',
    'Execute integration tests',
    'Make sure that all tests pass',
    'Verify the test suite passes',
    'Get the tests to pass',
    'Tests are green',
    'Fix the failing tests',
    'Fix two broken unit tests',
    'Fix the bug and run the tests',
    'Write tests and run them with npm, then run the tests',
    'Implement parsing, run the test suite',
    '运行测试',
    '跑一遍测试',
    '确保测试通过',
    '修复缺陷并运行测试',
  ],
  build: [
    'Run the build',
    'Run the production build',
    'Run build and deploy the docs',
    'Make sure the build passes',
    'Build is green',
    'Fix the broken build',
    'Fix the build',
    '运行构建',
    '确认编译通过',
  ],
  lint: [
    'Run lint',
    'Run the linter',
    'Run eslint',
    'Lint is clean',
    'Fix all lint errors',
    'Fix ruff warnings',
    '运行 eslint',
  ],
  'type check': [
    'Run the type checker',
    'Run type check',
    'Run tsc',
    'Run mypy on src',
    'Type-check passes',
    'Fix all type errors',
    '运行类型检查',
  ],
};

describe.each(Object.entries(PROMISES))('promises a %s', (kind, contents) => {
  test.each(contents)('%s', (content) => {
    expect(promises(content)).toContain(kind);
  });
});

test('one text may promise more than one kind', () => {
  expect(promises('Run lint and tests')).toEqual(['test', 'lint']);
  expect(promises('Run tests, then run tsc')).toEqual(['test', 'type check']);
});

test('the activeForm counts as well', () => {
  expect(promises('Final step', 'Running the tests')).toEqual(['test']);
});

test.each([
  'Add unit tests for auth',
  'Write tests',
  'Write integration tests for the API',
  'Update the tests',
  'Refactor the test helpers',
  'Review the tests',
  'Set up CI to run tests',
  'Add a script to lint and run tests',
  'Document how to run the tests',
  'Configure eslint',
  'Set up linting',
  'Decide which tests to run',
  'Run a test query against the database',
  'Run the test server',
  'Run load tests',
  'Run the tests manually',
  'Run the tests by hand in staging',
  'Run user tests',
  'Explain why tests fail',
  'Find out why the build fails',
  'Skip the failing tests',
  'Tests pass in CI',
  'Tests cannot run here',
  'Build the login form',
  'Build a REST client',
  'Rebuild the index',
  'Add a build step',
  'Compile a list of users',
  'Add types to the parser',
  'Fix a type error message',
  'Fix the test that is flaky',
  'Pass the tests directory to the runner',
  'Verify the result',
  'Check the output',
  'Deploy',
  '编写测试',
  '手动运行测试',
])('promises nothing: %s', (content) => {
  expect(promises(content)).toEqual([]);
});
