import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';

// tests/shell/first-hour.bats is written for bats, as a user of the shell would write it. Each test there is one here too.

const ROOT = join(import.meta.dirname, '..');
const FILE = join(ROOT, 'tests', 'shell', 'first-hour.bats');
const TEST_TIMEOUT_S = 60;
const FILE_TIMEOUT_MS = 300_000;

const titles = Array.from(
  readFileSync(FILE, 'utf8').matchAll(/^@test "(.*)" \{$/gm),
  ([, title = '']) => title,
);
let reports: string[] = [];

beforeAll(async () => {
  const bats = spawn('bash', [join(ROOT, 'node_modules', 'bats', 'bin', 'bats'), '--tap', FILE], {
    env: { ...process.env, BATS_TEST_TIMEOUT: String(TEST_TIMEOUT_S) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  reports = (await text(bats.stdout)).split(/^(?=(?:not )?ok \d)/m).slice(1);
}, FILE_TIMEOUT_MS);

test('bats runs all of its tests', () => {
  expect(reports).toHaveLength(titles.length);
});

test.for(titles.map((title, index) => ({ title, index })))('$title', ({ index }, { skip }) => {
  const report = reports[index] ?? `bats gave no report for it, but ${reports.join('')}`;
  const skipped = /^ok .* # skip(?:ping)? ?(.*)$/m.exec(report);
  if (skipped) skip(skipped[1]);
  expect(report, report).toMatch(/^ok /);
});
