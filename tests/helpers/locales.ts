import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { temporaryDirectory } from './files.ts';
import { isHere } from './machine.ts';

/**
 * The environment of a locale with this character set, such as GBK or BIG5, in which a character may end with the byte of a
 * backslash. Created for the test; undefined without localedef(1) or its sources.
 *
 * @param language decides which characters bash considers printable. POSIX, with few of them, is quick to build.
 */
export function localeWith(
  charset: string,
  language = 'POSIX',
): Record<string, string> | undefined {
  const folder = temporaryDirectory();
  // Characters depend on the character set alone.
  spawnSync('localedef', ['-c', '-i', language, '-f', charset, join(folder, charset)]);
  const locale = { LOCPATH: folder, LC_ALL: charset };
  const env = { ...process.env, ...locale };
  const { stdout } = spawnSync('locale', ['charmap'], { env, encoding: 'utf8' });
  const isMade = isHere(`localedef or the sources of ${charset}`, stdout?.trim() === charset);
  return isMade ? locale : undefined;
}
