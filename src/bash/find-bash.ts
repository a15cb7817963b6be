import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The bash that `env.PATH` finds, as an absolute path: shebang lines need one. */
export function findBash(env: Readonly<Record<string, string | undefined>>): string {
  for (const directory of (env.PATH ?? '').split(delimiter)) {
    const file = join(directory, 'bash');
    if (directory.startsWith('/') && isExecutable(file)) {
      return file;
    }
  }
  return '/bin/bash';
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
