import { randomBytes } from 'node:crypto';
import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders, readOwnFile } from '../base/system/files.ts';

const TOKEN_FORM = /^[\w-]{32}$/;

/** Unguessable text that is valid in a URL. */
export function randomText(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * The token from a private file, created if needed, so that an open page finds its server again after a restart. If the
 * file cannot be written, the token lasts for this run only.
 */
export function tokenIn(file: string): string {
  try {
    const kept = readOwnFile(file).toString().trim();
    const { mode, uid } = lstatSync(file);
    const isPrivate = (mode & 0o077) === 0 && uid === process.getuid?.();
    if (TOKEN_FORM.test(kept) && isPrivate) return kept;
  } catch {
    // There is no token yet.
  }
  const token = randomText();
  try {
    makeFolders(dirname(file));
    rmSync(file, { force: true });
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
  } catch {}
  return token;
}
