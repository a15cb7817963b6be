import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bashIsSince, plainBash } from '../../helpers/bash.ts';
import { eventually } from '../../helpers/eventually.ts';
import { endBash, hasProc, isAlive } from '../../helpers/processes.ts';
import { rounds } from '../../helpers/random.ts';
import {
  BASH_ENDED,
  NEXT,
  printed,
  sharedSession,
  startSession,
  type TestSession,
} from '../../helpers/session.ts';

/** For lines that leave the session usable. */
const shared = sharedSession({ cwd: '/' });

/** The result of a line whose bash had ended. */
const notRun = (session: TestSession, loss: string) => ({
  stdout: '',
  stderr: `agent-shell: ${loss} before this line; it was restarted in ${session.cwd} without its variables, functions and options, and the line was not run\n`,
  exitCode: 1,
});

/** A job that ends on request. */
const JOB = '(until [ -e go ]; do sleep 0.01; done) &';

function bashOf({ pid }: TestSession): number {
  if (pid === undefined) throw new Error('there is no bash');
  return pid;
}

/** Waits without asking the session. */
async function end(pid: number) {
  await eventually('bash is gone', () => !isAlive(pid));
}

describe.runIf(hasProc)('a bash that ends between two lines', () => {
  const sharedHere = sharedSession();

  test('by a signal: the next line is not run, and says why; the one after it is', async () => {
    const session = startSession();
    await session.run('keep=1; mkdir sub; cd sub');
    for (const isKnown of [true, false]) {
      const pid = bashOf(session);
      // The session may notice it only after it has sent the line.
      if (isKnown) await endBash(pid, 'SIGHUP');
      else process.kill(pid, 'SIGHUP');
      expect(await session.run('touch "$keep/ran"; touch ran; echo rm -rf $keep/x')).toEqual(
        notRun(session, 'bash had ended (SIGHUP)'),
      );
      expect(await session.run('echo "$? [$keep]"; basename "$PWD"; ls')).toEqual(
        printed('1 []\nsub\n'),
      );
    }
  });

  test.each([
    [
      'a background job kills it',
      '(until [ -e go ]; do sleep 0.01; done; kill -9 $$) &',
      'SIGKILL',
    ],
    ['a trap exits', 'trap "exit 7" USR1', 'exit code 7'],
    ['a trap of POSIX mode exits', 'set -o posix; trap "exit 0" USR1', 'exit code 0'],
    ['a trap execs', `trap "trap '' USR1; exec true" USR1`, 'exit code 0'],
    // Before 5.0 such a trap runs only with `set -m`.
    ...(bashIsSince(5, 0)
      ? [['a job ends and a trap exits', `trap "exit 5" CHLD; ${JOB}`, 'exit code 5']]
      : []),
  ])('because %s: the same', async (_name, line, how) => {
    const session = sharedHere();
    rmSync(join(session.cwd, 'go'), { force: true });
    await session.run(line);
    const pid = bashOf(session);
    const job = Number((await session.run('echo $!')).stdout);
    if (job) {
      writeFileSync(join(session.cwd, 'go'), '');
      await eventually('the job is gone', () => !existsSync(`/proc/${job}`));
      // A trap for CHLD runs when bash goes on.
      if (!line.includes('CHLD')) await end(pid);
    } else {
      await endBash(pid, 'SIGUSR1');
    }
    expect(await session.run('touch ran; echo ran')).toEqual(
      notRun(session, `bash had ended (${how})`),
    );
    expect(existsSync(join(session.cwd, 'ran'))).toBe(false);
    expect(await session.run('echo next')).toEqual(NEXT);
  });

  test('at any moment: no line that has not run is reported as done, and none is run twice', async () => {
    const session = startSession();
    let refused = 0;
    const count = rounds(100);
    for (let round = 0; round < count; round += 1) {
      await session.run('trap "exit 0" USR1');
      if (session.pid === undefined) await session.run('trap "exit 0" USR1');
      const pid = bashOf(session);
      const running = session.run(`echo ${round} >>ran; (exit 3)`);
      setTimeout(() => isAlive(pid) && process.kill(pid, 'SIGUSR1'), (round % 10) / 4);
      const { stderr, exitCode } = await running;
      const { stdout } = await session.run(`grep -cx ${round} ran`);
      const again = stdout === '' ? await session.run(`grep -cx ${round} ran`) : { stdout };
      const count = Number(again.stdout);
      expect(count).toBeLessThanOrEqual(1);
      if (stderr.includes('the line was not run')) {
        refused += 1;
        expect([exitCode, count]).toEqual([1, 0]);
      } else if (count === 0) {
        // The line had begun, and bash ended before its first command.
        expect(stderr).toMatch(BASH_ENDED);
      }
    }
    expect(refused).toBeLessThan(count);
  });

  test('between two lines: a call that needs no bash reports it, too', async () => {
    const session = sharedHere();
    await session.run('export TODO_AGENT=ann');
    const pid = bashOf(session);
    process.kill(pid, 'SIGKILL');
    await end(pid);
    await eventually('the session knows', () => !session.isAlive);
    expect((await session.callerState('Agent')).isPlain).toBe(false);
  });
});

describe('a line after which bash runs no more commands ends it, and says so', () => {
  test.each([
    'set -n',
    'echo first >/dev/null; set -o noexec; echo never',
    'shopt -s extdebug; trap false DEBUG',
    'enable -n printf',
    'enable -n eval',
    'enable -n read',
    'enable -n builtin',
    'set -r',
  ])('%s', async (line) => {
    const session = shared();
    const { stdout, stderr, exitCode } = await session.run(`kept=yes; ${line}`);
    const next = await session.run('echo "[$kept]"');
    expect(stdout).toBe('');
    if (BASH_ENDED.test(stderr)) {
      expect(next).toEqual(printed('[]\n'));
    } else {
      // The line itself had ended.
      expect([stderr, exitCode]).toEqual([stderr.replaceAll('agent-shell', ''), 0]);
      const how = /exit code \d/.exec(next.stderr)?.[0];
      expect(next.stderr).toContain(notRun(session, `bash had ended (${how})`).stderr);
    }
    expect(await session.run('echo next')).toEqual(NEXT);
    expect(await session.run('(exit 4)')).toMatchObject({ stderr: '', exitCode: 4 });
  });

  const PASSES_ON = 'builtin() { command builtin "$@"; }';
  const forger = (printf: string) =>
    `builtin() { case $1 in printf) ${printf} ;; esac; command builtin "$@"; }`;
  test.each([
    'builtin() { :; }',
    'builtin() { return 3; }; command() { :; }; printf() { :; }; eval() { :; }; unset() { :; }',
    'builtin() { break 2>/dev/null; }',
    'enable -n break',
    `${PASSES_ON}; readonly -f builtin`,
    // Before 4.4 a function can leave a loop of ours.
    ...(bashIsSince(4, 4) ? [`unset FUNCNAME; ${PASSES_ON}`] : []),
    `set -o posix; ${PASSES_ON}`,
    `BASH_COMPAT=4.3; ${PASSES_ON}`,
    `${PASSES_ON}; : $((1/0))`,
    `trap '${PASSES_ON}' ERR; false`,
    "trap 'builtin() { false; }' DEBUG; set -x",
    forger('exit 0'),
    `${forger('set -- "${@//9/0}"')}; trap : DEBUG`,
    forger('set -- "${@//9/0}"'),
    forger("set -- printf '%s\\0' hB 0 /forged '' 0"),
    forger("set -- printf '%s\\0' last '' 0 '' 0 hB 0 /forged '' 0"),
  ])('%s: it cannot answer for bash, and the report says so', async (line) => {
    const session = shared();
    const { stderr } = await session.run(`(exit 9); ${line}`);
    expect(stderr).toMatch(BASH_ENDED);
    if (bashIsSince(4, 4) && !/COMPAT|exit 0/.test(line)) {
      expect(stderr).toContain('bash ended (its `builtin` is hidden or disabled); ');
    }
    expect(await session.run('pwd; (exit 4)')).toEqual(printed('/\n', '', 4));
  });

  test.runIf(hasProc)('a trap that hides it between two lines: the next line says so', async () => {
    const session = shared();
    await session.run(`trap '${PASSES_ON}' USR1`);
    process.kill(bashOf(session), 'SIGUSR1');
    expect((await session.run('(exit 9)')).stderr).toMatch(/^agent-shell: bash (?:had )?ended/);
    expect(await session.run('(exit 4)')).toEqual(printed('', '', 4));
  });

  test('hidden or disabled builtins that it does not need do no harm', async () => {
    const session = startSession();
    await session.run('kept=yes; printf() { :; }; enable -n echo test; read() { :; }');
    expect(await session.run('printf %s $kept')).toMatchObject({ stdout: '' });
    expect(await session.run('builtin printf %s $kept')).toEqual(printed('yes'));
  });
});

const NESTED = `${'"$(echo '.repeat(10)}deep${')"'.repeat(10)}`;

describe('an error inside "$(', () => {
  test.each([
    ['as a line', ['echo "$(', 'echo "x"']],
    ['in POSIX mode', ['set -o posix', 'echo "$(', 'echo "x"', 'set +o posix']],
    ['with set -ex', ['set -ex', 'echo "$(', 'echo "x"', 'set +ex']],
    ['many', Array.from({ length: 20 }, () => 'echo "$(echo "$(echo "')],
  ])('harms no line after it: %s', async (_name, lines) => {
    const session = shared();
    for (const line of lines) await session.run(line);
    const deep = printed('deep\ndeep\n');
    for (let round = 0; round < 3; round += 1) {
      expect(await session.run(`(echo ${NESTED}) | cat; echo ${NESTED}`)).toEqual(deep);
    }
  });

  test('in evaluated text may break bash 5.2, which goes on or ends, and an end is reported', async () => {
    const session = startSession();
    await session.run(`kept=yes; eval 'echo "$('; eval 'echo "x"'`);
    for (let round = 0; round < 5; round += 1) {
      const { stdout, stderr, exitCode } = await session.run(`echo "$kept" ${NESTED}`);
      if (exitCode === 0) expect([stdout, stderr]).toEqual([round ? stdout : 'yes deep\n', '']);
      else expect([exitCode, stderr]).toEqual([134, expect.stringMatching(BASH_ENDED)]);
    }
    expect(await session.run('echo next')).toEqual(NEXT);
  });

  test.runIf(bashIsSince(5, 0))(
    'and traps of signals are not taken for broken memory',
    async () => {
      const session = startSession();
      const result = await session.run('trap "exit 5" CHLD; true');
      expect(result).toEqual(printed());
      const line = '/bin/true; echo never';
      expect(await session.run(line)).toEqual({
        ...plainBash(`trap "exit 5" CHLD; ${line}`),
        stderr: `agent-shell: bash ended; the next line starts in a fresh bash in ${session.cwd}\n`,
      });
    },
  );

  test('nor does a line that only fails end bash', async () => {
    const session = startSession();
    await session.run('kept=$$');
    for (const line of ['nosuchcommand', 'echo "$(', "echo 'x", '[[ a', 'eval "("', 'cat <<EOF']) {
      expect((await session.run(line)).stderr, line).not.toContain('agent-shell');
    }
    expect((await session.run('[ $kept = $$ ] && echo same')).stdout).toBe('same\n');
  });

  test.each(['if [[ -n $X; then :; fi', '[[ a b', '[[ a', 'echo "', '`', 'x=('])(
    'nor does a syntax error in a file that a line sources, or in a text that it evaluates: %s',
    async (broken) => {
      const session = startSession();
      const { cwd } = session;
      writeFileSync(join(cwd, 'broken'), `${broken}\n`);
      await session.run('kept=$$');
      for (const call of ['. ./broken', 'read -r text <broken; eval "$text"']) {
        for (const line of [`${call}; true`, `${call} || echo no`, `${call}; true | false`]) {
          expect(await session.run(line), line).toEqual(plainBash(line, { cwd }));
        }
      }
      expect((await session.run('[ $kept = $$ ] && echo same')).stdout).toBe('same\n');
    },
  );
});
