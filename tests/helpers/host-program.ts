import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ENV } from './bash.ts';
import { type RunningProgram, startProgram } from './executables.ts';
import { temporaryDirectory } from './files.ts';
import { oncePerRun } from './once-per-run.ts';

/** A program that uses the library, in its own process. */
export interface HostProgram extends RunningProgram {
  /** For its sessions' private files. */
  readonly tmp: string;
}

/** A module of the library as one file, bundled once for all tests of a run. */
function bundled(module: string): Promise<string> {
  return oncePerRun(`host-${module.replace(/\W+/g, '-')}`, async (folder) => {
    const outfile = join(folder, 'module.mjs');
    await build({
      entryPoints: [join(import.meta.dirname, '../..', module)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      loader: { '.md': 'text', '.sh': 'text' },
      // CommonJS libraries need what an ESM bundle lacks.
      banner: {
        js: "import { createRequire } from 'node:module';const require = createRequire('/');",
      },
      logLevel: 'error',
    });
    return outfile;
  });
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
  writeFileSync(outfile, source.replace(`./${module}`, await bundled(module)));
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
