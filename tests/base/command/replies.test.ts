import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refusal } from '../../../src/base/command/replies.ts';
import { cleanEnvironment, run } from '../../helpers/executables.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { failed } from '../../helpers/replies.ts';
import { Team } from '../../tasks/team.ts';

// One rule for all agent commands: 0 done; 1 refused, whatever the text was; 2 an unknown option or a wrong use of one;
// 3 storage.

test.each([
  ['TaskCreate', ['Fix login'], "Error: Invalid JSON format\n- 'Fix login' is not JSON\n"],
  ['TaskList', ['all'], "Error: Unexpected argument 'all'\nUsage: TaskList "],
  ['TaskInbox', ['read'], "Error: Unexpected argument 'read'\nUsage: TaskInbox "],
  ['TaskUndo', ['3'], "Error: Unexpected argument '3'\nUsage: TaskUndo "],
  ['TaskUpdate', ['done'], 'Error: Validation failed\n- taskId: '],
  ['TaskUpdate', ['1', 'completed'], "Error: Unexpected argument 'completed'\nUsage: TaskUpdate "],
  ['TaskGet', ['1', '2\u001b[2J'], "Error: Unexpected argument '2␛[2J'\nUsage: TaskGet "],
])('%s %j is refused with exit code 1', async (name, argv, stderr) => {
  const result = await new Team({ settings: { agent: 'a' } }).call(name, argv);
  expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(stderr) });
});

test('a program ends with the exit code of its command', () => {
  const cwd = temporaryDirectory();
  const env = cleanEnvironment({ TODO_STATE_DIR: join(cwd, 'state'), TODO_SESSION: 's' });
  const noList = ['-c', "TodoWrite 'no list'"];
  expect(run('agent-shell', noList, { cwd, env })).toMatchObject({ stdout: '', exitCode: 1 });
  expect(run('todo-write', ['--colour'], { cwd, env })).toMatchObject({ stdout: '', exitCode: 2 });
  const nowhere = { ...env, TODO_STATE_DIR: '/dev/null/state' };
  expect(run('task-claim', ['--next'], { cwd, env: nowhere })).toMatchObject({ exitCode: 3 });
});

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `problem ${index}`);

/** The bullet lines of stderr. */
const bullets = (problems: Parameters<typeof refusal>[1]) =>
  refusal('Failed', problems).stderr.split('\n').slice(1, -1);

test('a refusal is exit code 1, nothing on stdout, and its lines between title and ending', () => {
  expect(refusal('Failed', { lines: ['one', 'two'] }, 'Usage: x\n')).toEqual(
    failed('Error: Failed\n- one\n- two\nUsage: x\n'),
  );
});

test.each([
  [{ lines: numbered(20) }, 20, '- problem 19'],
  [{ lines: numbered(30) }, 21, '- and 10 more'],
  [{ lines: numbered(2), unlisted: 5 }, 3, '- and 5 more'],
])('of the problems at most 20 are lines, and the rest is counted', (problems, count, last) => {
  expect(bullets(problems)).toHaveLength(count);
  expect(bullets(problems).at(-1)).toBe(last);
});

test('closing lines are among the 20 and are never crowded out', () => {
  const lines = bullets({ lines: numbered(20), unlisted: 80, closing: ['last but one', 'last'] });
  expect(lines).toHaveLength(21);
  expect(lines.slice(-4)).toEqual(['- problem 17', '- last but one', '- last', '- and 82 more']);
});

test('long lines are left out beyond 4 KB', () => {
  const lines = Array(20).fill('日'.repeat(100));
  const { stderr } = refusal('Failed', { lines, closing: ['last'] });
  expect(Buffer.byteLength(stderr)).toBeLessThan(3500);
  expect(stderr).toMatch(/- last\n- and 11 more\n$/);
});
