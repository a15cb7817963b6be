import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENT_SHELL } from '../helpers/agent-shell.ts';
import { ENV } from '../helpers/bash.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { hasPrograms } from '../helpers/machine.ts';

/** Runs a shell with these arguments, in a folder with the same files. */
function shell(
  file: string,
  argv: readonly string[],
  more: Record<string, string> = {},
  argv0?: string,
  input = 'echo "input $0 $# $*"; exit 4\n',
) {
  const cwd = temporaryDirectory();
  const home = join(cwd, 'home');
  mkdirSync(home);
  // A prompt with the folder's name could be too long for a row.
  writeFileSync(join(home, '.bash_profile'), "echo profile; PS1='$ '\n");
  writeFileSync(join(home, '.bashrc'), "echo rc; PS1='$ '\n");
  writeFileSync(join(cwd, 'startup'), 'echo "startup $0"\n');
  writeFileSync(join(cwd, 'script'), 'echo "script $0 $# $*"; nosuch; exit 3\n');
  writeFileSync(join(cwd, '-x'), 'echo "odd $*"\n');
  const { stdout, stderr, status, signal } = spawnSync(file, argv, {
    cwd,
    // SHLVL keeps bash from reading ~/.bashrc if its input is a socket.
    env: { ...ENV, HOME: home, SHLVL: '1', ...more },
    input,
    encoding: 'utf8',
    ...(argv0 !== undefined && { argv0 }),
  });
  const plain = (text: string) => text.replaceAll(cwd, 'CWD').replaceAll('/usr/bin/bash', 'bash');
  return { stdout: plain(stdout), stderr: plain(stderr), status, signal };
}

const SHOW = 'echo "$0 $# $* $-"';

// Starts of bash, as people and harnesses spell them.
const SPELLINGS: string[][] = [
  ['-c', SHOW],
  ['-c', SHOW, 'name', 'a', 'b c', ''],
  ['-lc', SHOW],
  ['-login', '-c', SHOW],
  ['-ec', 'false; echo no'],
  ['-euo', 'pipefail', '-c', 'echo $-; false | true; echo no'],
  ['-co', 'pipefail', 'false | true; echo $?'],
  ['-c', '--', SHOW, 'x'],
  ['--norc', '-c', SHOW],
  ['-O', 'extglob', '-c', 'shopt -q extglob; echo $?'],
  ['-ic', SHOW],
  ['-s', 'a', 'b'],
  ['+B', '-c', 'echo {a,b}'],
  ['--posix', '-c', 'shopt -qo posix; echo $?'],
  ['--rcfile', 'startup', '-c', SHOW],
  ['script', 'a', '-c', '--help'],
  ['--', 'script', 'a'],
  ['--', '-x', 'a'],
  ['-', 'script'],
  ['nosuchscript'],
  [],
  ['-'],
  ['-n'],
  ['--'],
  ['-c'],
  ['-z'],
  ['--nope'],
  ['-o', 'nosuch', '-c', 'x'],
  ['-c', '', 'x'],
  ...['KILL', 'TERM', 'SEGV'].map((name) => ['-c', `echo before; kill -${name} $$; sleep 10`]),
  ['-c', 'echo "open'],
  ['-c', 'trap "echo bye" EXIT; cat; exit 3'],
  ['-c', 'echo "$@"', 'x', '-c', '--help', '--jsonl', '--'],
  ['-c', 'ulimit -n; umask; echo $PPID $SHLVL'],
  ['-c', 'ls -l /proc/self/fd | wc -l'],
];

test.each(SPELLINGS.map((argv) => ({ argv })))('as bash does it: $argv', ({ argv }) => {
  expect(shell(AGENT_SHELL, argv)).toEqual(shell('bash', argv));
});

test.each<[Record<string, string>, string[]]>([
  [{ BASH_ENV: 'startup' }, ['-c', SHOW]],
  [{ BASH_ENV: 'startup' }, ['-lc', 'echo $BASH_ENV; env | grep -c AGENT_SHELL']],
  ...[['-ilc'], ['-l', '-ic'], ['-ic'], ['--posix', '-lc'], ['-plc'], ['--posix', '-ilc']].map(
    (options): [Record<string, string>, string[]] => [
      { BASH_ENV: 'startup', ENV: 'startup' },
      [...options, 'echo "$BASH_ENV $ENV $-"; env | grep -c AGENT_SHELL; set | grep -c ^__todo'],
    ],
  ),
  [{ BASH_ENV: 'startup' }, ['-li']],
  [{ ENV: 'startup' }, ['--posix', '-c', SHOW]],
  [{ SHELLOPTS: 'braceexpand:errexit' }, ['-c', 'false; echo no']],
  [{ POSIXLY_CORRECT: '1' }, ['-c', SHOW]],
  [{ IFS: 'x', OPTIND: '5', PS4: '> ' }, ['-xc', 'declare -p IFS OPTIND PS4']],
  [{ ODD: "it's\nodd" }, ['-lc', 'env | grep -v "^PATH=\\|^_=" | sort']],
])('as bash does it, with %j: %j', (environment, argv) => {
  expect(shell(AGENT_SHELL, argv, environment)).toEqual(shell('bash', argv, environment));
});

describe('under the name of bash', () => {
  /** A folder whose `bash` and `sh` are links to agent-shell. */
  function links(): string {
    const folder = join(temporaryDirectory(), 'with blank');
    mkdirSync(folder);
    for (const name of ['bash', 'sh']) symlinkSync(AGENT_SHELL, join(folder, name));
    return folder;
  }

  test.each([
    [['-c', 'echo $0; if command -v TodoWrite >/dev/null; then echo found; fi']],
    [['-lc', 'echo $0; shopt -q login_shell; echo $?']],
    [['--version']],
    [['--help']],
    [['script', '--version']],
    [['watch']],
  ])('first on PATH it finds a bash that is not itself: %j', (argv) => {
    const PATH = `${links()}:${ENV.PATH}`;
    const ours = shell('/bin/sh', ['-c', 'exec bash "$@"', 'sh', ...argv], { PATH });
    const plain = shell('bash', argv);
    const isFound = ours.stdout.includes('found\n');
    expect({ ...ours, stdout: ours.stdout.replace('found\n', '') }).toEqual(plain);
    expect(isFound).toBe(argv[1]?.includes('TodoWrite') ?? false);
  });

  test('with the commands on PATH it starts no process before bash, and one bash', () => {
    const folder = links();
    const [, real] = shell('bash', ['-c', 'echo; echo "$BASH"']).stdout.split('\n');
    const programs = temporaryDirectory();
    writeFileSync(join(programs, 'readlink'), '#!/bin/sh\necho readlink >&2\n', { mode: 0o755 });
    const PATH = `${folder}:${programs}:${join(AGENT_SHELL, '..', 'commands')}:${ENV.PATH}`;
    expect(shell(join(folder, 'bash'), ['-c', 'echo "$0 $# $BASH"'], { PATH })).toMatchObject({
      // A second bash on the way would have found its name on PATH.
      stdout: `bash 0 ${real}\n`,
      stderr: '',
    });
  });

  test.for(['of this system', 'busybox'])(
    'it gets the variables that sh drops, exported functions and names that are no identifiers, by the programs %s',
    (which, { skip }) => {
      const programs = temporaryDirectory();
      if (which === 'busybox') {
        if (!hasPrograms(which)) skip('no busybox here');
        const busybox = spawnSync('which', [which], { encoding: 'utf8' }).stdout.trim();
        for (const name of ['env', 'grep', 'sed', 'tr']) symlinkSync(busybox, join(programs, name));
      }
      const PATH = `${programs}:${ENV.PATH}`;
      const lines = [
        `f() { echo "it's $1\n$0"; }; export -f f; echo a | xargs -I{} bash -c 'f {}'`,
        `env a.b=1 $'n.l=x\\ny' bash -c 'printenv a.b n.l; echo $0 $SHLVL'`,
        `export -f f; echo 'f b; nosuch' | bash`,
      ];
      const argv = ['-c', lines.join('\n')];
      const ours = shell('bash', argv, { PATH: `${links()}:${PATH}` });
      expect(ours).toEqual(shell('bash', argv, { PATH }));
    },
  );

  test.each([['--norc', '-i'], ['script'], ['-c', 'echo TodoWrite']])(
    'it gets the prompts of the environment, and warns once of an unknown locale: %j',
    (...argv) => {
      const PS1 = "it's\n$ ";
      const environment = { PS1, PS2: 'more ', LC_ALL: 'nosuch', INPUTRC: '/dev/null' };
      const ours = { ...environment, PATH: `${links()}:${ENV.PATH}` };
      const line = 'echo "$0 ${PS1%%\\$\\{*}|$PS2|$LC_ALL"; export -p | grep "PS[12]\\|LC_"\n';
      expect(shell('bash', argv, ours, undefined, line)).toEqual(
        shell('bash', argv, environment, undefined, line),
      );
    },
  );

  test.each(['braceexpand:hashall', 'braceexpand:hashall:posix'])(
    'where sh is bash, an exported SHELLOPTS gets nothing of ours and loses nothing: %s',
    (SHELLOPTS) => {
      const line = 'echo $- $SHELLOPTS';
      const ours = shell('bash', [AGENT_SHELL, '-c', line], { SHELLOPTS }, 'sh');
      expect(ours).toEqual(shell('bash', ['-c', line], { SHELLOPTS }));
    },
  );

  test.each([['-c'], ['-uc']])(
    'first on PATH it hands on an exported SHELLOPTS, with %s',
    (option) => {
      const folder = links();
      const environment = { SHELLOPTS: 'braceexpand:noglob', PATH: `${folder}:${ENV.PATH}` };
      const argv = [option, 'echo "$0 $# $- $SHELLOPTS"'];
      expect(shell(join(folder, 'bash'), argv, environment)).toEqual(
        shell('/bin/bash', argv, environment, 'bash'),
      );
    },
  );

  test('as sh it is bash in POSIX mode', () => {
    const PATH = `${links()}:${ENV.PATH}`;
    const line = 'echo $0; shopt -qo posix; echo $?; nosuch';
    const { stdout, stderr } = shell('/bin/dash', ['-c', 'exec sh -c "$1"', 'sh', line], { PATH });
    // Bash before 5.1 counts from 0, and omits that.
    expect([stdout, stderr.replace(' line 1:', '')]).toEqual([
      'sh\n0\n',
      'sh: nosuch: command not found\n',
    ]);
  });

  test('with no other bash on PATH, and with two copies that find each other', () => {
    const folder = links();
    const nodeOnly = `${folder}:${process.execPath.replace(/\/node$/, '')}`;
    const argv = ['-c', 'echo $0; TodoWrite -h'];
    const alone = shell(join(folder, 'bash'), argv, { PATH: nodeOnly });
    expect([alone.status, alone.stdout]).toEqual([
      0,
      expect.stringMatching(/^bash\nUsage: TodoWrite/),
    ]);
    const copy = temporaryDirectory();
    writeFileSync(join(copy, 'bash'), '#!/bin/sh\necho another copy\n', { mode: 0o755 });
    const PATH = `${copy}:${folder}:${ENV.PATH}`;
    expect(shell(AGENT_SHELL, ['-c', 'echo hi'], { PATH }).stdout).toBe('hi\n');
    // Folders of these names are no programs.
    const folders = temporaryDirectory();
    for (const name of ['bash', 'TodoWrite']) mkdirSync(join(folders, name));
    const withFolders = { PATH: `${copy}:${folders}:${ENV.PATH}` };
    const { stdout } = shell(AGENT_SHELL, ['-c', 'echo hi; TodoWrite -h'], withFolders);
    expect(stdout).toMatch(/^hi\nUsage: TodoWrite/);
  });
});

describe('PATH', () => {
  const COMMANDS = join(AGENT_SHELL, '..', 'commands');

  test('gets the folder of the commands behind all others, where they are not on it already', () => {
    const line = 'echo "$PATH"';
    expect(shell(AGENT_SHELL, ['-c', line]).stdout).toBe(`${ENV.PATH}:${COMMANDS}\n`);
    const PATH = `${COMMANDS}:${ENV.PATH}`;
    expect(shell(AGENT_SHELL, ['-c', line], { PATH }).stdout).toBe(`${PATH}\n`);
  });

  test('has the commands in a login shell and an interactive one, too, whose files set PATH anew', () => {
    const line = 'echo "$PATH" | grep -c commands; command -v TodoWrite; echo ${BASH_ENV-unset}';
    const home = temporaryDirectory();
    for (const name of ['.bash_profile', '.bashrc']) {
      writeFileSync(join(home, name), 'PATH=/usr/local/bin:/usr/bin:/bin\n');
    }
    for (const option of ['-lc', '-ilc', '-ic']) {
      const { stdout } = shell(AGENT_SHELL, [option, line], { HOME: home });
      expect(stdout, option).toBe(`1\n${COMMANDS}/TodoWrite\nunset\n`);
    }
  });

  test('is left to npm where its link to agent-shell is called, beside the links to the commands', () => {
    const prefix = join(temporaryDirectory(), 'npm prefix');
    const [modules, links] = [join(prefix, 'lib/node_modules/todowrite'), join(prefix, 'bin')];
    for (const folder of [modules, links]) mkdirSync(folder, { recursive: true });
    symlinkSync(join(AGENT_SHELL, '../..'), join(modules, 'dist'));
    const ours = join(links, 'agent-shell');
    symlinkSync('../lib/node_modules/todowrite/dist/bin/agent-shell.cjs', ours);
    const { stdout } = shell(ours, ['-c', 'TodoWrite -h; echo "$PATH"']);
    expect(stdout).toMatch(/^Usage: TodoWrite/);
    expect(stdout).toContain(`:${modules}/dist/bin/commands\n`);
    const linked = join(temporaryDirectory(), 'bin');
    symlinkSync(links, linked);
    const behindLink = shell(join(linked, 'agent-shell'), ['-c', 'TodoWrite -h; echo "$PATH"']);
    expect(behindLink.stdout).toMatch(/^Usage: TodoWrite/);
    expect(behindLink.stdout).toContain(`${ENV.PATH}:${COMMANDS}\n`);
  });
});
