import { accessSync, constants, lstatSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from '../environment.ts';
import { quote } from '../line/quotes.ts';
import { orElse } from './files.ts';

// What this user may do with a file, and whose it is.

/** Used without a PATH, as bash does. */
export const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The absolute path of a program on `env.PATH`; not in the current directory, which anybody may own. */
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
export const isProgram = (file: string) => canRun(file) && statSync(file).isFile();
export const canRun = (file: string) => canAccess(file, constants.X_OK);
export const canReadAndWrite = (file: string) => canAccess(file, constants.R_OK | constants.W_OK);

function canAccess(file: string, mode: number): boolean {
  return orElse(() => accessSync(file, mode) === undefined, false);
}

/** True if a file exists and belongs to this user or root. To root, a user's files count within that user's `folder`. */
export function isTrusted(path: string, folder?: string): boolean {
  const owner = ownerOf(path);
  const own = process.getuid?.() ?? owner;
  return owner !== undefined && [0, own, own === 0 && folder && ownerOf(folder)].includes(owner);
}

/** Says whose a file is, and how to make it this user's; undefined if it is, or does not exist. */
export function ofOther(path: string): string | undefined {
  const [owner, own] = [ownerOf(path), process.getuid?.()];
  if (owner === undefined || own === undefined || owner === own) return undefined;
  const users = orElse(() => readFileSync('/etc/passwd', 'utf8').split('\n'), []);
  const named = users.map((line) => line.split(':')).find(([, , uid]) => uid === `${owner}`);
  return `belongs to ${named?.[0] ?? `user ${owner}`}; to make it yours: sudo chown -R ${own} ${quote(path)}`;
}

/** True of a folder that this user cannot enter or read. */
export function isClosedFolder(path: string): boolean {
  if (canAccess(path, constants.R_OK | constants.X_OK)) return false;
  return orElse(() => lstatSync(path).isDirectory(), false);
}

/** For a link, the owner of the link. */
function ownerOf(path: string): number | undefined {
  return orElse(() => lstatSync(path, { throwIfNoEntry: false })?.uid, undefined);
}
