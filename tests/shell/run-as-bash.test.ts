import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  AGENT_SHELL,
  agentShell,
  type ProgramOptions,
  run,
  start,
} from '../helpers/agent-shell.ts';
import { eventually } from '../helpers/eventually.ts';
import { listFiles, temporaryDirectory } from '../helpers/files.ts';
import { hasProc, isAlive, processesWith } from '../helpers/processes.ts';

const LIST = '{"todos":[{"content":"Build","activeForm":"Building","status":"pending"}]}';
const UPDATED = 'Todo list updated: 0 completed, 0 in_progress, 1 pending\n';

/** Runs agent-shell and bash with equal arguments, each in a directory with equal files. */
async function both(
  args: readonly string[],
  options: ProgramOptions = {},
  files: Record<string, string> = {},
) {
  const directories = ['ours', 'bash'].map((name) => {
    const directory = join(temporaryDirectory(), name);
    mkdirSync(directory);
    for (const [file, text] of Object.entries(files)) {
      writeFileSync(join(directory, file), text);
      chmodSync(join(directory, file), 0o755);
    }
    return directory;
  }) as [string, string];
  // As the caller's: without it, bash would read ~/.bashrc if its input is a socket.
  const shared = {
    ...options,
    env: { SHLVL: '1', TODO_STATE_DIR: '/nonexistent', ...options.env },
  };
  const [ours, theirs] = await Promise.all([
    agentShell(args, { ...shared, cwd: directories[0] }),
    run('bash', args, { ...shared, cwd: directories[1] }),
  ]);
  return { ours, theirs };
}

describe('agent-shell does what bash does', () => {
  test.each([
    ['output, errors and exit code', ['-c', 'echo out; echo err >&2; exit 7']],
    ['no output', ['-c', '']],
    ['$0 and parameters', ['-c', 'echo "$0" "$#" "$1" "$2"', 'name', 'a b', '']],
    ['$0 without a name', ['-c', 'echo "$0" $#']],
    [
      'parameters that look like options',
      ['-c', 'echo "$@"', 'x', '-c', '--help', '--jsonl', '--'],
    ],
    ['several lines', ['-c', 'for i in 1 2\ndo echo $i\ndone\ncat <<EOF\ntext\nEOF']],
    ['a command that is not there', ['-c', 'nosuchcommand']],
    ['an error of syntax', ['-c', 'echo "open']],
    ['an error of syntax later', ['-c', 'echo one\nif']],
    ['an expansion that may not be', ['-c', 'echo ${x:?not set}; echo never']],
    ['set -u', ['-c', 'set -u; echo $x; echo never']],
    ['traps', ['-c', 'trap "echo bye" EXIT; echo hi; exit 3']],
    ['a message with a line number', ['-c', 'true\nnosuchcommand']],
    ['a function', ['-c', 'f() { nosuchcommand; }; f']],
    ['the options of the shell', ['-c', 'echo $-; shopt -q login_shell; echo $?']],
    ['every byte', ['-c', 'for i in {0..255}; do printf "\\\\x$(printf %x $i)"; done | cat']],
    ['NUL and no newline at the end', ['-c', 'printf "a\\0b"; printf "c\\0" >&2']],
    ['a large output', ['-c', 'head -c 5000000 /dev/zero | tr "\\0" x']],
    ['subshell depth and level', ['-c', 'echo $BASH_SUBSHELL']],
    ['exit codes beyond 255', ['-c', 'exit 300']],
  ])('with -c: %s', async (_name, args) => {
    const { ours, theirs } = await both(args);
    expect(ours).toEqual(theirs);
  });

  test.each([
    ['its name and parameters', ['./script', 'a b', '', '-c'], 'echo "$0" "$#" "$@"'],
    ['its exit code', ['script'], 'exit 9'],
    ['its errors', ['./script'], 'echo one\nnosuchcommand\n('],
    ['after --', ['--', 'script', '--help'], 'echo "$@"'],
    ['that is read as it runs', ['script'], 'echo "echo added" >>script\necho one\n'],
    ['of another interpreter', ['script'], '#!/bin/sh\necho "$0"\n'],
  ])('with a script: %s', async (_name, args, text) => {
    const { ours, theirs } = await both(args, {}, { script: text });
    expect(ours).toEqual(theirs);
  });

  test('with a script that is not there', async () => {
    const { ours, theirs } = await both(['nosuchscript']);
    expect(ours).toEqual(theirs);
    expect(ours.exitCode).toBe(127);
  });

  test.each([
    ['lines', 'echo one\necho two; exit 4\necho never\n'],
    ['an error of syntax', 'echo one\n)\necho two\n'],
    ['nothing', ''],
    ['no newline at the end', 'echo one'],
    ['what it reads itself', 'read -r word\nthis is read\necho "[$word]"\ncat\nthe rest\n'],
  ])('with a script on standard input: %s', async (_name, stdin) => {
    const { ours, theirs } = await both([], { stdin });
    expect(ours).toEqual(theirs);
  });

  test.each([
    ['text', 'one\ntwo\n'],
    ['every byte', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
    ['a megabyte', Buffer.alloc(1_000_000, 'x')],
  ])('with standard input for the line: %s', async (_name, stdin) => {
    const { ours, theirs } = await both(['-c', 'read -r -n 1 first; wc -c; echo "$first"'], {
      stdin,
    });
    expect(ours).toEqual(theirs);
  });

  test('with an environment: nothing is added to it but on PATH', async () => {
    const line = 'env -0 | sort -z | grep -zv "^PATH=\\|^PWD=" | tr "\\0" "\\n"';
    const { ours, theirs } = await both(['-c', line], { env: { ODD: "it's\nodd" } });
    expect(ours).toEqual(theirs);
  });
});

describe('TodoWrite', () => {
  test.each([
    ['alone', ['-c', `TodoWrite '${LIST}'`], ''],
    ['in a composed line', ['-c', `true && TodoWrite '${LIST}'`], ''],
    ['with parameters of the line', ['-c', 'TodoWrite "$1"', 'name', LIST], ''],
    ['with standard input, alone', ['-c', 'TodoWrite'], LIST],
    ['with standard input, composed', ['-c', 'cat | TodoWrite -'], LIST],
    ['in a script on standard input', [], `TodoWrite '${LIST}'\n`],
  ])('is a command %s', async (_name, args, stdin) => {
    expect(await agentShell(args, { stdin })).toEqual({
      stdout: UPDATED,
      stderr: '',
      exitCode: 0,
      signal: null,
    });
  });

  test('is a command in a script, and in what it calls, on one list', async () => {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, 'inner'), 'TodoRead | head -n 1; exit 5\n');
    writeFileSync(join(cwd, 'outer'), `TodoWrite '${LIST}' >/dev/null\nbash inner; echo $?\n`);
    expect(await agentShell(['outer'], { cwd })).toMatchObject({
      stdout: '[ ] Build\n5\n',
      exitCode: 0,
    });
  });

  test('refused gives its exit code and errors, alone and composed', async () => {
    const alone = await agentShell(['-c', "TodoWrite '{}'"]);
    const composed = await agentShell(['-c', ":; TodoWrite '{}'"]);
    expect(alone).toMatchObject({ stdout: '', exitCode: 1 });
    expect(alone.stderr).toMatch(/^Error: Validation failed\n- todos: Required\n/);
    expect(composed).toEqual(alone);
  });

  const DONT = LIST.replace('Build', "Don't");
  const CANT = LIST.replace('Build', "Don't stop, can't stop");

  test.each([
    ['alone', `TodoWrite '${DONT}'`],
    ['without quotes, behind a cd', `cd . && TodoWrite ${DONT}`],
    ['in an eval', `true && eval '${`TodoWrite '${DONT}'`.replaceAll("'", `'"'"'`)}' </dev/null`],
    ['that bash can read, over several lines', `cd . && TodoWrite \\\n  '\n${CANT}\n'`],
    ['that bash can read as other JSON', `TodoWrite '${DONT}'`.replace('ing', "ing's")],
    [
      'that bash can read, in an eval',
      `cd . && eval '${`TodoWrite '${CANT}'`.replaceAll("'", `'\\''`)}' </dev/null`,
    ],
  ])('with JSON whose quotes broke is read as it was typed: %s', async (_, line) => {
    const cwd = temporaryDirectory();
    const { stdout, stderr, exitCode } = await agentShell(['-c', line], { cwd });
    expect([stdout, exitCode]).toEqual([UPDATED, 0]);
    expect(stderr).toMatch(/^Note: read the JSON as it was typed/);
    expect(listFiles(cwd)).toEqual([]);
  });

  test('with a text that bash expands is what bash makes of it', async () => {
    const state = temporaryDirectory();
    const env = { TODO_STATE_DIR: state, V: 'from-bash' };
    const cwd = temporaryDirectory();
    for (const text of [`'$(echo from-bash)'`, `'"$V"'`]) {
      const line = `TodoWrite '${LIST.replace('Build', text)}'; TodoRead`;
      expect((await agentShell(['-c', line], { cwd, env })).stdout).toContain('[ ] from-bash\n');
    }
  });

  test.each(['', 'true && '])(
    'in double quotes that its own break is refused where an expansion may be meant: %j',
    async (before) => {
      const env = { TODO_STATE_DIR: temporaryDirectory() };
      const line = `${before}TodoWrite "${LIST.replace('Build', "It's $(touch ran)")}"`;
      const { stderr, exitCode } = await agentShell(['-c', line], { env });
      expect(exitCode).toBeGreaterThan(0);
      expect(stderr).toContain('TodoWrite <<');
      expect((await agentShell(['-c', 'TodoRead'], { env })).stdout).toBe('No todos.\n');
    },
  );

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
  });

  test('starts Node only where an agent command is called', async () => {
    const bin = temporaryDirectory();
    writeFileSync(join(bin, 'node'), '#!/bin/sh\necho started >&2\nexit 9\n', { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env.PATH}` };
    for (const args of [
      ['-c', 'echo hi'],
      ['-c', 'false && TodoWrite "$1"; echo hi'],
      ['-lc', 'echo hi'],
    ]) {
      const { stdout, stderr } = await agentShell(args, { env });
      expect([stdout, stderr]).toEqual(['hi\n', '']);
    }
  });
});

describe('the end by a signal', () => {
  test.each(['SIGKILL', 'SIGTERM', 'SIGSEGV'] as const)(
    '%s of the line itself is the end of agent-shell',
    async (name) => {
      const line = `echo before; kill -${name.slice(3)} $$; sleep 10`;
      const { stdout, exitCode, signal } = await agentShell(['-c', line]);
      expect([stdout, exitCode, signal]).toEqual(['before\n', null, name]);
    },
  );

  test.each([
    ['SIGTERM', 'called by its name', AGENT_SHELL, []],
    ['SIGHUP', 'called by its name', AGENT_SHELL, []],
    ['SIGINT', 'called by its name', AGENT_SHELL, []],
    ['SIGTERM', 'called through Node', process.execPath, [AGENT_SHELL]],
  ] as const)(
    '%s from outside reaches bash, whose trap decides: %s',
    async (signal, _, file, args) => {
      const name = signal.slice(3);
      const line = `trap 'echo got ${name}; exit 7' ${name}; echo ready; while :; do sleep 0.01; done`;
      const child = start(file, [...args, '-c', line]);
      let output = '';
      child.stdout?.on('data', (chunk) => {
        output += chunk;
      });
      await eventually('the line runs', () => output === 'ready\n');
      child.kill(signal);
      const [code] = await once(child, 'close');
      expect([output, code]).toEqual([`ready\ngot ${name}\n`, 7]);
    },
  );

  test.each([
    ['called by its name', AGENT_SHELL, []],
    ['called through Node', process.execPath, [AGENT_SHELL]],
  ] as const)('SIGKILL from outside leaves no bash: %s', async (_, file, args) => {
    const child = start(file, [...args, '-c', 'echo $$; while :; do sleep 0.01; done']);
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    await eventually('the line runs', () => /^\d+\n$/.test(output));
    child.kill('SIGKILL');
    const [code, signal] = await once(child, 'close');
    expect([code, signal]).toEqual([null, 'SIGKILL']);
    await eventually('bash is gone', () => !isAlive(Number(output)));
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

test('a reader that goes away is not an error', async () => {
  const line = `set -o pipefail; "$0" -c "$1" | true; echo "\${PIPESTATUS[@]}"`;
  for (const inner of ['TodoWrite --help', 'yes']) {
    const { stdout, stderr } = await run('bash', ['-c', line, AGENT_SHELL, inner], {
      env: { SHLVL: '1' },
    });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\d+ 0\n$/);
  }
});
