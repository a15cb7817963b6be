import { accessSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ROOM = 1024 ** 3;

/**
 * The folder for tests' files: in memory, if that has room and allows programs. They create thousands of folders; on a disk
 * that took a third of the suite's time. TMPDIR names another place.
 */
export function temporaryFolder(): string {
  return process.env.TMPDIR ?? (isFit(MEMORY) ? MEMORY : tmpdir());
}

function isFit(folder: string): boolean {
  let own: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(folder);
    own = mkdtempSync(join(folder, 'todowrite-test-'));
    const program = join(own, 'program');
    writeFileSync(program, '', { mode: 0o755 });
    accessSync(program, constants.X_OK);
    return bavail * bsize >= ROOM;
  } catch {
    return false;
  } finally {
    if (own) rmSync(own, { recursive: true });
  }
}
