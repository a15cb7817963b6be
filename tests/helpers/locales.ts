import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './files.ts';
import { isHere } from './machine.ts';

/** Bash considers these printable. A real language, all of it, takes ten times as long to build. */
const HAN = '<U4E00>..<U9FFF>';
const CHARACTERS = `LC_CTYPE
alpha <U0041>..<U005A>;<U0061>..<U007A>;${HAN}
graph <U0021>..<U007E>;${HAN}
print <U0020>..<U007E>;${HAN}
END LC_CTYPE
`;

/**
 * The environment of a locale with this character set, such as GBK or BIG5, in which a character may end with the byte of a
 * backslash. Created for the test; undefined without localedef(1) or its sources.
 */
export function localeWith(charset: string): Record<string, string> | undefined {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'characters'), CHARACTERS);
  const argv = ['-c', '-i', join(folder, 'characters'), '-f', charset, join(folder, charset)];
  spawnSync('localedef', argv);
  const locale = { LOCPATH: folder, LC_ALL: charset };
  const env = { ...process.env, ...locale };
  const { stdout } = spawnSync('locale', ['charmap'], { env, encoding: 'utf8' });
  const isMade = isHere(`localedef or the sources of ${charset}`, stdout?.trim() === charset);
  return isMade ? locale : undefined;
}
