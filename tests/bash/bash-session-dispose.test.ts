import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { listFiles } from '../helpers/files.ts';
import { type HostProgram, startHost } from '../helpers/host-program.ts';
import { hasProc, isAlive, processesWith } from '../helpers/processes.ts';
import { startSession } from '../helpers/session.ts';

// What a line may leave behind: a job, one in a process group and one in a session of its own, orphans of these with and
// without its outputs or its environment, and one that ignores TERM.
const LEAVE_JOBS =
  '(setsid sleep 1003 &); (setsid sleep 1004 >/dev/null 2>&1 &); (env -i setsid sh -c "sleep 1005; : $PATH" &); ' +
  'sleep 1000 & set -m; sleep 1001 & set +m; setsid sleep 1002 & bash -c \'trap "" TERM HUP; while :; do sleep 0.1; done\' &';

describe('dispose', () => {
  test('leaves no process and no file, whatever was started', async () => {
    const session = startSession();
    await session.run(LEAVE_JOBS);
    if (hasProc) expect(processesWith(session.tmp).length).toBeGreaterThan(4);
    await session.dispose();
    expect(listFiles(session.tmp)).toEqual([]);
    // What has been killed is to be seen until it has had its turn to end.
    await eventually(
      'no process is left',
      () => !hasProc || processesWith(session.tmp).length === 0,
    );
  });

  test('ends a line that runs: its result says so, and those that wait are refused', async () => {
    const session = startSession();
    const running = session.run('echo out; sleep 1000');
    const waiting = session.run('touch ran');
    const refusal = expect(waiting).rejects.toThrow('The bash session is disposed');
    await eventually(
      'the line runs',
      () => session.cwd !== '' && listFiles(session.tmp).length > 0,
    );
    await session.dispose();
    expect((await running).exitCode).not.toBe(0);
    await refusal;
    if (hasProc) expect(processesWith(session.tmp)).toEqual([]);
  });

  test('before the first line has begun, leaves nothing either', async () => {
    const session = startSession();
    const line = session.run('sleep 1000').then(
      ({ exitCode }) => exitCode,
      () => 'refused',
    );
    await session.dispose();
    expect(await line).not.toBe(0);
    expect(listFiles(session.tmp)).toEqual([]);
    if (hasProc) expect(processesWith(session.tmp)).toEqual([]);
  });

  test('can be asked for twice, and run is refused afterwards', async () => {
    const session = startSession();
    await session.run('true');
    await Promise.all([session.dispose(), session.dispose()]);
    await expect(session.run('true')).rejects.toThrow('The bash session is disposed');
  });

  test('of a session that never ran refuses as well', async () => {
    const session = startSession();
    await session.dispose();
    await expect(session.run('true')).rejects.toThrow('The bash session is disposed');
    expect(listFiles(session.tmp)).toEqual([]);
  });

  test('closes all descriptors, so that a thousand sessions do not run out of them', async () => {
    const { child, output, errors, ended } = await startHost(`
      import { BashSession } from './src/bash/bash-session.ts';
      import { readdirSync } from 'node:fs';
      const count = () => readdirSync('/dev/fd').length;
      const use = async () => {
        const session = new BashSession({ env: process.env, cwd: '/' });
        await session.run('echo hi', { stdin: 'in' });
        await session.run('exit 3');
        await session.run('sleep 10', { timeoutMs: 1 });
        await session.run('false');
        await session.dispose();
      };
      await use();
      const before = count();
      for (let index = 0; index < 5; index += 1) await use();
      await new Promise((resolve) => setTimeout(resolve, 50));
      console.log(count() - before);
    `);
    await ended;
    expect([output(), errors(), child.exitCode]).toEqual(['0\n', '', 0]);
  });
});

describe.runIf(hasProc)('a host that cannot dispose', () => {
  /** A host with a session in which jobs run; `rest` is what it does then. */
  async function startHostWithJobs(rest: string): Promise<HostProgram> {
    const host = await startHost(`
      import { BashSession } from './src/bash/bash-session.ts';
      const handler = { name: 'Agent', execute: async () => ({ stdout: '', stderr: '', exitCode: 0 }) };
      const session = new BashSession({ env: process.env, cwd: '/', handlers: new Map([['Agent', handler]]) });
      await session.run(${JSON.stringify(LEAVE_JOBS)});
      process.stdin.resume();
      ${rest}
      console.log('ready');
    `);
    await eventually(`the host is ready: ${host.errors()}`, () => host.output() === 'ready\n');
    expect(processesWith(host.tmp).length).toBeGreaterThan(5);
    expect(listFiles(host.tmp).length).toBeGreaterThan(5);
    return host;
  }

  async function expectNothingLeft({ tmp, ended }: HostProgram) {
    await ended;
    // One look that finds none is enough: a process that becomes another program is not to be seen for a moment.
    await eventually('no process is left', () => processesWith(tmp).length === 0).catch(() =>
      expect(processesWith(tmp)).toEqual([]),
    );
    await eventually('no file is left', () => listFiles(tmp).length === 0).catch(() =>
      expect(listFiles(tmp)).toEqual([]),
    );
  }

  test.each(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGKILL', 'SIGSEGV'] as const)(
    'because %s ended it, leaves no process and no file',
    async (signal) => {
      const host = await startHostWithJobs('');
      host.child.kill(signal);
      await expectNothingLeft(host);
    },
  );

  test('because SIGKILL ended it while a line ran, leaves none', async () => {
    const host = await startHostWithJobs("void session.run('while :; do sleep 0.1; done');");
    host.child.kill('SIGKILL');
    await expectNothingLeft(host);
  });

  test('because its second bash was running, leaves none', async () => {
    const host = await startHostWithJobs(
      `await session.run('sleep 1000', { timeoutMs: 50 }); await session.run(${JSON.stringify(LEAVE_JOBS)});`,
    );
    host.child.kill('SIGKILL');
    await expectNothingLeft(host);
  });

  test('leaves none, however late its watchdog is', async () => {
    const host = await startHostWithJobs('');
    const watchdog = processesWith(host.tmp).find(({ command }) => command.includes(' watchdog '));
    if (!watchdog) throw new Error('there is no watchdog');
    process.kill(watchdog.pid, 'SIGSTOP');
    onTestFinished(() => {
      if (isAlive(watchdog.pid)) process.kill(watchdog.pid, 'SIGCONT');
    });
    host.child.kill('SIGKILL');
    await host.ended;
    // Only time can tell that bash does not end on its own.
    await new Promise((resolve) => setTimeout(resolve, 100));
    process.kill(watchdog.pid, 'SIGCONT');
    await expectNothingLeft(host);
  });

  test('because of an error that nobody caught, leaves none, and the error is shown', async () => {
    const host = await startHostWithJobs(
      "process.stdin.once('data', () => { throw new Error('boom'); });",
    );
    host.child.stdin?.write('x');
    await expectNothingLeft(host);
    expect(await host.ended).toEqual({ code: 1, signal: null });
    expect(host.errors()).toContain('Error: boom');
  });

  test('because it called process.exit, leaves none', async () => {
    const host = await startHostWithJobs("process.stdin.once('data', () => process.exit(7));");
    host.child.stdin?.write('x');
    await expectNothingLeft(host);
    expect(await host.ended).toEqual({ code: 7, signal: null });
  });
});

test('a session that is idle does not keep its program from ending', async () => {
  const host = await startHost(`
    import { BashSession } from './src/bash/bash-session.ts';
    const handler = { name: 'Agent', execute: async () => ({ stdout: '', stderr: '', exitCode: 0 }) };
    const session = new BashSession({ env: process.env, cwd: '/', handlers: new Map([['Agent', handler]]) });
    console.log((await session.run('sleep 1000 & echo one; Agent')).exitCode);
    console.log((await session.run('echo two', { timeoutMs: 1e6, signal: new AbortController().signal })).stdout);
  `);
  expect(await host.ended).toEqual({ code: 0, signal: null });
  expect(host.output()).toBe('0\ntwo\n\n');
  if (hasProc) {
    await eventually('no process is left', () => processesWith(host.tmp).length === 0);
  }
  await eventually('no file is left', () => listFiles(host.tmp).length === 0);
});

test('a line that runs keeps its program from ending', async () => {
  const host = await startHost(`
    import { BashSession } from './src/bash/bash-session.ts';
    const session = new BashSession({ env: process.env, cwd: '/' });
    void session.run('sleep 0.3; echo done').then(({ stdout }) => console.log(stdout));
  `);
  expect(await host.ended).toEqual({ code: 0, signal: null });
  expect(host.output()).toBe('done\n\n');
});
