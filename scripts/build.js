// Builds dist/: the library as one ESM file with its types, each executable as one CommonJS file.
// Executables are bundled CommonJS because their start-up is most of what a short command costs.
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const inRoot = (path) => join(root, path);
const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  loader: { '.md': 'text', '.sh': 'text' },
  define: { PACKAGE_VERSION: JSON.stringify(version) },
  absWorkingDir: root,
  logLevel: 'warning',
};

await Promise.all([
  build({
    ...common,
    entryPoints: ['src/index.ts'],
    outfile: 'dist/index.js',
    format: 'esm',
    packages: 'external',
  }),
  build({
    ...common,
    entryPoints: { 'agent-shell': 'src/cli/agent-shell.ts' },
    outdir: 'dist/bin',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    banner: { js: '#!/usr/bin/env node' },
  }),
]);
chmodSync(inRoot('dist/bin/agent-shell.cjs'), 0o755);

const tsc = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin/tsc',
);
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.types.json'], { cwd: root, stdio: 'inherit' });
