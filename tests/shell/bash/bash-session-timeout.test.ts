import { describe, expect, test } from 'vitest';
import { LineTime } from '../../../src/shell/bash/run-options.ts';
import { eventually } from '../../helpers/eventually.ts';
import { LEAVE_JOBS } from '../../helpers/host-program.ts';
import { hasProc, processesWith } from '../../helpers/processes.ts';
import { rounds } from '../../helpers/random.ts';
import {
  NEXT,
  printed,
  sharedSession,
  startSession,
  type TestSession,
} from '../../helpers/session.ts';

const shared = sharedSession();

describe('a line that takes longer than its limit', () => {
  test('ends with 124, says so on a line of its own, keeps its output, and leaves a fresh bash in the last directory', async () => {
    const session = startSession();
    await session.run('mkdir sub; cd sub; known=yes');
    const line = 'echo out; printf err >&2; cd /; sleep 1000; echo never';
    expect(await session.run(line, { timeoutMs: 500 })).toEqual(
      printed(
        'out\n',
        `err\nagent-shell: timed out after 500 ms; bash was restarted in ${session.cwd}\n`,
        124,
      ),
    );
    expect(await session.run('echo "$? [$known]"; basename "$PWD"')).toEqual(
      printed('124 []\nsub\n'),
    );
  });

  test.each([
    ['a loop without children', 'while :; do :; done'],
    ['a bash that ignores TERM', 'trap "" TERM; while :; do sleep 0.1; done'],
    ['a stopped bash', 'kill -STOP $$'],
    ['what waits for input that never comes', 'mkfifo never; cat never'],
  ])('is killed with all of its processes: %s', async (_name, line) => {
    const session = shared();
    const { exitCode } = await session.run(line, { timeoutMs: 200 });
    expect(exitCode).toBe(124);
    expect(await session.run('echo next')).toEqual(NEXT);
    // A killed process exists until it is scheduled.
    if (hasProc) await eventually('all are gone', () => strangers(session).length === 0);
  });

  test('is killed with all of its processes: jobs, orphans, a stopped child, and one without a trace', async () => {
    const session = shared();
    const controller = new AbortController();
    // Only while its parent lives is it known whose child it is, so it must have started.
    const child = 'env -i setsid -w sh -c "echo >ready; sleep 1006; : $PATH" >/dev/null 2>&1 &';
    const line = `${LEAVE_JOBS} ${child} sleep 1000 & kill -STOP $!; until [ -s ready ]; do sleep 0.01; done; echo ready; wait`;
    const onStdout = () => controller.abort();
    const { exitCode } = await session.run(line, { signal: controller.signal, onStdout });
    expect(exitCode).toBe(130);
    expect(await session.run('echo next')).toEqual(NEXT);
    if (hasProc) await eventually('all are gone', () => strangers(session).length === 0);
  });

  test('may clean up after itself when it is asked to end', async () => {
    const session = shared();
    const { stdout } = await session.run(
      'bash -c \'trap "echo cleaned; touch cleaned; exit" TERM; while :; do sleep 0.01; done\'',
      { timeoutMs: 500 },
    );
    expect(stdout).toBe('cleaned\n');
    expect((await session.run('ls cleaned')).stdout).toBe('cleaned\n');
  });

  test('prints nothing into the results of the lines after it', async () => {
    const session = shared();
    const line = '(trap "" TERM; while :; do echo old; echo old >&2; sleep 0.001; done) & wait';
    expect((await session.run(line, { timeoutMs: 1_000 })).stdout).toContain('old\n');
    for (let index = 0; index < 10; index += 1) {
      expect(await session.run('sleep 0.005; echo next')).toEqual(NEXT);
    }
  });

  test('does not give its result to the next line, however close they are', async () => {
    const session = shared();
    for (let round = 0; round < rounds(100); round += 1) {
      const old = session.run(`sleep 0.02; echo old; exit_code=${round}`, {
        timeoutMs: 15 + (round % 10),
      });
      const next = session.run('echo next');
      const result = await old;
      expect([0, 124]).toContain(result.exitCode);
      if (result.exitCode === 0) expect(result.stdout).toBe('old\n');
      expect(await next).toEqual(NEXT);
    }
  });
});

// Concurrent, since they wait.
describe('the limit of a line', { concurrent: true }, () => {
  test('is its own, and counts from its own start', async ({ expect, onTestFinished }) => {
    const session = startSession({}, onTestFinished);
    // Each has its own bash, which must have started by then, also on a busy machine.
    const results = await Promise.all([
      session.run('echo one; sleep 1000', { timeoutMs: 1500 }),
      session.run('sleep 1.6'),
      session.run('echo next', { timeoutMs: 1500 }),
    ]);
    expect(results.map(({ stdout, exitCode }) => [stdout, exitCode])).toEqual([
      ['one\n', 124],
      ['', 0],
      ['next\n', 0],
    ]);
  });

  test('does nothing to a line within it, also when it has passed; nor does its signal', async ({
    expect,
    onTestFinished,
  }) => {
    const session = startSession({}, onTestFinished);
    await session.run(':');
    const controller = new AbortController();
    const limits = { timeoutMs: 1500, signal: controller.signal };
    expect(await session.run('kept=yes', limits)).toEqual(printed());
    controller.abort();
    expect((await session.run('sleep 1.6; echo "$kept"')).stdout).toBe('yes\n');
  });
});

describe('a line that is cancelled', () => {
  test('ends with 130, says so, and keeps its output', async () => {
    let heard = '';
    const session = startSession({
      onStdout: (chunk) => {
        heard += chunk;
      },
    });
    const controller = new AbortController();
    const running = session.run('echo out; sleep 1000', { signal: controller.signal });
    await eventually('the line runs', () => heard === 'out\n');
    controller.abort();
    expect(await running).toEqual(
      printed('out\n', `agent-shell: cancelled; bash was restarted in ${session.cwd}\n`, 130),
    );
    expect((await session.run('echo $?')).stdout).toBe('130\n');
    if (hasProc) expect(strangers(session)).toEqual([]);
  });

  test('before it starts, never runs, and the session is unchanged', async () => {
    const session = shared();
    await session.run('kept=yes');
    const result = await session.run('touch ran', { signal: AbortSignal.abort() });
    expect(result).toEqual(printed('', 'agent-shell: cancelled before it began\n', 130));
    expect((await session.run('echo "$? $kept"; ls ran')).stdout).toBe('130 yes\n');
  });

  test('while it waits for the line before it, never runs, and that line goes on', async () => {
    const session = shared();
    const controller = new AbortController();
    const first = session.run('sleep 0.2; echo first');
    const second = session.run('touch ran', { signal: controller.signal });
    controller.abort();
    expect((await first).stdout).toBe('first\n');
    expect((await second).exitCode).toBe(130);
    expect((await session.run('ls ran')).stdout).toBe('');
  });
});

test('a limit that is reached twice ends its line once', () => {
  const limit = new LineTime({ signal: AbortSignal.abort() });
  let ends = 0;
  limit.onReached = () => {
    ends += 1;
  };
  limit.cancel('again');
  expect([limit.reached?.message, ends]).toEqual(['cancelled', 1]);
});

/** The processes of a session except bash and the watchdog. */
function strangers(session: TestSession) {
  return processesWith(session.tmp).filter(
    ({ command }) => !/ watchdog |^bash --norc bash$/.test(command),
  );
}
