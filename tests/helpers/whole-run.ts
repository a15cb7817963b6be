import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { orElse } from '../../src/base/system/files.ts';
import { missing } from './machine.ts';
import { madeIn } from './once-per-run.ts';
import { processesWith } from './processes.ts';
import type { RunningServers } from './servers.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const EXECUTABLE = join(ROOT, 'dist', 'bin', 'agent-shell.cjs');

/** Runs before all tests: builds dist/ if its sources are newer. @returns the function to run after them. */
export default function beginRun({ vitest }: TestProject): (() => Promise<void>) | undefined {
  const folder = process.env.TEST_FOLDER ?? '';
  // Each project calls it, with its own copy of this module.
  if (existsSync(join(folder, 'files'))) return undefined;
  mkdirSync(join(folder, 'files'));
  // Vitest chooses its folder before it reads the configuration, and leaves it behind when it is killed.
  const { _tmpDir: itsFolder } = vitest as unknown as { _tmpDir?: string };
  writeFileSync(join(folder, 'also'), itsFolder ?? '');
  buildIfStale();
  const begun = Date.now();
  return async () => {
    stopServers(folder);
    // With -t, tests of other names count as skipped.
    const skipped = vitest.config.testNamePattern ? [] : skippedTests(vitest);
    if (skipped.length > 0) console.log(`\n${skipped.join('\n')}`);
    if (process.env.TEST_SKIPPED) writeFileSync(process.env.TEST_SKIPPED, skipped.join('\n'));
    if (newestSource() > begun) {
      console.log('\nsrc/ has changed while the tests ran: run them again');
    }
    const left = await leftIn(folder);
    if (left.length === 0) return;
    console.error(`\nThe tests are over, but these are left of them:\n  ${left.join('\n  ')}`);
    process.exitCode = 1;
  };
}

/** Those that all tests share: tests/helpers/servers.ts, which would load what speaks to them. @param run its folder. */
function stopServers(run: string): void {
  const running = madeIn<RunningServers>('servers', run);
  for (const pid of running?.pids ?? []) {
    // Both end at once, if they have not yet; PostgreSQL releases its shared memory.
    orElse(() => process.kill(pid, 'SIGQUIT'), false);
  }
}

function buildIfStale(): void {
  if (newestSource() > modified(EXECUTABLE)) {
    execFileSync(process.execPath, ['scripts/build.js'], { cwd: ROOT, stdio: 'inherit' });
  }
}

function newestSource(): number {
  const sources = [join(ROOT, 'package.json'), join(ROOT, 'scripts', 'build.js'), ...files('src')];
  return Math.max(...sources.map(modified));
}

function files(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function modified(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** The number of skipped tests, and the reasons; what is missing here explains the others. */
function skippedTests(vitest: TestProject['vitest']): string[] {
  const counts = new Map<string, number>();
  for (const module of vitest.state.getTestModules()) {
    for (const test of module.children.allTests()) {
      const result = test.result();
      if (result.state !== 'skipped') continue;
      const why = result.note ?? '';
      counts.set(why, (counts.get(why) ?? 0) + 1);
    }
  }
  const silent = counts.get('') ?? 0;
  counts.delete('');
  const lines = [...counts].map(([why, count]) => `Skipped ${count}: ${why}`);
  if (silent > 0) {
    lines.push(`Skipped ${silent}: missing here: ${missing().join(', ') || 'not said'}`);
  }
  return lines;
}

/** Killed processes need a moment to end. */
async function leftIn(folder: string): Promise<string[]> {
  const files = join(folder, 'files');
  const look = () => [
    ...readdirSync(files).map((name) => join(files, name)),
    ...processesOf(folder),
  ];
  const limit = Number(process.env.TEST_END_MS ?? 5000);
  for (let pause = 50; pause < limit && look().length > 0; pause *= 2) await setTimeout(pause);
  return look();
}

function processesOf(folder: string): string[] {
  return processesWith(folder)
    .filter(({ pid, command }) => !isOfTheRunner(pid) && !/esbuild.*--service/.test(command))
    .map(({ pid, command }) => `process ${pid}: ${command}`);
}

/** A worker of the runner. */
function isOfTheRunner(pid: number): boolean {
  const stat = orElse(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), undefined);
  if (stat === undefined) return true; // It has ended.
  return stat.slice(stat.lastIndexOf(')')).split(' ')[2] === String(process.pid);
}
