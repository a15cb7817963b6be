import { accessSync, constants, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

// What only some tests need. Without it they are skipped, and the end of the run says once what was missing.

const folder = () => join(process.env.TEST_FOLDER ?? tmpdir(), 'missing');

/** Whether this machine has something, which is noted for the end of the run where it has not. */
export function isHere(what: string, found: boolean): boolean {
  if (!found) {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), encodeURIComponent(what)), '');
  }
  return found;
}

/** What tests of this run have missed so far. */
export function missing(): string[] {
  try {
    return readdirSync(folder()).map(decodeURIComponent).sort();
  } catch {
    return [];
  }
}

/** Only root gives files to other users. */
export const isRoot = (): boolean => isHere('root', process.getuid?.() === 0);

/** Whether all these programs are on PATH, or are paths of programs. */
export function hasPrograms(...names: readonly string[]): boolean {
  return names.map((name) => isHere(name, isProgram(name))).every(Boolean);
}

function isProgram(name: string): boolean {
  const folders = name.includes('/') ? [''] : (process.env.PATH ?? '').split(delimiter);
  return folders.some((at) => {
    try {
      accessSync(join(at, name), constants.X_OK);
      return statSync(join(at, name)).isFile();
    } catch {
      return false;
    }
  });
}
