import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const EXECUTABLE = join(ROOT, 'dist', 'bin', 'agent-shell.cjs');

/** Before all tests: builds dist/ where it is older than what it is made of, as after an edit. */
export default function buildIfStale(): void {
  const scripts = ['build.js', 'program-loader.cjs', 'keep-compiled.cjs'];
  const sources = [
    join(ROOT, 'package.json'),
    ...scripts.map((name) => join(ROOT, 'scripts', name)),
    ...files('src'),
  ];
  if (sources.some((file) => modified(file) > modified(EXECUTABLE))) {
    execFileSync(process.execPath, ['scripts/build.js'], { cwd: ROOT, stdio: 'inherit' });
  }
}

function files(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function modified(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
