import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

// The packages of the examples. They are installed on first use and kept beside the project: as its dependencies they would
// make `npm ci` half as long again.

const ROOT = join(import.meta.dirname, '..', '..');
const LIMIT_MS = 150_000;

const FILES = ['package.json', 'package-lock.json'].map((name) => {
  return [name, readFileSync(join(ROOT, 'examples', name), 'utf8')] as const;
});

/** The examples' imports other than this package. */
export const EXAMPLE_PACKAGES = Object.keys(JSON.parse(FILES[0]?.[1] ?? '').dependencies);

let modules: string | undefined;

/** The `node_modules` of examples/package.json. Undefined if the registry cannot be reached. */
export function exampleModules(): string | undefined {
  if (modules === undefined) {
    const hash = createHash('sha256').update(JSON.stringify(FILES)).digest('hex').slice(0, 12);
    const folder = join(ROOT, '.examples', hash);
    modules = join(folder, 'node_modules');
    // It may be another user's, or the checkout read-only.
    if (!existsSync(modules)) install(folder);
  }
  return existsSync(modules) ? modules : undefined;
}

function install(folder: string): void {
  const unfinished = `${folder}.${process.pid}`;
  const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  try {
    mkdirSync(unfinished, { recursive: true });
    chmodSync(unfinished, 0o755);
    for (const [name, text] of FILES) writeFileSync(join(unfinished, name), text);
    execFileSync('npm', ['ci', ...options], {
      cwd: unfinished,
      stdio: 'ignore',
      timeout: LIMIT_MS,
    });
    renameSync(unfinished, folder);
  } catch {
    // There is no registry, or another worker was faster.
    rmSync(unfinished, { recursive: true, force: true });
  }
}
