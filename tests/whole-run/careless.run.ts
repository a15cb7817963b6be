import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('its bash reads no ~/.bashrc', () => {
  expect(spawnSync('bash', ['-c', 'true']).status).toBe(0);
});

test('it leaves a folder and a process', () => {
  mkdtempSync(join(tmpdir(), 'careless-'));
  expect(spawn('sleep', ['1004'], { detached: true, stdio: 'ignore' }).pid).toBeGreaterThan(0);
});

test('it is not run', ({ skip }) => skip('the moon is not full'));
