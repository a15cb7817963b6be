import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { useServers } from '../helpers/servers.ts';
import { startSession } from '../helpers/session.ts';

if (process.env.TEST_SERVERS) useServers();

test('it is interrupted', async () => {
  const { stdout } = await startSession().run('(setsid sleep 1001 &); sleep 1002 & echo begun');
  expect(stdout).toBe('begun\n');
  spawn('sleep', ['1003'], { detached: true, stdio: 'ignore' });
  writeFileSync(process.env.TEST_READY ?? '', process.env.TEST_FOLDER ?? '');
  await new Promise(() => {});
});
