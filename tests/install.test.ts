import { execFile, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './helpers/files.ts';
import { hasPrograms } from './helpers/machine.ts';
import { packedPackage, portableFolder } from './helpers/packed-package.ts';

// docs/install.md, line by line, by a user whose home folder is empty.

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'install.md'), 'utf8');

function step(name: string): string {
  const [, lines = ''] =
    new RegExp(`^\`\`\`sh ${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(PAGE) ?? [];
  expect(lines).not.toBe('');
  return lines;
}

/** An empty home and an empty checkout. */
async function machine() {
  const { settings } = await packedPackage();
  const home = temporaryDirectory();
  const checkout = join(home, 'checkout');
  const env = {
    ...settings,
    npm_config_prefix: join(home, '.local'),
    HOME: home,
    PATH: `${home}/.local/bin:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
  };
  mkdirSync(checkout);
  const run = async (lines: string) => {
    const options = { cwd: checkout, env, timeout: 120_000 };
    return (await promisify(execFile)('bash', ['-ec', lines], options)).stdout;
  };
  return { home, checkout, run };
}

/** This checkout, which has its packages and is built already: `npm ci` would take a minute. */
function clone(checkout: string): void {
  const { status } = spawnSync('git', ['clone', '--quiet', '--shared', ROOT, checkout]);
  // A package has no history, but all files.
  if (status !== 0) spawnSync('cp', ['-a', `${ROOT}/.`, checkout]);
  if (!existsSync(join(checkout, 'node_modules'))) {
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  }
  if (!existsSync(join(checkout, 'dist'))) spawnSync('cp', ['-a', join(ROOT, 'dist'), checkout]);
}

const TRY = `cd / && TodoWrite '{"todos":[{"content":"Build","activeForm":"Building","status":"pending"}]}' && TodoRead`;

test.each(['checkout', 'tarball'])('from a %s: installed, used, removed', async (way) => {
  const { home, checkout, run } = await machine();
  const { tarball, prefix } = await packedPackage();
  if (way === 'checkout') clone(checkout);
  const install = step(`install=${way}`)
    .replace('npm ci && ', '')
    .replace('npm pack', `cp '${tarball}' .`)
    .replace('npm install -g ./', `cp -a '${prefix}' ~/.local && test -f ./`);
  await run(install);
  expect(await run(TRY)).toContain('[ ] Build');
  expect(await run('cd / && agent-shell -c "TodoRead"')).toContain('[ ] Build');
  await run(step(`remove=${way}`));
  expect(readdirSync(join(home, '.local', 'bin'))).toEqual([]);
  expect(existsSync(join(home, '.local', 'state', 'todowrite'))).toBe(true);
  expect(existsSync(join(checkout, 'dist'))).toBe(way === 'checkout');
});

test('an upgrade of a checkout builds it: the commands are links into it', () => {
  expect(step('upgrade=checkout')).toBe('git pull && npm ci\n');
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts.prepare).toBe('npm run build');
});

/**
 * The executables alone, packed: npm unpacks such a file four times to run it once, and the dependencies, which executables
 * do not need, take as long.
 */
function packExecutables(tarball: string, prefix: string): void {
  const installed = join(prefix, 'lib', 'node_modules', 'todowrite');
  const folder = join(temporaryDirectory(), 'package');
  for (const part of ['bin', 'programs']) {
    cpSync(join(installed, 'dist', part), join(folder, 'dist', part), { recursive: true });
  }
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const executables = JSON.stringify({ ...manifest, dependencies: {} });
  writeFileSync(join(folder, 'package.json'), executables);
  spawnSync('tar', ['-czf', tarball, '-C', dirname(folder), 'package']);
}

test('by npx, without installing', async () => {
  const { home, checkout, run } = await machine();
  const { tarball, prefix } = await packedPackage();
  packExecutables(join(checkout, basename(tarball)), prefix);
  expect(await run(step('install=npx').replace('npm pack', 'true'))).toContain('No todos.\n');
  expect(existsSync(join(home, '.local', 'bin'))).toBe(false);
});

test.runIf(hasPrograms('patchelf'))('as a portable folder: unpacked, used, removed', async () => {
  const { home, checkout, run } = await machine();
  const [make = '', ...others] = step('install=portable').split('\n');
  expect(make).toBe('npm run portable');
  symlinkSync(await portableFolder(), join(checkout, 'portable'));
  expect(await run(`${others.join('\n')}\n${TRY}`)).toContain('[ ] Build');
  await run(step('remove=portable'));
  expect(readdirSync(join(home, 'opt'))).toEqual([]);
});
