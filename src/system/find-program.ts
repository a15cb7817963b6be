import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from '../environment.ts';

/** Where to look for programs without a PATH; bash has such a default, too. */
export const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * The absolute path of the program that `env.PATH` finds under this name, or undefined. Empty and relative entries of PATH are
 * left out: what they find depends on the current directory, which may be anybody's.
 */
export function findProgram(name: string, env: Environment): string | undefined {
  return (env.PATH ?? DEFAULT_PATH)
    .split(delimiter)
    .filter((directory) => directory.startsWith('/'))
    .map((directory) => join(directory, name))
    .find(isProgram);
}

/** The bash that `env.PATH` finds, as an absolute path: shebang lines need one. */
export function findBash(env: Environment): string {
  return findProgram('bash', env) ?? '/bin/bash';
}

/** Whether a file is a program. A folder is not one, though its owner may enter it. */
export function isProgram(file: string): boolean {
  return canRun(file) && statSync(file).isFile();
}

/** Whether a file is there, and may be run. */
export const canRun = (file: string) => canAccess(file, constants.X_OK);

/** Whether a file is there, and was not shut off. */
export const canReadAndWrite = (file: string) => canAccess(file, constants.R_OK | constants.W_OK);

function canAccess(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}
