import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * A directory that is removed with the test.
 *
 * @param finished a concurrent test's own `onTestFinished`.
 */
export function temporaryDirectory(finished = onTestFinished): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'todowrite-test-')));
  // A process that the test has ended may be writing its last file.
  finished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
  return directory;
}

/** At any depth. */
export function listFiles(directory: string): string[] {
  for (;;) {
    try {
      return readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
    } catch (error) {
      // A folder in it was just removed.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !existsSync(directory)) throw error;
    }
  }
}
