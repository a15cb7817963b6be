import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand } from '../helpers/commands.ts';
import { cleanEnvironment, run } from '../helpers/executables.ts';
import { listFiles, temporaryDirectory } from '../helpers/files.ts';

const list = (content: string) =>
  JSON.stringify({ todos: [{ content, activeForm: 'Doing', status: 'pending' }] });

const request = (command: string) => `${JSON.stringify({ id: 1, command })}\n`;

function machine(variables = {}) {
  const cwd = temporaryDirectory();
  const state = join(cwd, 'state');
  mkdirSync(join(cwd, '.git'));
  const env = cleanEnvironment({ TODO_STATE_DIR: state, TODO_GUIDANCE: 'off', ...variables });
  return {
    state,
    shell: (argv: string[], input = '') => run('agent-shell', argv, { cwd, env, input }),
    read: async (...argv: string[]) => (await callCommand(env, 'TodoRead', argv, { cwd })).stdout,
    write: (...argv: string[]) => callCommand(env, 'TodoWrite', argv, { cwd }),
  };
}

test.each([
  ['--session s', ['--session', 's'], {}],
  ['--session=s', ['--session=s'], {}],
  ['TODO_SESSION=s', [], { TODO_SESSION: 's' }],
])(
  '%s names the list of a shell, with --jsonl too; it outlives the shell',
  async (_, argv, variables) => {
    const { shell, read } = machine(variables);
    const write = request(`TodoWrite '${list('a')}'`);
    expect(shell([...argv, '--jsonl'], write).exitCode).toBe(0);
    expect(await read('--session', 's')).toContain('[ ] a\n');
    expect(shell([...argv, '-c', 'TodoRead | cat']).stdout).toContain('[ ] a\n');
  },
);

test('the lists of a shell are those of TodoWrite on PATH; over --jsonl they are in memory unless a session is named', async () => {
  const { state, shell, read } = machine();
  const write = request(`TodoWrite '${list('a')}'; TodoRead`);
  expect(shell(['--jsonl'], write).stdout).toContain('[ ] a');
  expect(() => readdirSync(state)).toThrow(/ENOENT/);
  shell(['-c', `TodoWrite '${list('a')}'`]);
  expect(await read()).toContain('[ ] a\n');
});

test('inside, the agent is that of --agent, and the commands take other lists as their options say', async () => {
  const { shell, read } = machine();
  const line = `TodoWrite '${list('of bob')}'; TodoWrite --agent ann '${list('of ann')}' && TodoRead --agent ann --history`;
  const { stdout } = shell(['--session', 's', '--agent', 'bob', '-c', line]);
  // A writer of another agent's list signs with its own name.
  expect(stdout).toMatch(/\n1 .* bob {2}1 added\n$/);
  expect(await read('--session', 's', '--agent', 'bob')).toContain('of bob');
  expect(await read('--session', 's', '--agent', 'ann')).toContain('of ann');
});

test('a list that cannot be read does not stop a shell: commands on it end with 3, all others run', async () => {
  const { state, shell, write } = machine();
  await write('--session', 's', list('a'));
  const [file = ''] = listFiles(state).filter((name) => name.endsWith('.json'));
  writeFileSync(join(state, file), '{}');
  const line = 'echo hi; TodoRead; echo $?; TodoWrite --done 1; echo $?';
  const { stdout, stderr } = shell(['--session', 's', '-c', line]);
  expect(stdout).toBe('hi\n3\n3\n');
  expect(stderr).toContain(`${join(state, file)} is damaged`);
  rmSync(state, { recursive: true });
  writeFileSync(state, 'not a folder');
  const reply = shell(['--session', 's', '--jsonl'], request('TodoRead | cat; echo hi')).stdout;
  expect(reply).toMatch(
    /"stdout":"hi\\n","stderr":"Error: Cannot read the list.*ENOTDIR.*TODO_STATE_DIR/,
  );
});
