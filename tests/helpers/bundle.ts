import { join } from 'node:path';
import { build } from 'esbuild';
import { oncePerRun } from './once-per-run.ts';

/** Bundles a TypeScript file for a Node of its own, once for all tests of a run. Resolves to the path of the bundle. */
export function bundled(entry: string): Promise<string> {
  return oncePerRun(`bundle${entry.replace(/\W+/g, '-')}`, async (folder) => {
    const outfile = join(folder, 'bundle.mjs');
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      loader: { '.md': 'text', '.sh': 'text', '.txt': 'text', '.html': 'text' },
      // CommonJS libraries need what an ESM bundle lacks.
      banner: {
        js: "import { createRequire } from 'node:module';const require = createRequire('/');",
      },
      alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
      logLevel: 'warning',
    });
    return outfile;
  });
}
