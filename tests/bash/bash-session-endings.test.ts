import { describe, expect, test } from 'vitest';
import { bashIsSince, plainBash, plainEval } from '../helpers/bash.ts';
import { hasProc, isAlive } from '../helpers/processes.ts';
import {
  BASH_ENDED,
  NEXT,
  printed,
  sharedSession,
  startSession,
  withoutBashEnded,
} from '../helpers/session.ts';

describe('a line that ends, or would end, bash', () => {
  const shared = sharedSession({ cwd: '/' });

  test.each([
    'exit 300',
    'echo before; exit 0; echo never',
    'false; exit',
    '(exit 3)',
    'exec sh -c "echo replaced; exit 9"',
    'exec /nonexistent/program',
    'set -e; echo a; false; echo never',
    'set -e; if false; then :; fi; echo passed',
    'trap "echo bye" EXIT; exit 4',
    'trap "echo failed" ERR; false; true',
    'continue',
    'break 2; echo after',
    'while :; do while :; do break 2; done; done; echo out',
    'f() { return 5; echo never; }; f; echo "$?"; return 6; echo never',
    'eval "exit 7"',
    'source /nonexistent/file; echo after',
    'cd /nonexistent/directory; echo "$?"; pwd',
    'shopt -s execfail; exec /nonexistent/program; echo after',
    'logout; echo after',
    'set -o pipefail; false | true',
    'a=(1); echo "${a[1/0]}"; echo never',
    'a=(1); a[1/0]=2; echo after',
    'echo "$((1/0))"; echo after',
  ])('%s: same result as in plain bash, and the next line works', async (line) => {
    const session = shared();
    const result = await session.run(line, { timeoutMs: 60_000 });
    expect(withoutBashEnded(result)).toEqual(plainBash(line));
    // The note is there if and only if the next line gets another bash.
    expect(session.isAlive).toBe(!BASH_ENDED.test(result.stderr));
    expect(await session.run('echo next', { timeoutMs: 60_000 })).toEqual(NEXT);
    await session.run('set +e; trap - ERR EXIT; shopt -u execfail; set +o pipefail; unset -f f');
  });

  test.each([
    ['echo ${unset:?must be set}; echo never', 'bash: line 1: unset: must be set\n'],
    ['set -u; echo "$unset"; echo never', 'bash: line 1: unset: unbound variable\n'],
  ])('%s: ends as a script does', async (line, stderr) => {
    const session = shared();
    const note = `agent-shell: bash ended; the next line starts in a fresh bash in ${session.cwd}\n`;
    const result = await session.run(line);
    expect(result).toEqual(printed('', stderr + note, 1));
    expect((await session.run('echo next $?')).stdout).toBe('next 1\n');
  });

  test.each([
    ['INT', 130],
    ['KILL', 137],
  ])(
    'a line that kills its bash by SIG%s: exit code %i, as a shell tells it',
    async (signal, code) => {
      const session = shared();
      expect(await session.run(`echo before; kill -${signal} $$; sleep 10`)).toEqual(
        printed(
          'before\n',
          `agent-shell: bash ended (SIG${signal}); the next line starts in a fresh bash in ${session.cwd}\n`,
          code,
        ),
      );
      expect((await session.run('echo next $?')).stdout).toBe(`next ${code}\n`);
    },
  );

  test.runIf(hasProc)('no process of a bash that has ended is left', async () => {
    const session = startSession();
    const { stdout } = await session.run('sleep 1000 & echo $!; seq 1 20000; exit 0');
    await session.run(':');
    expect(isAlive(Number.parseInt(stdout, 10))).toBe(false);
    // Nor are its last words lost.
    expect(stdout.slice(stdout.indexOf('\n') + 1).length).toBe(108_894);
  });
});

describe('a line that bash cannot read', () => {
  const shared = sharedSession();

  test.each([
    "echo 'open",
    'echo `open',
    'echo ${open',
    'echo "$(echo "open)"',
    'for i in 1 2; do echo $i',
    'case x in x) echo',
    'f() { echo',
    '(',
    '((',
    'echo a &&',
    '| echo',
    '&& echo a',
    'echo a\necho b\n)',
    'echo first; if',
    'a=(1 2',
    'echo ok\n"',
    '[[ a',
    'echo <<<',
  ])("%j: bash's own error, and the next line works", async (line) => {
    const session = shared();
    await session.run('kept=yes');
    const result = await session.run(line, { timeoutMs: 60_000 });
    // Bash 5.3 remembers an unclosed construct of an earlier line.
    const stderr = result.stderr.replace(/ from `\(' command on line 1$/m, '');
    const expected = plainEval(line);
    expect({ ...result, stderr: line === '(' ? result.stderr : stderr }).toEqual(expected);
    expect(await session.run('echo $kept', { timeoutMs: 60_000 })).toEqual(printed('yes\n'));
  });

  test('a heredoc without its end goes to the end of the line, with the warning of bash', async () => {
    const line = 'cat <<EOF\none\ntwo';
    const result = await startSession().run(line);
    expect(result).toEqual(plainBash(line));
    expect(result.stdout).toContain('one\ntwo');
    if (bashIsSince(4, 0)) expect(result.stderr).toContain('delimited by end-of-file');
  });
});

describe('line numbers in messages', () => {
  const shared = sharedSession({ cwd: '/' });

  test.each([
    'nosuchcommand',
    'echo a\nnosuchcommand\necho b\nnosuchcommand',
    'echo $LINENO\necho $LINENO',
    '\n\nnosuchcommand',
    'for i in 1 2; do\n  nosuchcommand\ndone',
    'cat <<EOF\n1\n2\nEOF\nnosuchcommand',
    'cd /nonexistent\ncd /nonexistent',
  ])('%j: same as in plain bash, in the first line and in later ones', async (line) => {
    const expected = plainBash(line);
    for (const time of ['first', 'second']) {
      expect(await shared().run(line), time).toEqual(expected);
    }
  });

  test('they start again at 1 after a line that failed, set options, was long or ended bash', async () => {
    const session = startSession();
    const long = `:${'\n'.repeat(5000)}:`;
    for (const before of [
      'false',
      'set -u',
      long,
      'exit 1',
      '(',
      '[[ a',
      'trap : DEBUG ERR',
      'set -e',
    ]) {
      await session.run(before);
      const { stderr } = await session.run('(nosuchcommand) || true');
      expect(stderr, before).toBe('bash: line 1: nosuchcommand: command not found\n');
    }
  });
});
