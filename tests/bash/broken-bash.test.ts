import { describe, expect, test } from 'vitest';
import { plainBash } from '../helpers/bash.ts';
import { startSession } from '../helpers/session.ts';

const NEXT = { stdout: 'next\n', stderr: '', exitCode: 0 };
const NESTED = `${'"$(echo '.repeat(10)}deep${')"'.repeat(10)}`;
const RESTARTED =
  /^agent-shell: bash was broken by an error inside "\$\(; it was restarted in \/.* with its variables, functions and options$/m;

/** Others read the next line all the same. */
const isBash52 = plainBash('echo $BASH_VERSION').stdout.startsWith('5.2');

describe('an error inside "$( breaks bash 5.2, and the session heals it', () => {
  test.each([
    ['two evals', [`eval 'echo "$('; eval 'echo "x"'`]],
    ['two evals whose errors are not seen', [`eval 'echo "$(' 2>/dev/null; eval 'echo "x"'`]],
    ['a function', [`f() { eval 'echo "$(' 2>/dev/null; eval 'echo "x"'; }`, 'f']],
    ['POSIX mode', ['set -o posix', 'echo "$(', 'echo "x"', 'set +o posix']],
    [
      'a DEBUG trap that quotes',
      ['trap \'echo "trap" >/dev/null\' DEBUG', 'echo "$(', 'trap - DEBUG'],
    ],
    ['an ERR trap that quotes', ['trap \'echo "trap" >/dev/null\' ERR', 'echo "$(', 'trap - ERR']],
    ['set -e', ['set -e', 'echo "$(', 'echo "x"', 'set +e']],
    ['set -x', ['set -x', 'echo "$(', 'echo "x"', 'set +x']],
    [
      'a sourced file',
      [`echo 'echo "$(' >file`, '. ./file; echo "x"', 'eval "$(<file)"; echo "x"'],
    ],
    ['many', Array.from({ length: 20 }, () => 'echo "$(echo "$(echo "')],
  ])('%s', async (_name, lines) => {
    const session = startSession();
    for (const line of lines) await session.run(line);
    for (let round = 0; round < 3; round += 1) {
      const { stdout, stderr, exitCode } = await session.run(
        `(echo ${NESTED}) | cat; echo ${NESTED}`,
      );
      expect({ stdout, stderr, exitCode }).toEqual({
        stdout: 'deep\ndeep\n',
        stderr: '',
        exitCode: 0,
      });
    }
    expect(await session.run('echo next')).toEqual(NEXT);
  });

  test('a bash that is whole is not restarted, whatever a line has set', async () => {
    const session = startSession();
    await session.run('true');
    const { pid } = session;
    for (const line of ['set -e; eval true', 'set -exv; eval true', 'trap true ERR DEBUG']) {
      expect((await session.run(line)).stderr).not.toContain('agent-shell');
      expect(session.pid).toBe(pid);
    }
  });

  test.runIf(isBash52)(
    'where bash must be restarted, the result says so, and what can be kept is',
    async () => {
      const session = startSession({ env: { GIVEN: 'given', DROPPED: 'dropped' } });
      await session.run(
        'mkdir "a b"; cd "a b"; unset DROPPED; export SHOWN="two\n lines"; own=$\'it\\\'s\'',
      );
      await session.run('declare -A map=([k]="v w"); f() { echo "f $1"; }; export -f f; umask 027');
      await session.run(
        'shopt -s extglob nullglob; set -u -o pipefail; set -- one "two words"; set -x',
      );
      const { stderr, exitCode } = await session.run(`eval 'echo "$('; eval 'echo "x"'`);
      expect(exitCode).toBe(0);
      expect(stderr).toMatch(RESTARTED);
      const show =
        'echo "${PWD##*/} $GIVEN ${DROPPED-none} $SHOWN $own ${map[k]} $# $2 $-"; f x; bash -c "f y"; umask; shopt extglob; echo $?';
      const { stdout } = await session.run(show);
      expect(stdout).toBe(
        "a b given none two\n lines it's v w 2 two words huxB\nf x\nf y\n0027\nextglob        \ton\n0\n",
      );
      expect((await session.run('set +x; set -o | grep pipefail')).stdout).toMatch(/on$/m);
    },
  );

  test('a line that only fails restarts nothing', async () => {
    const session = startSession();
    await session.run('kept=$$');
    for (const line of ['nosuchcommand', 'echo "$(', "echo 'x", '[[ a', 'eval "("', 'cat <<EOF']) {
      expect((await session.run(line)).stderr, line).not.toContain('agent-shell');
    }
    expect((await session.run('[ $kept = $$ ] && echo same')).stdout).toBe('same\n');
  });
});

describe('no line is dropped', () => {
  test.each([
    '[[ a',
    '[[ a &&',
    'echo "$(',
    'case x in',
    'a=(',
    '((',
    '$((',
    '${',
    'echo `',
    'f() {',
  ])('after %s in POSIX mode, and nothing of ours is shown', async (line) => {
    const session = startSession();
    await session.run('set -o posix');
    const { stderr } = await session.run(line);
    expect(stderr).not.toContain('builtin');
    expect(await session.run('echo next')).toEqual(NEXT);
    expect(await session.run('echo next')).toEqual(NEXT);
  });
});

describe('a bash that stops to obey ends its line without any time limit', () => {
  test.each([
    ['set -n', 'set -n'],
    ['set -n, and more', 'echo first >/dev/null; set -o noexec; echo never'],
    ['a DEBUG trap that skips all', 'shopt -s extdebug; trap false DEBUG'],
  ])('%s: with the exit code of plain bash, and a note', async (_name, line) => {
    const session = startSession({ cwd: '/' });
    expect(await session.run(line)).toEqual({
      stdout: '',
      stderr: 'agent-shell: bash no longer runs commands; bash was restarted in /\n',
      exitCode: 0,
    });
    expect(await session.run('echo next')).toEqual(NEXT);
  });

  test.each([
    ['a function that hides builtin', 'kept=yes; builtin() { :; }'],
    [
      'functions that hide most',
      'kept=yes; builtin() { :; }; printf() { :; }; eval() { :; }; unset() { :; }',
    ],
    ['a disabled printf', 'kept=yes; enable -n printf'],
    ['a disabled trap', 'kept=yes; enable -n trap set'],
    ['a disabled eval', 'kept=yes; enable -n eval'],
    ['a disabled builtin', 'kept=yes; enable -n builtin'],
    ['all disabled', 'kept=yes; enable -n printf trap set command exit return eval .'],
  ])('%s: the session goes on, and says only that', async (_name, line) => {
    const session = startSession();
    expect((await session.run(line)).stderr).toMatch(/^(?:agent-shell: .*\n)?$/);
    expect(await session.run('echo $kept')).toMatchObject({ stdout: 'yes\n', exitCode: 0 });
    expect(await session.run('(exit 4)')).toMatchObject({ exitCode: 4 });
    expect(await session.run('echo next')).toEqual(NEXT);
  });

  test('a line that takes long is not stopped by these', async () => {
    const session = startSession();
    expect((await session.run('sleep 1; read -r x <<<a; echo $x')).stdout).toBe('a\n');
  });
});
