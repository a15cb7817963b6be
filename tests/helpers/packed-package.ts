import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { oncePerRun } from './once-per-run.ts';

const ROOT = join(import.meta.dirname, '..', '..');

interface Packed {
  readonly tarball: string;
  /** The paths of its files. */
  readonly files: readonly string[];
  /** Where `npm install -g` has installed it, to be copied. */
  readonly prefix: string;
  /** The settings of npm as environment variables. */
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Runs `npm pack` and `npm install` once: they take seconds. The package is built already; building it again would pull it
 * from under other tests.
 */
export function packedPackage(): Promise<Packed> {
  return oncePerRun('packed', (folder) => {
    const settings = npmSettings(join(folder, 'cache'));
    const env = npmEnvironment({ settings });
    const argv = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const [{ filename, files }] = JSON.parse(
      execFileSync('npm', argv, { cwd: ROOT, encoding: 'utf8', env }),
    );
    const [tarball, prefix] = [join(folder, filename), join(folder, 'prefix')];
    const install = ['install', '-g', tarball, '--prefix', prefix];
    execFileSync('npm', install, { env, stdio: 'ignore' });
    const paths = files.map(({ path }: { path: string }) => path);
    return { tarball, prefix, files: paths, settings };
  });
}

const NPM_FILES = ['globalconfig', 'userconfig', 'cache'];

/**
 * Where npm looks for its settings and packages: in another home or prefix it would look elsewhere. Only its packages are
 * those of the person's cache: there, npx would leave what it installs.
 */
function npmSettings(cache: string): Record<string, string> {
  // An npm that runs these tests has told; only of another runner's it is asked.
  const told = NPM_FILES.map((name) => process.env[`npm_config_${name}`] ?? '');
  const ask = () =>
    execFileSync('npm', ['config', 'get', ...NPM_FILES], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .split('\n')
      .map((line) => line.slice(line.indexOf('=') + 1));
  const [globalconfig = '', userconfig = '', usual = ''] = told.includes('') ? ask() : told;
  for (const part of ['content-v2', 'index-v5']) {
    const packages = join(usual, '_cacache', part);
    mkdirSync(join(cache, '_cacache'), { recursive: true });
    if (existsSync(packages)) symlinkSync(packages, join(cache, '_cacache', part));
  }
  const quick = { prefer_offline: 'true', audit: 'false', fund: 'false', update_notifier: 'false' };
  const settings = Object.entries({ globalconfig, userconfig, cache, ...quick });
  return Object.fromEntries(settings.map(([name, value]) => [`npm_config_${name}`, value]));
}

/** Without the settings that the npm of `npm test` hands down, but for those of the network. */
export function npmEnvironment({ settings }: Pick<Packed, 'settings'>): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?!config_(cafile|registry)$)/i.test(name),
  );
  return { ...Object.fromEntries(own), ...settings };
}

// The archive of a hundred megabytes only has to be one.
const GZIP = `#!${process.execPath}
process.stdin.pipe(require('zlib').createGzip({ level: 0, chunkSize: 2 ** 20 })).pipe(process.stdout);
`;

/** Runs `npm run portable` once, since it takes ten seconds. */
export function portableFolder(): Promise<string> {
  return oncePerRun('portable', (folder) => {
    writeFileSync(join(folder, 'gzip'), GZIP, { mode: 0o755 });
    const script = join(ROOT, 'scripts', 'portable.js');
    const PATH = `${folder}:${process.env.PATH}`;
    execFileSync(process.execPath, [script], {
      env: { ...process.env, PATH, TODOWRITE_PORTABLE: folder },
    });
    return folder;
  });
}
