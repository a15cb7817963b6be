import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { JsonlClient } from '../helpers/agent-shell.ts';
import { callCommand } from '../helpers/commands.ts';
import { eventually } from '../helpers/eventually.ts';
import { cleanEnvironment } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { PersonsShell } from '../helpers/persons-shell.ts';
import { hasProc, killProcessesWith, processesWith } from '../helpers/processes.ts';
import { hasTmux } from '../helpers/tmux.ts';

// Tasks begun in a session are released however it ends.

function machine(list: Record<string, string> = { TODO_TEAM: 'blue' }) {
  const folder = temporaryDirectory();
  const own = { HOME: folder, TODO_STATE_DIR: `${folder}/state`, ...list };
  const env = (agent: string, more = {}) =>
    cleanEnvironment({ ...own, TODO_AGENT: agent, ...more });
  const run = async (name: string, argv: readonly string[], agent = 'lead') => {
    const { stdout, stderr } = await callCommand(env(agent), name, argv, { cwd: folder });
    return stdout === '' ? stderr : stdout;
  };
  const start = async (agent: string, command: string, more = {}) => {
    const host = new JsonlClient({ env: env(agent, more), cwd: folder });
    const answer = await host.send(command);
    return { host, answer, folder };
  };
  return { run, start, folder };
}

/** The processes that release tasks when a session has ended. */
const releasing = (folder: string) =>
  processesWith(folder)
    .filter(({ command }) => command.includes('TaskRelease --begun'))
    .map(({ pid }) => pid);

test.each<[string, Record<string, string>]>([
  ['the end of its input', { TODO_TEAM: 'blue' }],
  ['SIGKILL', { TODO_SESSION: 's' }],
])('after %s a session has released what its agent began, in any list: %j', async (how, named) => {
  const { run, start, folder } = machine(named);
  const isFree = async (...list: string[]) =>
    (await run('TaskList', list)).startsWith('#1 [pending] A\n');
  await run('TaskCreate', ['--list', 'it is', '--subject', 'A']);
  await run('TaskCreate', ['--subject', 'A']);
  await run('TaskCreate', ['--subject', 'B', '--owner', 'ann']);
  const { host, answer } = await start('ann', "TaskClaim 1 --list 'it is' && TaskClaim 1 | cat");
  expect(answer.exitCode).toBe(0);
  expect(await run('TaskList', [])).toBe('#1 [in_progress] A (ann)\n#2 [pending] B (ann)\n');
  if (how === 'SIGKILL') host.child.kill(how);
  await host.end();
  if (how !== 'SIGKILL') expect(releasing(folder)).toEqual([]);
  await eventually('released', () => isFree());
  await eventually('released there, too', () => isFree('--list', 'it is'));
  expect(await run('TaskList', [])).toBe('#1 [pending] A\n#2 [pending] B (ann)\n');
  expect(await run('TaskGet', ['1', '--history'])).toMatch(/ {2}ann {2}released #1 A\n/);
});

test.runIf(hasProc)("a killed session releases its tasks, not the next session's", async () => {
  const { run, start } = machine();
  await run('TaskCreate', [JSON.stringify(['A', 'B', 'C'].map((subject) => ({ subject })))]);
  const { host, folder } = await start('ann', 'TaskClaim 1; TaskClaim 2; TaskClaim 3 >&2');
  const [waiting = 0] = releasing(folder);
  process.kill(waiting, 'SIGSTOP');
  host.child.kill('SIGKILL');
  await once(host.child, 'exit');
  // The agent is back before anything was released. It begins one task again and claims another.
  await run('TaskCreate', ['--subject', 'D']);
  const next = await start('ann', 'TaskClaim --next; TaskClaim 2');
  expect(next.answer.stdout).toBe('Task #4 claimed by ann: D\nTask #2 claimed by ann: B\n');
  process.kill(waiting, 'SIGCONT');
  await eventually('released', async () => (await run('TaskList', [])).includes('[pending] C'));
  expect(await run('TaskList', [])).toBe(
    '#1 [pending] A\n#2 [in_progress] B (ann)\n#3 [pending] C\n#4 [in_progress] D (ann)\n',
  );
  await next.host.end();
  expect(await run('TaskList', [])).toBe(
    '#1 [pending] A\n#2 [pending] B\n#3 [pending] C\n#4 [pending] D\n',
  );
});

test.skipIf(!hasTmux)('an interactive shell releases them when it exits or is killed', async () => {
  const { run, folder } = machine();
  const env = { TODO_TEAM: 'blue', TODO_STATE_DIR: `${folder}/state` };
  const start = (agent: string) => PersonsShell.start({ env, argv: `--agent ${agent}` });
  await run('TaskCreate', [JSON.stringify(['A', 'B'].map((subject) => ({ subject })))]);
  const killed = await start('ann');
  onTestFinished(() => killProcessesWith(killed.home));
  await killed.run('(trap "" HUP; exec sleep 1000 &); TaskClaim 1');
  killed.enter('kill -9 $$');
  const shell = await start('bob');
  await shell.run('TaskClaim 2');
  const isFree = (task: string) => async () =>
    (await run('TaskList', [])).includes(`[pending] ${task}\n`);
  shell.enter('exit');
  // Its end is seen ten seconds after its start at the latest.
  await eventually('released at once', isFree('B'), 8000);
  await eventually('released', isFree('A'));
  expect(await run('TaskGet', ['1', '--history'])).toContain('  ann  released #1 A\n');
});

test('a restarted agent is told which tasks it began', async () => {
  const { run } = machine();
  await run('TaskCreate', ['--subject', 'A']);
  expect(await run('TaskClaim', ['--next'], 'ann')).toBe('Task #1 claimed by ann: A\n');
  expect(await run('TaskClaim', ['--next'], 'ann')).toContain(
    '- nothing_ready: no pending, unblocked task is yours or unowned; you have begun #1: finish or release it\n',
  );
  expect(await run('TaskClaim', ['--next'], 'bob')).toContain(
    'yours or unowned; held: #1 by ann since ',
  );
});

test('with TODO_RELEASE_AT_EXIT=0 it keeps its tasks', async () => {
  const { run, start } = machine();
  await run('TaskCreate', ['--subject', 'A']);
  const { host } = await start('ann', 'TaskClaim 1', { TODO_RELEASE_AT_EXIT: '0' });
  await host.end();
  expect(await run('TaskList', [])).toBe('#1 [in_progress] A (ann)\n');
});
