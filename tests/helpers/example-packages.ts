import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const EXAMPLES = join(ROOT, 'examples');
const FILES = ['package.json', 'package-lock.json'];

/** The examples' imports other than this package. */
export const EXAMPLE_PACKAGES = Object.keys(
  JSON.parse(readFileSync(join(EXAMPLES, 'package.json'), 'utf8')).dependencies,
);

let found: { modules: string | undefined } | undefined;

/**
 * The `node_modules` of examples/package.json, installed on first use and kept beside the project: they would make `npm ci`
 * half as long again. Undefined if the registry cannot be reached.
 */
export function exampleModules(): string | undefined {
  found ??= { modules: install() };
  return found.modules;
}

function install(): string | undefined {
  const hash = createHash('sha256');
  for (const name of FILES) hash.update(readFileSync(join(EXAMPLES, name)));
  const cache = join(ROOT, '.examples');
  const kept = join(cache, hash.digest('hex').slice(0, 12));
  const modules = join(kept, 'node_modules');
  // It may be another user's, or the checkout read-only.
  if (existsSync(modules)) return modules;
  let folder = '';
  try {
    mkdirSync(cache, { recursive: true });
    folder = mkdtempSync(join(cache, 'new-'));
    chmodSync(folder, 0o755);
    for (const name of FILES) cpSync(join(EXAMPLES, name), join(folder, name));
    const argv = ['ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', argv, { cwd: folder, stdio: 'ignore', timeout: 150_000 });
    if (!existsSync(kept)) renameSync(folder, kept);
  } catch {
    // Another worker may have been faster.
  }
  if (folder) rmSync(folder, { recursive: true, force: true });
  return existsSync(modules) ? modules : undefined;
}
