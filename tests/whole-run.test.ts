import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from './helpers/eventually.ts';
import { cleanEnvironment } from './helpers/executables.ts';
import { temporaryDirectory } from './helpers/files.ts';
import { hasProc, processesWith } from './helpers/processes.ts';

// Runs of tests, as they look from outside.

const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');

function startRun(name: string) {
  const ready = join(temporaryDirectory(), 'ready');
  const argv = [VITEST, 'run', '--config', 'tests/whole-run/vitest.config.ts', `/${name}.run.ts`];
  const child = spawn(process.execPath, argv, {
    cwd: ROOT,
    env: cleanEnvironment({ TEST_READY: ready, NO_COLOR: '1' }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode, output }));
  return { child, ready, ended, output: () => output };
}

test.runIf(hasProc).each(['SIGINT', 'SIGKILL'] as const)(
  'a run that %s ends leaves no process and no file',
  async (signal) => {
    const { child, ready, ended, output } = startRun('interrupted');
    const folder = await eventually('its test runs', () => {
      if (child.exitCode !== null) throw new Error(output());
      return existsSync(ready) && readFileSync(ready, 'utf8');
    });
    expect(processesWith(folder).length).toBeGreaterThan(4);
    child.kill(signal);
    await eventually('all have ended', () => processesWith(folder).length === 0);
    await eventually('its files have gone', () => !existsSync(folder));
    await ended;
  },
);

test.runIf(hasProc)(
  'what a test leaves behind fails the run, and why one is skipped is said',
  async () => {
    const { exitCode, output } = await startRun('careless').ended;
    expect(output).toMatch(
      /these are left of them:\n {2}\S+\/careless-\w+\n {2}process \d+: sleep 1004\n/,
    );
    expect(output).toContain('\nSkipped 1: the moon is not full\n');
    expect(exitCode).toBe(1);
  },
);

test('a server that does not start leaves nothing', async () => {
  const { exitCode, output } = await startRun('halfway').ended;
  expect(output).not.toContain('left of them');
  expect([exitCode, output]).toEqual([0, expect.stringContaining(' passed')]);
});
