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

// Packages that only some tests use. They are installed on first use and kept beside the project: as its dependencies they
// would make `npm ci` half as long again. Undefined if the registry cannot be reached.

const ROOT = join(import.meta.dirname, '..', '..');
const LIMIT_MS = 150_000;
const { platform, arch } = process;

/** The packages with a runtime for this machine, and the program in each. `npm run smoke` uses the same folders. */
const RUNTIMES = {
  'Node 24': { folder: '24', name: `node-${platform}-${arch}`, version: '24', program: 'bin/node' },
  Bun: { folder: 'bun', name: `@oven/bun-${platform}-${arch}`, version: '*', program: 'bin/bun' },
  Deno: { folder: 'deno', name: `@deno/${platform}-${arch}-glibc`, version: '*', program: 'deno' },
};

/** The path of the program. */
export function runtime(of: keyof typeof RUNTIMES): string | undefined {
  const { folder, name, version, program } = RUNTIMES[of];
  const manifest = JSON.stringify({ private: true, dependencies: { [name]: version } });
  const modules = modulesOf(join('.nodes', folder), { 'package.json': manifest }, 'install');
  if (!modules) console.warn(`${of} is left out: it cannot be had from the registry here`);
  return modules && join(modules, name, program);
}

const FILES = ['package.json', 'package-lock.json'].map((name) => {
  return [name, readFileSync(join(ROOT, 'examples', name), 'utf8')] as const;
});

/** The examples' imports other than this package. */
export const EXAMPLE_PACKAGES = Object.keys(JSON.parse(FILES[0]?.[1] ?? '').dependencies);

/** The `node_modules` of examples/package.json. */
export function exampleModules(): string | undefined {
  const hash = createHash('sha256').update(JSON.stringify(FILES)).digest('hex').slice(0, 12);
  return modulesOf(join('.examples', hash), Object.fromEntries(FILES), 'ci');
}

const found = new Map<string, string | undefined>();

function modulesOf(name: string, files: Record<string, string>, command: string) {
  const folder = join(ROOT, name);
  const modules = join(folder, 'node_modules');
  if (!found.has(name)) {
    // It may be another user's, or the checkout read-only.
    if (!existsSync(modules)) install(folder, files, command);
    found.set(name, existsSync(modules) ? modules : undefined);
  }
  return found.get(name);
}

function install(folder: string, files: Record<string, string>, command: string): void {
  const unfinished = `${folder}.${process.pid}`;
  const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  try {
    mkdirSync(unfinished, { recursive: true });
    chmodSync(unfinished, 0o755);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(unfinished, name), text);
    execFileSync('npm', [command, ...options], {
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
