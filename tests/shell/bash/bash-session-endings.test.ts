import { expect, test } from 'vitest';
import { plainBash, plainEval } from '../../helpers/bash.ts';
import { hasProc, isAlive } from '../../helpers/processes.ts';
import {
  BASH_ENDED,
  NEXT,
  printed,
  sharedSession,
  startSession,
  withoutBashEnded,
} from '../../helpers/session.ts';

const shared = sharedSession({ cwd: '/' });

const ENDINGS = [
  'exit 300',
  'false; exit',
  'exec sh -c "echo replaced; exit 9"',
  'exec /nonexistent/program',
  'set -e; echo a; false; echo never',
  'set -e; if false; then :; fi; echo passed',
  'trap "echo bye" EXIT; exit 4',
  'trap "echo failed" ERR; false; true',
  'continue',
  'break 2; echo after',
  'f() { return 5; echo never; }; f; echo "$?"; return 6; echo never',
  'eval "exit 7"',
  'a=(1); echo "${a[1/0]}"; echo never',
  'echo "$((1/0))"; echo after',
];

const UNREADABLE = [
  "echo 'open",
  'echo `open',
  'echo "$(echo "open)"',
  'f() { echo',
  '((',
  '| echo',
  'echo a\necho b\n)',
  'echo first; if',
  ...['[[ a', 'echo "$(', 'case x in'],
  'echo <<<',
];

const OTHERS = [
  ...['', '\n\n', '# only a comment'],
  'echo a\nnosuchcommand\necho b\nnosuchcommand',
  'echo $LINENO\necho $LINENO',
  '\n\nnosuchcommand',
  'for i in 1 2; do\n  nosuchcommand\ndone',
  'cd /nonexistent\ncd /nonexistent',
];

/** Bash 5.3 remembers an unclosed construct of an earlier line. */
const withoutEarlier = <R extends { stderr: string }>(result: R): R => ({
  ...result,
  stderr: result.stderr.replace(/ from `\(' command on line 1$/m, ''),
});

test.each([
  ...[...ENDINGS, ...OTHERS].map((line) => [line, plainBash] as const),
  ...UNREADABLE.map((line) => [line, plainEval] as const),
])('%j: same result as in plain bash, and the next line works', async (line, oracle) => {
  const session = shared();
  const result = await session.run(line, { timeoutMs: 60_000 });
  expect(withoutEarlier(withoutBashEnded(result))).toEqual(withoutEarlier(oracle(line)));
  // The note is there if and only if the next line gets another bash.
  expect(session.isAlive).toBe(!BASH_ENDED.test(result.stderr));
  expect(await session.run('echo next', { timeoutMs: 60_000 })).toEqual(NEXT);
  if (oracle === plainEval) {
    await session.run('set -o posix');
    expect((await session.run(line)).stderr).not.toContain('builtin');
    expect(await session.run('echo next')).toEqual(NEXT);
  }
  await session.run('set +o posix; set +e; trap - ERR EXIT; unset -f f');
});

test.each([
  ['echo ${unset:?must be set}; echo never', '', 'bash: line 1: unset: must be set\n', '', 1],
  ['set -u; echo "$unset"; echo never', '', 'bash: line 1: unset: unbound variable\n', '', 1],
  ['echo before; kill -INT $$; sleep 10', 'before\n', '', ' (SIGINT)', 130],
  ['echo before; kill -KILL $$; sleep 10', 'before\n', '', ' (SIGKILL)', 137],
])('%s: ends bash as it ends a script, and says so', async (line, stdout, error, how, code) => {
  const session = shared();
  const note = `agent-shell: bash ended${how}; the next line starts in a fresh bash in ${session.cwd}\n`;
  expect(await session.run(line)).toEqual(printed(stdout, error + note, code));
  expect((await session.run('echo next $?')).stdout).toBe(`next ${code}\n`);
});

test.runIf(hasProc)('no process of a bash that has ended is left', async () => {
  const session = startSession();
  const { stdout } = await session.run('sleep 1000 & echo $!; seq 1 20000; exit 0');
  await session.run(':');
  expect(isAlive(Number.parseInt(stdout, 10))).toBe(false);
  // Nor are its last words lost.
  expect(stdout.slice(stdout.indexOf('\n') + 1).length).toBe(108_894);
});

test('line numbers in messages start again at 1 after a line that failed, set options, was long or ended bash', async () => {
  const session = startSession();
  const long = `:${'\n'.repeat(5000)}:`;
  for (const before of [
    ...['false', 'set -u', long, 'exit 1', '(', '[[ a', 'trap : DEBUG ERR', 'set -e'],
  ]) {
    await session.run(before);
    const { stderr } = await session.run('(nosuchcommand) || true');
    expect(stderr, before).toBe('bash: line 1: nosuchcommand: command not found\n');
  }
});
