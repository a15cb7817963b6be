import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { onTestFinished } from 'vitest';
import { temporaryDirectory } from './files.ts';

/** Bundles a TypeScript file for another Node. @returns the path of the bundle. */
export function bundle(entry: string, finished?: typeof onTestFinished): string {
  const outfile = join(temporaryDirectory(finished), 'bundle.cjs');
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    loader: { '.md': 'text', '.sh': 'text', '.txt': 'text', '.html': 'text' },
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    logLevel: 'warning',
  });
  return outfile;
}
