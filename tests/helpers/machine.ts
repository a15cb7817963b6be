import { accessSync, constants, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { orElse } from '../../src/base/system/files.ts';

// Requirements of some tests only. Without them these are skipped, and the end of the run lists once what was missing.

const folder = () => join(process.env.TEST_FOLDER ?? tmpdir(), 'missing');

/** Records what is missing. */
export function isHere(what: string, found: boolean): boolean {
  if (!found) {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), encodeURIComponent(what)), '');
  }
  return found;
}

/** So far in this run. */
export function missing(): string[] {
  return orElse(() => readdirSync(folder()), [])
    .map(decodeURIComponent)
    .sort();
}

/** Only root gives files to other users. */
export const isRoot = (): boolean => isHere('root', process.getuid?.() === 0);

/** On PATH, or as paths. */
export function hasPrograms(...names: readonly string[]): boolean {
  return names.map((name) => isHere(name, isProgram(name))).every(Boolean);
}

function isProgram(name: string): boolean {
  const folders = name.includes('/') ? [''] : (process.env.PATH ?? '').split(delimiter);
  return folders.some((at) =>
    orElse(() => {
      accessSync(join(at, name), constants.X_OK);
      return statSync(join(at, name)).isFile();
    }, false),
  );
}
