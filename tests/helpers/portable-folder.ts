import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { oncePerRun } from './once-per-run.ts';

// The archive of a hundred megabytes only has to be one.
const GZIP = `#!${process.execPath}
process.stdin.pipe(require('zlib').createGzip({ level: 0 })).pipe(process.stdout);
`;

/** Runs `npm run portable` once, since it takes ten seconds. */
export function portableFolder(): Promise<string> {
  return oncePerRun('portable', (folder) => {
    writeFileSync(join(folder, 'gzip'), GZIP, { mode: 0o755 });
    const script = join(import.meta.dirname, '..', '..', 'scripts', 'portable.js');
    const PATH = `${folder}:${process.env.PATH}`;
    execFileSync(process.execPath, [script], {
      env: { ...process.env, PATH, TODOWRITE_PORTABLE: folder },
    });
    return folder;
  });
}
