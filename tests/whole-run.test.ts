import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CutOffCluster, canCutOff } from './helpers/cut-off-cluster.ts';
import { EtcdCluster, hasEtcd, hasPostgres, PostgresServer } from './helpers/engines.ts';
import { eventually } from './helpers/eventually.ts';
import { cleanEnvironment, startProgram } from './helpers/executables.ts';
import { temporaryDirectory } from './helpers/files.ts';
import { hasProc, processesWith } from './helpers/processes.ts';

// Runs of tests, as they look from outside.

const ROOT = join(import.meta.dirname, '..');
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--configLoader=runner'];
const CONFIG = '--config=tests/whole-run/vitest.config.ts';

function startRun(name: string, more = {}) {
  const ready = join(temporaryDirectory(), 'ready');
  const argv = [...VITEST, CONFIG, `/${name}.run.ts`];
  const env = cleanEnvironment({ TEST_READY: ready, NO_COLOR: '1', ...more });
  return { ready, ...startProgram(process.execPath, argv, { cwd: ROOT, env }) };
}

test.runIf(hasProc).each([
  ['SIGINT', hasEtcd || hasPostgres ? { TEST_SERVERS: '1' } : {}],
  ['SIGKILL', {}],
] as const)('a run that %s ends leaves no process and no file', async (signal, servers) => {
  const { child, ready, ended, said } = startRun('interrupted', servers);
  const isRunning = () => {
    if (child.exitCode !== null) throw new Error(said.stdout + said.stderr);
    return existsSync(ready) && readFileSync(ready, 'utf8');
  };
  const folder = await eventually('its test runs', isRunning, 240_000);
  expect(processesWith(folder).length).toBeGreaterThan(3);
  child.kill(signal);
  let left = processesWith(folder);
  const haveEnded = () => {
    left = processesWith(folder);
    return left.length === 0;
  };
  await eventually('all have ended', haveEnded).catch((error) => {
    throw new Error(`${error.message}:\n${JSON.stringify(left, null, 2)}`);
  });
  await eventually('its files have gone', () => !existsSync(folder));
  await ended;
});

test.runIf(hasProc)(
  'a test that leaves something behind fails the run, and the reason for a skip is printed',
  async () => {
    const HOME = temporaryDirectory();
    writeFileSync(join(HOME, '.bashrc'), 'echo >~/read\n');
    // What it leaves does not end by itself.
    const env = { HOME, SHLVL: '', TEST_END_MS: '200' };
    const { exitCode, stdout, stderr } = await startRun('careless', env).ended;
    // Neither a test's bash nor the run's own reads it, which may take long, or print something.
    expect(readdirSync(HOME)).not.toContain('read');
    expect(stderr).toMatch(
      /these are left of them:\n {2}\S+\/careless-\w+\n {2}process \d+: sleep 1004\n/,
    );
    expect(stdout).toContain('\nSkipped 1: the moon is not full\n');
    expect(exitCode).toBe(1);
  },
);

/** What fails to start leaves no file and no process in a folder of its own. */
async function expectNothingLeft(start: () => Promise<unknown>, error: string): Promise<void> {
  const folder = temporaryDirectory();
  // A server runs as a user of its own.
  chmodSync(folder, 0o755);
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(start()).rejects.toThrow(error);
  const left = () => [...readdirSync(folder), ...processesWith(folder)];
  await eventually('nothing is left', () => left().length === 0);
}

test.runIf(hasEtcd)('an etcd that does not start leaves nothing', () =>
  expectNothingLeft(() => EtcdCluster.start(1, ['--no-such-option']), 'a member of etcd ended'),
);

test.runIf(hasEtcd && canCutOff)('a cluster of which no member leads leaves nothing', () =>
  expectNothingLeft(() => CutOffCluster.start('--no-such-option', 500), 'a member leads'),
);

test.runIf(hasPostgres)('a standby whose primary has gone leaves nothing', () =>
  expectNothingLeft(async () => {
    const primary = await PostgresServer.start();
    primary.stop();
    await PostgresServer.standbyOf(primary);
  }, 'pg_basebackup'),
);
