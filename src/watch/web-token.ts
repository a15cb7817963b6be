import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const TOKEN = /^[\w-]{32}$/;

/** A text that nobody guesses, of characters that a URL may have. */
export function randomText(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * The token in a file that only its user can read; made if there is none. So a page that is open finds its server
 * again after a restart. Where the file cannot be written, the token is good for this time only.
 */
export function tokenIn(file: string): string {
  try {
    const kept = readFileSync(file, 'utf8').trim();
    if (TOKEN.test(kept)) return kept;
  } catch {
    // There is none yet.
  }
  const token = randomText();
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'w' });
  } catch {
    // Then it is not kept.
  }
  return token;
}
