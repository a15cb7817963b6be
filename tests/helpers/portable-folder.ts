import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { oncePerRun } from './once-per-run.ts';

/** Runs `npm run portable` once, since it takes ten seconds. */
export function portableFolder(): Promise<string> {
  return oncePerRun('portable', (folder) => {
    execFileSync(
      process.execPath,
      [join(import.meta.dirname, '..', '..', 'scripts', 'portable.js')],
      {
        // The archive of a hundred megabytes only has to be one.
        env: { ...process.env, TODOWRITE_PORTABLE: folder, GZIP: '-1' },
      },
    );
    return folder;
  });
}
