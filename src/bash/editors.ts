import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../environment.ts';
import { quote } from '../line/quote.ts';
import script from './editor.sh';
import { findProgram } from './find-program.ts';

// The names of Vim, also when git or another program calls it.
const NAMES = ['vim', 'vi', 'view', 'editor'];

/**
 * Puts a small script in front of each editor that would otherwise wait for a terminal for ever.
 *
 * @param bin the directory that is first on the session's PATH.
 */
export function writeEditors(bin: string, bash: string, env: Environment): void {
  for (const name of NAMES) {
    const program = findProgram(name, env);
    if (program !== undefined) {
      const text = `#!${bash} -p\nprogram=${quote(program)}\n${script}`;
      writeFileSync(join(bin, name), text, { mode: 0o700 });
    }
  }
}
