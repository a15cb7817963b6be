import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reasonOf, safeText } from '../../base/safe-text.ts';
import {
  appendOwnFile,
  makeFolders,
  orElse,
  readOwnFile,
  writeOwnFile,
} from '../../base/system/files.ts';

/** Names of sessions' folders do not end in `~`. */
const LOG_FILE = 'hook.log~';
const MAX_LOG_BYTES = 64 * 1024;
const MAX_LOG_CHARACTERS = 400;

/** The log of errors, one line each, which must not disturb the harness. */
export function hookLog(stateFolder: string): string {
  return join(stateFolder, LOG_FILE);
}

/** Adds a line. Never throws. */
export function logFailure(log: () => string, event: string, error: unknown, at: Date): void {
  try {
    const path = log();
    const reason = reasonOf(error);
    makeFolders(dirname(path));
    const line = safeText(`${at.toISOString()} ${event || 'hook'}: ${reason}`, MAX_LOG_CHARACTERS);
    const isFull = (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES;
    (isFull ? writeOwnFile : appendOwnFile)(path, `${line}\n`);
  } catch {}
}

/** The last lines, the newest last. */
export function lastFailures(path: string, most: number): string[] {
  const text = orElse(() => readOwnFile(path).toString(), '');
  return text.split('\n').filter(Boolean).slice(-most);
}
