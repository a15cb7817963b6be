import { describe, expect, test } from 'vitest';
import { bashIsSince, plainBash, plainEval } from '../../helpers/bash.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import {
  BASH_ENDED,
  NEXT,
  printed,
  sharedSession,
  startSession,
  withoutBashEnded,
} from '../../helpers/session.ts';

const shared = sharedSession();

/** Lines that change the state of a shell; those in one list are run by one bash, so that their changes add up. */
const CHANGES = [
  [
    'set -ufC +hB -o pipefail',
    'shopt -s nullglob failglob extglob globstar',
    'set -m; set -o history -H',
    'sleep 1000 & coproc cat',
    "shopt -s expand_aliases\nalias eval=false printf=false unset=false mapfile=false set=false echo='echo'",
    'IFS=0123456789abcdef',
    'IFS=',
    'PATH=',
    'export PATH=/nonexistent',
    'unset PATH LINENO',
    'HOME=/nonexistent OLDPWD=/nonexistent; unset PWD',
    'LC_ALL=C; LANG=de_DE.UTF-8',
    'export BASH_ENV=/nonexistent ENV=/nonexistent',
    'PROMPT_COMMAND="echo prompt"; PS0="command "; PS1="prompt "; PS2="more "; PS4="trace "',
    'exec 3>&- 4>&- 5>&- 10>&- 200>&-',
    'umask 777; ulimit -c 0; ulimit -t 1000',
    'exec </dev/null',
    'set -- a b c; shift; getopts a: x -a 1',
    'pushd / >/dev/null; pushd /usr >/dev/null',
    'TMOUT=1; BASH_ARGV0=other',
    'trap "" TERM INT HUP; trap "echo bye" EXIT',
    'shopt -s extdebug; trap : DEBUG; trap : RETURN',
    'set -o posix',
  ],
  [
    'unset() { :; }; set() { :; }; trap() { :; }; eval() { :; }; mapfile() { :; }; test() { :; }',
    'printf() { :; }; read() { :; }; exec() { :; }; command() { :; }; source() { :; }; function . { :; }',
    // With a readonly LINENO, bash 4 loses its output in the middle of a redirection; the session says so.
    `readonly PWD IFS OPTIND MAPFILE REPLY ${bashIsSince(5, 0) ? 'LINENO' : ''}`,
    'builtin set -e',
    'builtin set -eE -o functrace; shopt -s inherit_errexit',
  ],
];

test.each(CHANGES)(
  'after each change of its state, from %j on, the session goes on as before',
  async (...lines) => {
    const session = startSession({ cwd: '/' });
    for (const line of lines) {
      const { exitCode } = await session.run(line, { timeoutMs: 60_000 });
      expect([line, exitCode]).not.toEqual([line, 124]);
      expect([line, await session.run('echo next', { timeoutMs: 60_000 })]).toEqual([line, NEXT]);
      const failed = withoutBashEnded(await session.run('(exit 5)', { timeoutMs: 60_000 }));
      expect([line, failed]).toEqual([line, { ...NEXT, stdout: '', exitCode: 5 }]);
    }
  },
);

test('set -x and set -v show the commands of the lines and none of ours', async () => {
  const session = shared();
  expect((await session.run('set -x')).stderr).toBe('');
  // Bash shows a + for each eval around a command.
  expect((await session.run('echo one')).stderr).toBe('++ echo one\n');
  expect((await session.run('false')).stderr).toBe('++ false\n');
  expect((await session.run('echo two')).stderr).toBe('++ echo two\n');
  expect((await session.run('set +x')).stderr).toBe('++ set +x\n');
  expect((await session.run('set -v; echo "$-"')).stderr).toBe('');
  expect((await session.run('echo three')).stderr).toBe('echo three\n');
  expect((await session.run('false')).stderr).toBe('false\n');
  // This error makes bash discard our command and show the next one.
  const { stderr } = await session.run('echo ${none[1/0]}');
  expect(stderr).toMatch(/^echo .*\n.*division by 0.*\n/);
  expect((await session.run('echo "$-"; set +v')).stdout).toContain('v');
  expect((await session.run('echo four')).stderr).toBe('');
});

/** Undoes what the scripts set. */
const RESET = 'trap - ERR DEBUG RETURN; set +efxvE +o pipefail; shopt -u extglob';

/** Scripts, a line each. One session runs all of them. */
const SCRIPTS = [
  [
    'mkdir sub; cd sub; plain=1; export exported=2; greet() { echo "hello $1"; }; set -f; shopt -s extglob',
    'basename "$PWD"; echo "$plain"; bash -c \'echo "$exported"\'; greet you; echo *; shopt -q extglob; echo $?',
  ],
  ...[0, 1, 2, 126, 127, 255].map((code) => [`(exit ${code})`, 'echo $?', 'echo $?']),
  ['(sleep 0.05; exit 7) & job=$!', 'wait "$job"; echo $?'],
  ['trap \'echo "debug: $BASH_COMMAND"\' DEBUG', 'echo one; true', 'trap - DEBUG', 'echo two'],
  ['trap "echo failed" ERR', 'echo fine', 'false', 'echo fine'],
  ['set -xv; trap : DEBUG ERR RETURN', '(exit 7)', 'echo $?'],
  ...['ERR', 'RETURN'].map((trap) => [
    `n=0; trap 'n=$((n+1))' ${trap}`,
    ...['false', '(exit 4)', 'true', 'echo $n'],
  ]),
  // What fails but does not end bash.
  ...['set -e', 'set -eE; trap "echo failed" ERR'].map((set) => [
    `${set}; kept=$$`,
    ...['[ -n "$NOPE" ] && echo yes', '! true', 'grep -q a /dev/null && echo b'],
    ...['for i in 1 2; do [ $i = 3 ] && echo b; done', '(exit 3) || echo "$?"'],
    'echo "$?"; [ "$kept" = $$ ] && echo same',
  ]),
  ...['', 'set -o pipefail;', 'set -e;', 'trap : ERR;'].map((set) => [
    `${set} :`,
    ...['(exit 3) | (exit 4) | true || :', 'echo "${PIPESTATUS[@]} $?"', 'echo "${PIPESTATUS[@]}"'],
    ...['! (exit 3) || :', 'echo "${PIPESTATUS[@]} $?"', '! :', 'echo "${PIPESTATUS[@]} $?"'],
    ...['! (exit 2) | (exit 5)', 'echo "${PIPESTATUS[@]} $?"', 'cat <<EOF | (exit 6) || :\na\nEOF'],
    ...[
      'echo "${PIPESTATUS[1]} $?"',
      'for i in 1; do (exit 7) | :; done',
      'echo "$? ${PIPESTATUS[0]}"',
    ],
    "new=$'it\\'s\\nnew'",
    'mkdir "$new"',
    'cd "$_" && basename "$PWD"',
  ]),
  // Wherever the next line names them.
  ...[
    '\n# the first one; not the last\necho "tests; lint: ${PIPESTATUS[0]}"',
    `eval 'echo "\${PIPESTATUS[0]}"'`,
  ].map((line) => ['(exit 4) | true', line]),
  ['mkdir /dev/null/sub', 'echo "$? $_"'],
  ['(exit 7)', 'echo "${#BASH_ARGV[@]}"'],
  // All but 0 to 2, in three ways.
  ...[
    'most=$(ulimit -n); for ((fd = 3; fd < most && fd < 1100; fd++)); do eval "exec $fd>&-"; done',
    'for fd in /proc/$$/fd/*; do fd=${fd##*/}; [ "$fd" -le 2 ] || eval "exec $fd>&-"; done',
    'exec 252>&- 255>&- 1000>&-',
  ].map((line) => [`kept=$$; ${line}; echo closed; (exit 4)`, '[ "$kept" = $$ ] && echo $?']),
  // Bash 3.2 itself uses 10.
  ...(bashIsSince(4, 1)
    ? [
        [
          'exec 3>three 9>nine 10>ten 11>eleven {named}>other',
          'for fd in 3 9 10 11 $named; do echo "to $fd" >&$fd; done',
          'cat three nine ten eleven',
          'exec 10>&-; cat other | wc -l',
        ],
      ]
    : []),
  // Nothing of ours comes into the files.
  ['for fd in 9 10 63 252 254 255; do eval "exec $fd>f$fd"; done', 'echo next; cat f*; (exit 4)'],
];

test.each(SCRIPTS.map((lines) => ({ lines })))(
  'a line leaves to the next what it leaves in a script of plain bash: $lines',
  async ({ lines }) => {
    const session = shared();
    await session.run(`${RESET}; cd ${temporaryDirectory()}`);
    const results = [];
    for (const line of lines) results.push(await session.run(line));
    const { stdout, exitCode } = plainBash(lines.join('\n'), { cwd: temporaryDirectory() });
    expect(results.map((result) => result.stdout).join('')).toBe(stdout);
    expect(results.at(-1)?.exitCode).toBe(exitCode);
  },
);

describe('after `exec` has redirected the output', () => {
  const ELSEWHERE = 'agent-shell: `exec` has redirected the output\n';

  test('each result says so, while it lasts, and the session still knows how lines end', async () => {
    const session = startSession();
    const nothing = { stdout: '', stderr: ELSEWHERE };
    expect(await session.run('exec 3>&1 >out.txt')).toEqual({ ...nothing, exitCode: 0 });
    expect(await session.run('echo hidden; false')).toEqual({ ...nothing, exitCode: 1 });
    expect(await session.run('exec >&3; cat out.txt')).toEqual(printed('hidden\n'));
    expect(await session.run('exec 2>err.txt; nosuchcommand')).toEqual({
      ...nothing,
      exitCode: 127,
    });
    expect(await session.run('grep -c nosuchcommand err.txt')).toEqual({
      ...nothing,
      stdout: '1\n',
      exitCode: 0,
    });
  });

  test('but still to the session, there is nothing to say', async () => {
    const session = startSession();
    await session.run('exec 2>&1');
    expect((await session.run('nosuchcommand')).stdout).toContain('nosuchcommand');
    expect((await session.run('exec 2>/dev/stderr')).stderr).toBe('');
    expect(await session.run('echo next')).toEqual(NEXT);
  });

  test('and both outputs are closed, the session still knows how lines end', async () => {
    const session = startSession();
    expect((await session.run('exec >&- 2>&-')).stderr).toBe(ELSEWHERE);
    expect((await session.run('echo lost')).exitCode).toBe(1);
    expect((await session.run('exit 6')).exitCode).toBe(6);
    expect(await session.run('echo next')).toEqual(NEXT);
  });
});

test('under set -e an error of an expansion ends the line only', async () => {
  const session = startSession();
  await session.run('set -e; kept=yes');
  const { stderr, exitCode } = await session.run('echo $((1/0))');
  expect([stderr, exitCode]).toEqual([expect.stringMatching(/^bash: .*division by 0.*\n$/), 1]);
  expect(await session.run('echo $kept; set +e')).toEqual(printed('yes\n'));
  expect((await session.run('set -e; false')).stderr).toMatch(BASH_ENDED);
});

// Older ones stay in the function, where a `return` at the top level makes them crash, so the session ends them.
test
  .runIf(bashIsSince(4, 4))
  .each([
    'f() { echo $((1/0)); }; f',
    'f() { readonly once=1; once=2; }; f',
    'g() { f() { a[1/0]=1; }; f; }; g',
    'echo ": \\$((1/0))" >file; f() { . ./file; }; f',
  ])('an error of an expansion in a function ends the line only: %s', async (line) => {
  const session = startSession({ cwd: temporaryDirectory() });
  await session.run('kept=yes');
  expect((await session.run(line)).stderr).toMatch(/^(?:bash|\.\/file): .*\n$/);
  expect(await session.run('echo $kept')).toEqual(printed('yes\n'));
});

test('PIPESTATUS and $_ of a line that cannot be asked: a note says so, where the next one begins with them', async () => {
  const session = shared();
  const NOTE = /^agent-shell: `\$_` and PIPESTATUS of the previous line are not known/;
  for (const line of ['echo "${PIPESTATUS[0]}"', "# don't\necho $_"]) {
    await session.run('[[ a = b ]]');
    expect([line, (await session.run(line)).stderr]).toEqual([line, expect.stringMatching(NOTE)]);
  }
  for (const line of ['true | true; echo ${PIPESTATUS[0]}', `echo '$_'`, 'echo $_x']) {
    await session.run('[[ a = b ]]');
    expect([line, (await session.run(line)).stderr]).toEqual([line, '']);
  }
});

test('a DEBUG trap runs for the commands of the lines, and once more a line', async () => {
  const session = startSession();
  for (const line of [`n=0; trap 'n=$((n+1))' DEBUG`, 'true; true', 'false', ': |\n:'])
    await session.run(line);
  expect((await session.run('echo "$? $n"; trap - DEBUG')).stdout).toBe(`0 ${4 + 5 + 1}\n`);
});

test('text after a line never becomes a part of it', async () => {
  const session = shared();
  for (const line of [
    ...['echo a |', 'echo a &&', 'true ||', 'f()', '(', 'if true; then', 'while true', 'case a in'],
    ...['echo "a', 'echo a \\', 'cat <<EOF', 'cat <<EOF\nEOF ', '!', 'for i in 1 2', 'done', '}'],
  ])
    expect([line, await session.run(line)]).toEqual([line, plainEval(line)]);
  expect(await session.run('shopt -s expand_aliases; alias {=echo [[=echo until=echo')).toEqual(
    printed(),
  );
  expect(await session.run('(exit 4)')).toEqual(printed('', '', 4));
  expect(await session.run('echo $?; unalias -a')).toEqual(printed('4\n'));
});

test('the directory of the session is what bash says, not PWD, which a line may set', async () => {
  const session = startSession();
  const { cwd } = session;
  for (const line of [
    'unset PWD',
    'PWD=/usr',
    'PWD=',
    'set -u; unset PWD',
    'pwd() { echo /usr; }',
  ]) {
    expect([line, await session.run(line)]).toEqual([line, printed()]);
    expect([line, session.cwd]).toEqual([line, cwd]);
    await session.run('exit 1');
    expect([line, (await session.run('pwd')).stdout]).toEqual([line, `${cwd}\n`]);
  }
});

test.runIf(bashIsSince(4, 4))(
  'an inherited OLDPWD that is no folder is dropped, as bash does',
  async () => {
    for (const OLDPWD of ['/nonexistent', '/dev/null', '/usr']) {
      const session = startSession({ env: { OLDPWD } });
      const line = 'echo "${OLDPWD-unset}"';
      const plain = plainBash(`OLDPWD='${OLDPWD}' bash -c '${line}'`);
      expect(await session.run(line)).toEqual(plain);
    }
  },
);

test('a line cannot tell the session how it ended', async () => {
  const session = shared();
  const line =
    "trap '' PIPE; for fd in /proc/self/fd/*; do fd=${fd##*/}; printf '0123456789abcdef\\0000\\0/nowhere\\0hB\\0' >&$fd; done 2>/dev/null; (exit 4)";
  expect((await session.run(line)).exitCode).toBe(4);
  expect(session.cwd).not.toBe('/nowhere');
  expect(await session.run('echo next')).toEqual(NEXT);
});

test('a report that is longer than a FIFO holds is read as well', async () => {
  const session = startSession();
  await session.run('long=$(head -c 200000 /dev/zero | tr "\\0" x)');
  await session.run(': "$long"');
  expect(await session.run('echo "${#_} ${PIPESTATUS[*]}"')).toEqual(printed('200000 0\n'));
  await session.run('trap ": $long" ERR');
  expect(await session.run('trap -p ERR | wc -c | tr -d " "')).toEqual(printed('200017\n'));
});

test('with too few descriptors bash ends, and one line says why', async () => {
  const session = startSession({ cwd: '/' });
  const { stderr } = await session.run('ulimit -n 3');
  expect(stderr).toMatch(/^bash: .*Too many open files\nagent-shell: bash ended; .* in \/\n$/);
  expect(await session.run('echo next')).toEqual(NEXT);
});

test('a session survives the removal of its directory', async () => {
  const session = startSession();
  await session.run('mkdir gone; cd gone; rmdir ../gone');
  expect((await session.run('echo still here')).stdout).toBe('still here\n');
  expect((await session.run('exit 0')).exitCode).toBe(0);
  const { stdout } = await session.run('pwd -P');
  expect(stdout.trim().endsWith('/gone')).toBe(false);
  expect(stdout.startsWith('/')).toBe(true);
});

test('~/.bashrc, ~/.profile and BASH_ENV-less start-up files are not read', async () => {
  const session = startSession();
  await session.run(
    'echo "echo from bashrc" | tee .bashrc .profile .bash_profile .bash_login >/dev/null',
  );
  const other = startSession({ env: { HOME: session.cwd }, cwd: '/' });
  expect(await other.run('echo hi')).toEqual(printed('hi\n'));
  // Bash takes an unset SHLVL for a sign of a remote shell.
  expect((await other.run('exit 0')).stdout).toBe('');
  expect(await other.run('echo hi')).toEqual(printed('hi\n'));
});

test('a line that makes a variable of ours readonly decides no exit code of the next', async () => {
  const session = startSession();
  expect(await session.run('readonly AGENT_SHELL_LAST=5')).toEqual(printed(''));
  expect((await session.run('(exit 7)')).exitCode).toBe(7);
});

test.runIf(bashIsSince(5, 0))(
  'a line that makes $_ readonly ends no bash, which complains',
  async () => {
    const session = startSession();
    const stderr = expect.stringContaining('_: readonly variable\n');
    await session.run('x=next; readonly _');
    expect(await session.run('echo $x')).toEqual({ stdout: 'next\n', stderr, exitCode: 0 });
    expect(await session.run('(exit 5)')).toMatchObject({ stdout: '', exitCode: 5 });
  },
);

test('the first line of a session sees the state that plain bash has', async () => {
  const functions = bashIsSince(5, 0) ? '"${FUNCNAME[*]}"' : '';
  const line = `echo "$?" "$0" "$#" "$SHLVL" "$BASH_SUBSHELL" ${functions}; jobs; trap -p; alias; type -t _L; umask`;
  expect(await startSession().run(line)).toEqual(plainBash(line));
});

test('nothing of ours is among the variables and functions of bash', async () => {
  const session = startSession();
  await session.run(':');
  const ours = await session.run('compgen -v; compgen -A function');
  const { stdout } = plainBash('compgen -v; compgen -A function');
  const known = new Set([...stdout.split('\n'), 'TMPDIR', 'OLDPWD', 'PIPESTATUS']);
  expect(ours.stdout.split('\n').filter((name) => !known.has(name))).toEqual([]);
});
