import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Shared with `npm run smoke`. */
const CACHE = join(import.meta.dirname, '..', '..', '.nodes');
const INSTALL_MS = 150_000;
const { platform, arch } = process;

/** The packages with a runtime for this machine, and the program in each. */
const PACKAGES = {
  'Node 24': { specifier: `node-${platform}-${arch}@24`, program: 'bin/node' },
  Bun: { specifier: `@oven/bun-${platform}-${arch}`, program: 'bin/bun' },
  Deno: { specifier: `@deno/${platform}-${arch}-glibc`, program: 'deno' },
};

type Name = keyof typeof PACKAGES;
export const RUNTIMES = Object.keys(PACKAGES) as Name[];

const started = new Map<Name, Promise<string | undefined>>();

/** Undefined if the registry cannot be reached. Cached. */
export function runtime(name: Name): Promise<string | undefined> {
  const found = started.get(name) ?? install(name);
  started.set(name, found);
  return found;
}

async function install(name: Name): Promise<string | undefined> {
  const { specifier, program } = PACKAGES[name];
  const folder = join(CACHE, name.replace('Node ', '').toLowerCase());
  const path = join(folder, 'node_modules', specifier.replace(/(?<=.)@.*/, ''), program);
  if (existsSync(path)) return path;
  const argv = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    await promisify(execFile)('npm', [...argv, specifier], { cwd: folder, timeout: INSTALL_MS });
  } catch {
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
  return existsSync(path) ? path : undefined;
}
