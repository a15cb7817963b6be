import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { oncePerRun } from './once-per-run.ts';

const ROOT = join(import.meta.dirname, '..', '..');

interface Packed {
  readonly tarball: string;
  /** The paths of its files. */
  readonly files: readonly string[];
  /** Where `npm install -g` has installed it, to be copied. */
  readonly prefix: string;
}

/**
 * Runs `npm pack` and `npm install` once: they take seconds. The package is built already; building it again would pull it
 * from under other tests.
 */
export function packedPackage(): Promise<Packed> {
  return oncePerRun('packed', (folder) => {
    const env = npmEnvironment();
    const argv = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const [{ filename, files }] = JSON.parse(
      execFileSync('npm', argv, { cwd: ROOT, encoding: 'utf8', env }),
    );
    const [tarball, prefix] = [join(folder, filename), join(folder, 'prefix')];
    const options = ['--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund'];
    execFileSync('npm', ['install', '-g', tarball, ...options], { env, stdio: 'ignore' });
    return { tarball, prefix, files: files.map(({ path }: { path: string }) => path) };
  });
}

const NPM_FILES = ['globalconfig', 'userconfig', 'cache'];

/** Where npm looks for its settings and packages: in another home or prefix it would look elsewhere. */
let npmFiles: Record<string, string> | undefined;

/** An npm that runs these tests has told; only of another runner's it is asked. */
function filesOfNpm(): Record<string, string> {
  if (npmFiles) return npmFiles;
  const told = NPM_FILES.map((name) => `${name}=${process.env[`npm_config_${name}`] ?? ''}`);
  const ask = () =>
    execFileSync('npm', ['config', 'get', ...NPM_FILES], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).split('\n');
  const lines = told.some((line) => line.endsWith('=')) ? ask() : told;
  npmFiles = Object.fromEntries(lines.map((line) => `npm_config_${line}`.split('=')));
  return npmFiles as Record<string, string>;
}

/** Without the settings that the npm of `npm test` hands down, but for those of the network. */
export function npmEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?!config_(cafile|registry)$)/i.test(name),
  );
  const files = filesOfNpm();
  const usual = files.npm_config_cache ?? '';
  const npm_config_cache = existsSync(usual) ? usual : join(process.env.TEST_FOLDER ?? '', 'npm');
  return { ...Object.fromEntries(own), ...files, npm_config_cache };
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
