import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from '../environment.ts';
import { orElse } from './files.ts';

/** Used without a PATH, as bash does. */
export const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * The absolute path of a program on `env.PATH`. Empty and relative entries are skipped: anybody may own the current
 * directory.
 */
export function findProgram(name: string, env: Environment): string | undefined {
  return (env.PATH ?? DEFAULT_PATH)
    .split(delimiter)
    .filter((directory) => directory.startsWith('/'))
    .map((directory) => join(directory, name))
    .find(isProgram);
}

/** Absolute, since shebang lines need that. */
export function findBash(env: Environment): string {
  return findProgram('bash', env) ?? '/bin/bash';
}

/** A folder is executable too, but no program. */
export function isProgram(file: string): boolean {
  return canRun(file) && statSync(file).isFile();
}

export const canRun = (file: string) => canAccess(file, constants.X_OK);

export const canReadAndWrite = (file: string) => canAccess(file, constants.R_OK | constants.W_OK);

function canAccess(file: string, mode: number): boolean {
  return orElse(() => accessSync(file, mode) === undefined, false);
}
