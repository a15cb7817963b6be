import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { quote } from '../../src/base/line/quotes.ts';
import { AGENT_SHELL, agentShell, run } from '../helpers/agent-shell.ts';
import { ENV } from '../helpers/bash.ts';
import { eventually } from '../helpers/eventually.ts';
import { startProgram } from '../helpers/executables.ts';
import { listFiles, temporaryDirectory } from '../helpers/files.ts';
import { hasProc, isAlive, processesWith } from '../helpers/processes.ts';

const LIST = '{"todos":[{"content":"Build","activeForm":"Building","status":"pending"}]}';
const PLACE = { cwd: '/', env: ENV };
const UPDATED = 'Todo list updated: 0 completed, 0 in_progress, 1 pending\n';

describe('TodoWrite', () => {
  test.each([
    ['with parameters of the line', ['-c', 'TodoWrite "$1"', 'name', LIST], ''],
    ['with standard input, composed', ['-c', 'cat | TodoWrite -'], LIST],
    ['in a script on standard input', [], `TodoWrite '${LIST}'\n`],
  ])('is a command %s', async (_name, args, stdin) => {
    const ended = { stdout: UPDATED, stderr: '', exitCode: 0, signal: null };
    expect(await agentShell(args, { stdin })).toEqual(ended);
  });

  test('is a command in a script and in the programs it calls, on one list', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'inner'), 'TodoRead | head -n 1; exit 5\n');
    writeFileSync(join(cwd, 'outer'), `TodoWrite '${LIST}' >/dev/null\nbash inner; echo $?\n`);
    expect(await agentShell(['outer'], { cwd })).toMatchObject({
      stdout: '[ ] Build\n5\n',
      exitCode: 0,
    });
  });

  test('says its notes on stderr, and brings nothing to mind', async () => {
    const other = LIST.replace('Build', 'Ship');
    const line = `TodoWrite "$1" >&2; for i in 1 2 3; do TodoRead; done >/dev/null; echo "<$(TodoWrite "$2")>"`;
    const env = { TODO_REMINDER_TURNS: '2' };
    expect(await agentShell(['-c', line, 'name', LIST, other], { env })).toMatchObject({
      stdout: `<${UPDATED.trim()}>\n`,
      stderr: `${UPDATED}Note: 1 unfinished item is no longer on the list: "Build". By mistake: TodoWrite --undo; on purpose, next time: --drop N.\n`,
    });
  });

  test.each([
    ['JSON in single quotes', `TodoWrite '${LIST}'`, {}, UPDATED],
    ['bare words', 'TodoRead  --agent a', {}, 'No todos.\n'],
    ['a name that is not ours', 'TaskX', {}, undefined],
    ['an assignment', `A=1 TodoWrite '${LIST}'`, {}, undefined],
    ['a redirection', 'TodoRead >/dev/null', {}, undefined],
    ['two quoted words', "TodoWrite '--done' '1'", {}, undefined],
    ['an open quote', "TodoWrite '", {}, undefined],
    ['a script that bash reads first', 'TodoRead', { BASH_ENV: '/dev/null' }, undefined],
  ])('as a literal line needs no bash, any other does: %s', async (_, line, set, stdout) => {
    const folder = temporaryDirectory();
    // A bash that is not run prints no arguments.
    copyFileSync('/bin/echo', join(folder, 'bash'));
    const env = { ...set, PATH: `${folder}:${process.env.PATH}` };
    const ended = await agentShell(['-c', line], { env });
    if (stdout === undefined) expect(ended.stdout).toContain(line);
    else expect(ended.stdout).toBe(stdout);
  });

  const DONT = LIST.replace('Build', "Don't");
  const CANT = LIST.replace('Build', "Don't stop, can't stop");

  test.each([
    ['alone', `TodoWrite '${DONT}'`],
    ['without quotes, behind a cd', `cd . && TodoWrite ${DONT}`],
    ['in an eval', `true && eval '${`TodoWrite '${DONT}'`.replaceAll("'", `'"'"'`)}' </dev/null`],
    ['that bash can read, over several lines', `cd . && TodoWrite --agent a \\\n  '\n${CANT}\n'`],
    ['as a here-string', `cd . && TodoWrite - <<< '${DONT}'`],
    ['as a here-string that bash can read', `TodoWrite <<< '${CANT}'`],
    ['that bash can read as other JSON', `TodoWrite '${DONT}'`.replace('ing', "ing's")],
  ])('with JSON whose quotes broke is read as it was typed: %s', async (_, line) => {
    const cwd = temporaryDirectory();
    const { stdout, stderr, exitCode } = await agentShell(['-c', line], { cwd });
    expect([stdout, exitCode]).toEqual([UPDATED, 0]);
    expect(stderr).toMatch(/^Note: read the JSON as it was typed/);
    expect(listFiles(cwd)).toEqual([]);
  });

  test('in a line that bash cannot read gets the heredoc form', async () => {
    const cut = LIST.replace('Build', "Don't").slice(0, -2);
    const line = `cd / && TodoWrite '${cut}'`;
    const { stderr, exitCode } = await agentShell(['-c', line]);
    const { exitCode: code } = await run('bash', ['-c', line]);
    expect(exitCode).toBe(code);
    expect(stderr).toMatch(
      /^bash: -c: line [01]: unexpected EOF[\s\S]*TodoWrite <<'EOF'\n[\s\S]*\nEOF\n$/,
    );
    const later = await agentShell(['-c', `echo first\n${line}`]);
    expect(later).toMatchObject({ stdout: 'first\n', exitCode: code });
    expect(later.stderr).toContain("TodoWrite <<'EOF'\n");
    // As harnesses wrap it.
    const wrapped = await agentShell(['-c', `echo first && eval ${quote(`TodoWrite '${cut}'`)}`]);
    expect(wrapped).toMatchObject({ stdout: 'first\n', exitCode: code });
    expect(wrapped.stderr).toContain("TodoWrite <<'EOF'\n");
  });

  test('starts Node only where an agent command is called', async () => {
    const bin = temporaryDirectory();
    writeFileSync(join(bin, 'node'), '#!/bin/sh\necho started >&2\nexit 9\n', { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env.PATH}` };
    for (const args of [
      ['-c', 'echo hi'],
      ['-lc', 'false && TodoWrite; echo hi'],
    ]) {
      const { stdout, stderr } = await agentShell(args, { env });
      expect([stdout, stderr]).toEqual(['hi\n', '']);
    }
  });
});

describe('a signal from outside', () => {
  test.each([
    ['SIGTERM', 'called by its name', AGENT_SHELL, []],
    ['SIGHUP', 'called by its name', AGENT_SHELL, []],
    ['SIGINT', 'called by its name', AGENT_SHELL, []],
    ['SIGTERM', 'called through Node', process.execPath, [AGENT_SHELL]],
  ] as const)('%s reaches bash, whose trap decides: %s', async (signal, _, file, args) => {
    const name = signal.slice(3);
    const line = `trap 'echo got ${name}; exit 7' ${name}; echo ready; while :; do sleep 0.01; done`;
    const { child, said, ended } = startProgram(file, [...args, '-c', line], PLACE);
    await eventually('the line runs', () => said.stdout === 'ready\n');
    child.kill(signal);
    expect(await ended).toMatchObject({ stdout: `ready\ngot ${name}\n`, exitCode: 7 });
  });

  test.each([
    ['called by its name', AGENT_SHELL, []],
    ['called through Node', process.execPath, [AGENT_SHELL]],
  ] as const)('SIGKILL from outside leaves no bash: %s', async (_, file, args) => {
    const line = 'echo $$; while :; do sleep 0.01; done';
    const { child, said, ended } = startProgram(file, [...args, '-c', line], PLACE);
    await eventually('the line runs', () => /^\d+\n$/.test(said.stdout));
    child.kill('SIGKILL');
    expect(await ended).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    await eventually('bash is gone', () => !isAlive(Number(said.stdout)));
  });
});

test.each([
  [['-c', `TodoWrite '${LIST}'`]],
  [['-c', `:; TodoWrite '${LIST}'; exit 3`]],
  [['-c', 'echo "open']],
  [['nosuchscript']],
])('nothing is left behind: %j', async (args) => {
  const tmp = temporaryDirectory();
  await agentShell(args, { env: { TMPDIR: tmp } });
  expect(listFiles(tmp)).toEqual([]);
  if (hasProc) expect(processesWith(tmp)).toEqual([]);
});

test('a closed reader is not an error', async () => {
  const line = `set -o pipefail; "$0" -c "$1" | true; echo "\${PIPESTATUS[@]}"`;
  for (const inner of ['TodoWrite --help', 'yes']) {
    const { stdout, stderr } = await run('bash', ['-c', line, AGENT_SHELL, inner], {
      env: { SHLVL: '1' },
    });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\d+ 0\n$/);
  }
});
