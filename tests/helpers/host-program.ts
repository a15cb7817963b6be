import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENV } from './bash.ts';
import { bundled } from './bundle.ts';
import { type RunningProgram, startProgram } from './executables.ts';
import { temporaryDirectory } from './files.ts';

/** A program that uses the library, in its own process. */
export interface HostProgram extends RunningProgram {
  /** For its sessions' private files. */
  readonly tmp: string;
}

/**
 * Starts a program.
 *
 * @param source JavaScript that imports one of the library's modules, under `./src/`.
 * @param wrapper a program and arguments to run it with, such as a sandbox.
 */
export async function startHost(
  source: string,
  nodeOptions: string[] = [],
  { wrapper = [], env = {} }: { wrapper?: readonly string[]; env?: Record<string, string> } = {},
): Promise<HostProgram> {
  const outfile = join(temporaryDirectory(), 'host.mjs');
  const [, module = ''] = /from '\.\/(src\/.*)'/.exec(source) ?? [];
  const library = await bundled(join(import.meta.dirname, '../..', module));
  writeFileSync(outfile, source.replace(`./${module}`, library));
  const tmp = temporaryDirectory();
  const [program = '', ...argv] = [...wrapper, process.execPath, ...nodeOptions, outfile];
  const cwd = temporaryDirectory();
  const running = startProgram(program, argv, {
    cwd,
    env: { ...ENV, TMPDIR: tmp, ...env },
    isOpen: true,
  });
  return { ...running, tmp };
}
