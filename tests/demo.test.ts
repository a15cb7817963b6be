import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from './helpers/files.ts';
import { hasTmux, TmuxTerminal } from './helpers/tmux.ts';

const DEMO = join(import.meta.dirname, '..', 'scripts', 'demo.js');

test('off a terminal the demo prints the same plainly, and leaves nothing behind', async () => {
  const tmp = temporaryDirectory();
  const env = { ...process.env, TMPDIR: tmp };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [DEMO], { env });
  expect(stderr).toBe('');
  expect(stdout).not.toContain('\x1b');
  const reports = stdout.split('\n').filter((line) => line.startsWith('Tasks '));
  expect(reports.map((line) => line.slice(0, 'Tasks 0/5: '.length))).toEqual(
    [0, 1, 2, 3, 4, 5].map((completed) => `Tasks ${completed}/5: `),
  );
  expect(stdout).toContain('FAILED  minutes-of the may meeting.md\n');
  expect(stdout).toContain('passed  minutes-of-the-may-meeting.md\n');
  expect(readdirSync(tmp)).toEqual([]);
});

test.skipIf(!hasTmux)('keys typed while the demo plays are not shown', async () => {
  const terminal = new TmuxTerminal(`node ${DEMO}`);
  onTestFinished(() => terminal.close());
  await terminal.until('the panel', (screen) => screen.includes('● Reading the code'));
  for (const key of ['x', 'Enter', 'y', 'Up', 'Enter']) terminal.press(key);
  const screen = await terminal.until('the next step', (text) => text.includes('● Reproducing'));
  expect(screen).not.toMatch(/x\n|y\^|\^\[/);
  expect(screen.split('─ Tasks ─')).toHaveLength(2);
});
