import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { childrenOf, isStartedSince } from '../../../src/base/system/processes.ts';

test('a process is of a line if it began below the bash since then, however deep, and nobody else is', async () => {
  const script = `bash -c 'sleep 60 & echo $!; wait' & wait`;
  const bash = spawn('bash', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const leader = bash.pid as number;
  onTestFinished(() => {
    process.kill(-leader, 'SIGKILL');
  });
  const [written] = await once(bash.stdout, 'data');
  const below = Number(written);
  expect(isStartedSince(new Set(), leader, leader)).toBe(true);
  expect(isStartedSince(new Set(), below, leader)).toBe(true);
  expect(isStartedSince(childrenOf(leader), below, leader)).toBe(false);
  expect(isStartedSince(new Set(), process.pid, leader)).toBe(false);
});
