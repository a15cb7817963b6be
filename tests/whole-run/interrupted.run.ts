import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { test } from 'vitest';

if (process.env.TEST_SERVERS) (await import('../helpers/servers.ts')).useServers();

test('it is interrupted', async () => {
  const bash = spawn('bash', ['-c', '(setsid sleep 1001 &); sleep 1002 & echo begun; wait']);
  await once(bash.stdout, 'data');
  spawn('sleep', ['1003'], { detached: true, stdio: 'ignore' });
  writeFileSync(process.env.TEST_READY ?? '', process.env.TEST_FOLDER ?? '');
  await new Promise(() => {});
});
