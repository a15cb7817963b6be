import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '../environment.ts';

/**
 * The first file below the subfolders of `folder` that git tracks, if that is in a work tree. Lists are in subfolders; a
 * `.gitignore` beside them may be tracked. Undefined, too, where there is no git.
 */
export function trackedFile(folder: string, environment: Environment): string | undefined {
  if (!existsSync(folder) || !isInWorkTree(folder)) return undefined;
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  // Variables of git, as its hooks have them, may name another repository; fsmonitor would be a program of this one's.
  const env = Object.entries(environment).filter(([name]) => !name.startsWith('GIT_'));
  const options = ['-c', 'safe.directory=*', '-c', 'core.fsmonitor=false'];
  const { stdout } = spawnSync('git', [...options, '-C', folder, 'ls-files', '-z'], {
    env: Object.fromEntries(env),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  return stdout?.split('\0').find((path) => /^[^./][^/]*\//.test(path));
}

function isInWorkTree(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  const parent = dirname(folder);
  return parent !== folder && isInWorkTree(parent);
}
