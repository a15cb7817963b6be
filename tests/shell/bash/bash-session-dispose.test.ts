import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { orElse } from '../../../src/base/system/files.ts';
import { childrenOf } from '../../../src/base/system/processes.ts';
import { makeFifos } from '../../../src/shell/bash/fifos.ts';
import watchdog from '../../../src/shell/bash/watchdog.sh';
import { ENV } from '../../helpers/bash.ts';
import { eventually } from '../../helpers/eventually.ts';
import { openProgram, startProgram } from '../../helpers/executables.ts';
import { listFiles, temporaryDirectory } from '../../helpers/files.ts';
import {
  type HostProgram,
  LEAVE_JOBS,
  startHost,
  startLivingHost,
} from '../../helpers/host-program.ts';
import { hasPrograms } from '../../helpers/machine.ts';
import { hasProc, isAlive, processesWith } from '../../helpers/processes.ts';
import { printed, startSession } from '../../helpers/session.ts';

/** All signals that end a host without a word are one to its session. */
const IS_LONG = process.env.TEST_RUNS !== undefined;

describe('dispose', () => {
  test('leaves no process and no file of anything that was started', async () => {
    const session = startSession();
    await session.run(LEAVE_JOBS);
    if (hasProc) expect(processesWith(session.tmp).length).toBeGreaterThan(4);
    await session.dispose();
    expect(listFiles(session.tmp)).toEqual([]);
    // A killed process exists until it is scheduled.
    await eventually(
      'no process is left',
      () => !hasProc || processesWith(session.tmp).length === 0,
    );
  });

  test('ends the running line, whose result says so, and refuses waiting lines', async () => {
    let heard = '';
    const session = startSession({
      onStdout: (chunk) => {
        heard += chunk;
      },
    });
    const running = session.run('echo out; sleep 1000');
    const waiting = session.run('touch ran');
    const refusal = expect(waiting).rejects.toThrow('The bash session is disposed');
    await eventually('the line runs', () => heard === 'out\n');
    await session.dispose();
    expect(await running).toEqual(
      printed('out\n', 'agent-shell: cancelled: the session was disposed\n', 130),
    );
    await refusal;
    if (hasProc) expect(processesWith(session.tmp)).toEqual([]);
  });

  test('at any moment of a line: it has a result, and nothing is left', async () => {
    for (const turns of [0, 1, 4, 12]) {
      const session = startSession();
      if (turns % 2) await session.run('true');
      const running = session.run('sleep 1000');
      const result = running.catch((error) => error.message);
      for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
      await session.dispose();
      const refused = 'The bash session is disposed';
      const { exitCode } = (await result) ?? {};
      // A line that was still queued is refused.
      expect([exitCode, await result]).toEqual(
        exitCode === undefined && turns < 2 ? [undefined, refused] : [130, await result],
      );
      expect(listFiles(session.tmp)).toEqual([]);
    }
  });

  test.each(['true', undefined])(
    'can be asked for twice, and run is refused, after %s; a session that has run nothing has no file',
    async (line) => {
      const session = startSession();
      if (line) await session.run(line);
      else expect(listFiles(session.tmp)).toEqual([]);
      await Promise.all([session.dispose(), session.dispose()]);
      await expect(session.run('true')).rejects.toThrow('The bash session is disposed');
      expect(listFiles(session.tmp)).toEqual([]);
    },
  );

  test('closes all descriptors, so that a thousand sessions do not run out of them', async () => {
    const host = await startHost(`
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
      await use();
      for (let look = 0; look < 600 && count() !== before; look += 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      console.log(count() - before);
    `);
    expect(await host.ended).toMatchObject(printed('0\n'));
  });
});

/** Files go last, and are found without reading all of /proc. */
const eventuallyNone = (tmp: string, left: () => unknown[]) =>
  eventually('none is left', () => !listFiles(tmp)[0] && !left()[0]).catch(() => {});

async function expectNothingLeft({ tmp, ended }: HostProgram) {
  await ended;
  const left = () => [...listFiles(tmp), ...processesWith(tmp)];
  await eventuallyNone(tmp, left);
  expect(left()).toEqual([]);
}

describe.runIf(hasProc)('a host that cannot dispose', () => {
  /** A host with a session in which jobs run. @param rest its code after that. */
  async function startHostWithJobs(rest: string): Promise<HostProgram> {
    const host = await startLivingHost(`await session.run(${JSON.stringify(LEAVE_JOBS)});${rest}`);
    expect(processesWith(host.tmp).length).toBeGreaterThan(5);
    expect(listFiles(host.tmp).length).toBeGreaterThan(5);
    return host;
  }

  test.each(IS_LONG ? (['SIGTERM', 'SIGKILL', 'SIGSEGV'] as const) : (['SIGKILL'] as const))(
    'because %s ended it while a line ran in its second bash, leaves no process and no file',
    async (signal) => {
      const host = await startHostWithJobs(`
        await session.run('sleep 1000', { timeoutMs: 50 });
        await session.run(${JSON.stringify(LEAVE_JOBS)});
        void session.run('while :; do sleep 0.1; done');`);
      host.child.kill(signal);
      await expectNothingLeft(host);
    },
  );

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
    // Nothing tells that bash will not end, except time.
    await new Promise((resolve) => setTimeout(resolve, 100));
    process.kill(watchdog.pid, 'SIGCONT');
    await expectNothingLeft(host);
  });
});

/** Makes the program that it runs the one that orphans are given to, instead of process 1. */
const REAPER = [
  ...['python3', '-c'],
  'import ctypes, os, sys; ctypes.CDLL(None).prctl(36, 1, 0, 0, 0); os.execvp(sys.argv[1], sys.argv[1:])',
];

test.runIf(hasProc && hasPrograms('python3'))(
  'a host that is given the orphans leaves none when it disposes',
  async () => {
    const source = `await session.run(${JSON.stringify(LEAVE_JOBS)}); await session.dispose();`;
    const host = await startLivingHost(source, { wrapper: REAPER });
    const left = () => processesWith(host.tmp).filter(({ pid }) => pid !== host.child.pid);
    await eventually('nothing is left', () => left().length === 0).catch(() => {});
    expect(left()).toEqual([]);
  },
);

test.runIf(hasProc)('a killed host that nobody waits for leaves none', async () => {
  const wrapper = ['bash', '-c', '"$@" <&0 & exec sleep 999', 'bash'];
  const source = `await session.run(${JSON.stringify(LEAVE_JOBS)})`;
  const { tmp } = await startLivingHost(source, { wrapper });
  const host = processesWith(tmp).find(({ command }) => command.includes('host.mjs'));
  process.kill(host?.pid ?? 0, 'SIGKILL');
  const left = () => [
    ...processesWith(tmp).filter(({ command }) => command !== 'sleep 999'),
    ...listFiles(tmp),
  ];
  await eventuallyNone(tmp, left);
  expect(left()).toEqual([]);
});

test.runIf(hasProc)('nor one that ended before its watchdog listened', async () => {
  const folder = temporaryDirectory();
  const [alive, place] = [join(folder, 'alive'), { cwd: '/', env: ENV }];
  makeFifos([alive, join(folder, 'go')], ENV);
  const parent = openProgram('bash', ['-c', 'sleep 998 & exec sleep 999'], place);
  const ofParent = (name: string) => readFileSync(`/proc/${parent.pid}/${name}`, 'utf8');
  await eventually('bash waits for nobody', () => ofParent('comm') === 'sleep\n');
  const host = ofParent(`task/${parent.pid}/children`).trim();
  process.kill(Number(host), 'SIGKILL');
  await startProgram('bash', ['-c', watchdog, '', folder, host, alive], place).ended;
  expect(existsSync(folder)).toBe(false);
});

test.runIf(hasProc).each(['before its watchdog listens', 'while its watchdog listens'])(
  'a host whose folder is removed %s lives on, and its end is noticed',
  async (when) => {
    const folder = temporaryDirectory();
    const [alive, go, out] = [join(folder, 'alive'), join(folder, 'go'), join(folder, 'out')];
    makeFifos([alive, go, out], ENV);
    const ofHost = openSync(alive, constants.O_RDWR);
    onTestFinished(() => closeSync(ofHost));
    const place = { cwd: '/', env: ENV };
    const host = openProgram('bash', ['-c', 'exec 5<>"$0" && exec sleep 999', out], place);
    const opens = (pid: unknown, fd: number, file: string) =>
      orElse(() => readlinkSync(`/proc/${pid}/fd/${fd}`), '') === file;
    await eventually('it has its output', () => opens(host.pid, 5, out));
    if (when.startsWith('before')) rmSync(alive);
    const argv = ['-c', watchdog, '', folder, String(host.pid), alive];
    const { child, ended } = startProgram('bash', argv, place);
    if (when.startsWith('while')) {
      await eventually('it listens', () => opens(child.pid, 0, alive));
      for (const file of [alive, go]) rmSync(file);
      writeSync(ofHost, '\n');
    }
    await eventually('it waits', () => childrenOf(child.pid)?.size === 1);
    expect([existsSync(alive), isAlive(Number(host.pid))]).toEqual([false, true]);
    host.kill('SIGKILL');
    await ended;
    expect(existsSync(folder)).toBe(false);
  },
);

/** A program without /proc, as in a bare chroot: /dev/stdin leads nowhere there. */
const WITHOUT_PROC = ['-rm', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh'];
const canHideProc = hasProc && spawnSync('unshare', [...WITHOUT_PROC, 'true']).status === 0;

test.runIf(canHideProc)('the end of a host is noticed without /proc, too', async () => {
  const folder = temporaryDirectory();
  const [alive, place] = [join(folder, 'alive'), { cwd: '/', env: ENV }];
  makeFifos([alive, join(folder, 'go')], ENV);
  const ofHost = openSync(alive, constants.O_RDWR);
  const host = openProgram('sleep', ['999'], place);
  const argv = ['bash', '-c', watchdog, '', folder, String(host.pid), alive];
  const { child, ended } = startProgram('unshare', [...WITHOUT_PROC, ...argv], place);
  const heard = () => orElse(() => readlinkSync(`/proc/${child.pid}/fd/0`), '');
  await eventually('it listens', () => heard() === alive);
  writeSync(ofHost, '\n');
  host.kill('SIGKILL');
  closeSync(ofHost);
  await ended;
  expect(existsSync(folder)).toBe(false);
});

test.runIf(hasProc).each(IS_LONG ? [30, 60, 120, 240] : [30])(
  'a host that is killed %d ms after its first line began leaves no process and no file',
  async (ms) => {
    const host = await startLivingHost("void session.run('sleep 1000')");
    await new Promise((resolve) => setTimeout(resolve, ms));
    host.child.kill('SIGKILL');
    await expectNothingLeft(host);
  },
);

test.runIf(hasProc)(
  'a session that starts removes the folders of killed ones, and none that is young, in use or of another user',
  async () => {
    const tmp = temporaryDirectory();
    const host = await startLivingHost("await session.run('true')", { env: { TMPDIR: tmp } });
    const killed = join(tmp, readdirSync(tmp)[0] ?? '');
    // With its watchdog.
    for (const { pid, command } of processesWith(killed))
      if (command.includes(' watchdog ')) process.kill(pid, 'SIGKILL');
    host.child.kill('SIGKILL');
    await host.ended;
    await eventually('all are gone', () => processesWith(killed).length === 0);

    const living = startSession({ env: { TMPDIR: tmp } });
    await living.run('kept=yes');
    expect(existsSync(killed)).toBe(true);
    const empty = join(tmp, 'agent-shell-empty');
    const foreign = join(tmp, 'agent-shell-foreign');
    mkdirSync(empty);
    mkdirSync(join(foreign, 'bin'), { recursive: true });
    const hourAgo = Date.now() / 1000 - 3600;
    for (const name of readdirSync(tmp)) utimesSync(join(tmp, name), hourAgo, hourAgo);
    const session = startSession({ env: { TMPDIR: tmp } });
    expect((await session.run('echo next')).stdout).toBe('next\n');
    expect([killed, empty, foreign].map(existsSync)).toEqual([false, false, true]);
    expect((await living.run('echo $kept')).stdout).toBe('yes\n');
  },
);

test('a session keeps its program from ending while a line runs, and not when it is idle', async () => {
  const host = await startHost(`
    console.log((await session.run('sleep 1000 & echo one; Agent')).exitCode);
    for (const ended of ['trap : TERM; sleep 1000', 'Agent never; :'])
      console.log((await session.run(ended, { timeoutMs: 300 })).exitCode);
    const options = { timeoutMs: 1e6, signal: new AbortController().signal };
    void session.run('sleep 0.3; echo two', options).then(({ stdout }) => console.log(stdout));
  `);
  expect(await host.ended).toMatchObject({ exitCode: 0, signal: null });
  expect(host.said.stdout).toBe('0\n124\n124\ntwo\n\n');
  await expectNothingLeft(host);
});
