import { buildSync } from 'esbuild';

/**
 * A script for browsers with everything that it imports, as text: what `import script from './page.ts?script'` gives.
 *
 * @param {string} file
 */
export function pageScript(file) {
  const { outputFiles } = buildSync({
    entryPoints: [file],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    minify: true,
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}
