import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment, run } from '../../helpers/executables.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { Team } from '../../tasks/team.ts';

// One rule for all agent commands: 0 done; 1 refused, whatever the text was; 2 an unknown option or a wrong use of one;
// 3 storage.

test.each([
  [
    'TaskCreate',
    ['Fix', 'login'],
    "Error: Invalid JSON format\n- 'Fix' is not JSON. Try: --subject 'Fix login'\n",
  ],
  ['TaskList', ['all'], "Error: Unexpected argument 'all'\nUsage: TaskList "],
  ['TaskInbox', ['read'], "Error: Unexpected argument 'read'\nUsage: TaskInbox "],
  // Not '--at 3', which might undo another task's change.
  ['TaskUndo', ['3'], "'3': --at takes a version, see TaskList --history\nUsage: TaskUndo "],
  ['TaskList', ['#3'], "Error: Unexpected argument '#3'. Try: TaskGet 3\nUsage: TaskList "],
  ['TaskInbox', ['3'], "Error: Unexpected argument '3'\nUsage: TaskInbox "],
  ['TaskUpdate', ['done'], 'Error: Validation failed\n- taskId: '],
  ['TaskUpdate', ['1', 'completed'], "Unexpected argument 'completed'. Try: --status completed\n"],
  ['TaskUpdate', ['1', 'done'], "Unexpected argument 'done'. Try: --status completed\n"],
  [
    'TaskUpdate',
    ['1', 'In-Progress'],
    "Unexpected argument 'In-Progress'. Try: --status in_progress",
  ],
  ['TaskUpdate', ['done', '1'], "argument 'done'. Try: TaskUpdate 1 --status completed\n"],
  ['TaskUpdate', ['start', '#3'], "argument 'start'. Try: TaskUpdate 3 --status in_progress\n"],
  ['TaskGet', ['history', '1'], "Unexpected argument 'history'. Try: --history\n"],
  ['TaskUpdate', ['1', 'owner'], "Unexpected argument 'owner'. Try: --owner\n"],
  ['TaskUpdate', ['1', 'constructor'], "Unexpected argument 'constructor'\n"],
  ['TaskList', ['mine'], "Unexpected argument 'mine'. Try: --mine\n"],
  ['TaskClaim', ['1', 'next'], "Unexpected argument 'next'. Try: --next\n"],
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

test.each(['--title', '--name'])('TaskCreate %s leads to --subject', async (option) => {
  const { stderr } = await new Team({ settings: { agent: 'a' } }).call('TaskCreate', [option, 'A']);
  expect(stderr).toMatch(/^Error: Unknown option --\w+\. Try: --subject\n/);
});

test('a URL of an unknown kind is named before the session that it would need', () => {
  const cwd = temporaryDirectory();
  const env = cleanEnvironment({ TODO_STATE_URL: 'redis://x' });
  for (const name of ['todo-read', 'task-list'] as const) {
    const { stderr, exitCode } = run(name, [], { cwd, env });
    const said = expect.stringContaining('begin with etcd://, etcds:// or postgres://');
    expect([stderr, exitCode]).toEqual([said, 3]);
  }
});
