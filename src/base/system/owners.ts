import { accessSync, constants, lstatSync, readFileSync } from 'node:fs';
import { quote } from '../line/quotes.ts';
import { orElse } from './files.ts';

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
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return false;
  } catch {
    return orElse(() => lstatSync(path).isDirectory(), false);
  }
}

/** For a link, the owner of the link. */
function ownerOf(path: string): number | undefined {
  return orElse(() => lstatSync(path, { throwIfNoEntry: false })?.uid, undefined);
}
