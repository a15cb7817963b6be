import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './helpers/files.ts';
import { hasPrograms } from './helpers/machine.ts';
import { npmEnvironment, packedPackage, portableFolder } from './helpers/packed-package.ts';

// docs/install.md, line by line, by a user whose home folder is empty.

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'install.md'), 'utf8');

function step(name: string): string {
  const [, lines = ''] =
    new RegExp(`^\`\`\`sh ${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(PAGE) ?? [];
  expect(lines).not.toBe('');
  return lines;
}

/** An empty home and a checkout that has its packages, is packed and installed already: `npm ci` would take a minute. */
async function machine() {
  const home = temporaryDirectory();
  const checkout = join(home, 'checkout');
  const npmOwn = Object.entries(npmEnvironment()).filter(([name]) => name.startsWith('npm_'));
  const env = {
    ...Object.fromEntries(npmOwn),
    npm_config_prefix: join(home, '.local'),
    HOME: home,
    PATH: `${home}/.local/bin:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
  };
  mkdirSync(checkout);
  const clone = spawnSync('git', ['clone', '--quiet', '--shared', ROOT, checkout]);
  // A package has no history, but all files.
  if (clone.status !== 0) spawnSync('cp', ['-a', `${ROOT}/.`, checkout]);
  if (!existsSync(join(checkout, 'node_modules'))) {
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  }
  if (!existsSync(join(checkout, 'dist'))) spawnSync('cp', ['-a', join(ROOT, 'dist'), checkout]);
  const { tarball, prefix } = await packedPackage();
  const run = async (lines: string) => {
    const known = lines
      .replaceAll('npm ci && ', '')
      .replaceAll('npm ci', 'true')
      .replace('git pull', 'true')
      .replace('npm pack', `cp '${tarball}' .`)
      .replace('npm install -g ./', `cp -a '${prefix}' ~/.local && test -f ./`)
      .replace('npm install', 'npm install --ignore-scripts --prefer-offline --no-audit --no-fund');
    const options = { cwd: checkout, env, timeout: 120_000 };
    return (await promisify(execFile)('bash', ['-ec', known], options)).stdout;
  };
  return { home, checkout, run };
}

const TRY = `cd / && TodoWrite '{"todos":[{"content":"Build","activeForm":"Building","status":"pending"}]}' && TodoRead`;

test.each(['checkout', 'tarball'])('from a %s: installed, used, removed', async (way) => {
  const { home, run } = await machine();
  await run(step(`install=${way}`));
  expect(await run(TRY)).toContain('[ ] Build');
  expect(await run('cd / && agent-shell -c "TodoRead"')).toContain('[ ] Build');
  // Of a tarball the upgrade is the same once more.
  if (way === 'checkout') {
    await run(step('upgrade=checkout'));
    expect(await run(TRY)).toContain('[ ] Build');
  }
  await run(step(`remove=${way}`));
  expect(readdirSync(join(home, '.local', 'bin'))).toEqual([]);
  expect(existsSync(join(home, '.local', 'state', 'todowrite'))).toBe(true);
});

test('by npx, without installing', async () => {
  const { home, run } = await machine();
  expect(await run(step('install=npx'))).toContain('No todos.\n');
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
