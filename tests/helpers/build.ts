import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const EXECUTABLE = join(ROOT, 'dist', 'bin', 'agent-shell.cjs');

/** Before all tests: builds dist/ where it is older than what it is made of, as after an edit. */
export default function buildIfStale(): void {
  const sources = [join(ROOT, 'package.json'), join(ROOT, 'scripts', 'build.js'), ...files('src')];
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
