import { buildSync } from 'esbuild';

/**
 * Bundles a script for browsers as text, for `import script from './page.ts?script'`.
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
    banner: { js: '/* With Preact, copyright 2015-present Jason Miller, MIT License */' },
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}
