// Builds dist/: the library as one ESM file with its types, each executable as one CommonJS file.
// Executables are bundled CommonJS because their start-up is most of what a short command costs.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const inRoot = (path) => join(root, path);
const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));

const HASHBANG = '#!/usr/bin/env node';
const taskCommands = ['create', 'update', 'list', 'get', 'claim', 'release'];
const executables = [
  'agent-shell',
  'agent-hook',
  'todo-write',
  'todo-read',
  ...taskCommands.map((name) => `task-${name}`),
];

/**
 * Those whose start-up counts most, with the arguments of a run that uses most of them: what V8 compiles in it is kept,
 * for program-loader.cjs to use.
 */
const LIST =
  '{"todos":[{"content":"Build","activeForm":"Building","status":"in_progress","id":"1"}]}';
const HOOK_INPUT =
  '{"session_id":"build","hook_event_name":"PostToolUse","tool_input":{"command":"npm test"},"tool_response":{}}';
const precompiled = new Map([
  ['agent-shell', ['-c', `:; TodoWrite '${LIST}'`]],
  ['todo-write', [LIST]],
  ['todo-read', []],
  ['agent-hook', []],
]);

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  loader: { '.md': 'text', '.sh': 'text', '.txt': 'text' },
  // Its own entry for bundlers; the other one loads its parts by names made at run time.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  define: { PACKAGE_VERSION: JSON.stringify(version) },
  absWorkingDir: root,
  logLevel: 'warning',
};

// Built beside the old one and then put in its place, so that who uses dist/ meanwhile finds it whole.
const building = mkdtempSync(inRoot('.dist-'));
process.once('exit', () => rmSync(building, { recursive: true, force: true }));
const out = (path) => join(building, 'dist', path);
await Promise.all([
  build({
    ...common,
    entryPoints: ['src/index.ts'],
    outfile: out('index.js'),
    format: 'esm',
    packages: 'external',
  }),
  build({
    ...common,
    entryPoints: executables.map((name) => `src/bin/${name}.ts`),
    outdir: out('bin'),
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    banner: { js: HASHBANG },
  }),
]);
mkdirSync(out('programs'));
const loader = readFileSync(inRoot('scripts/program-loader.cjs'));
for (const name of precompiled.keys()) {
  const program = readFileSync(out(`bin/${name}.cjs`), 'utf8');
  writeFileSync(out(`programs/${name}.cjs`), program.slice(HASHBANG.length));
  writeFileSync(out(`bin/${name}.cjs`), `${HASHBANG}\n${loader}`);
}
for (const name of executables) chmodSync(out(`bin/${name}.cjs`), 0o755);
for (const [name, argv] of precompiled) {
  const hook = inRoot('scripts/keep-compiled.cjs');
  const environment = { TODO_STATE_DIR: join(building, 'state'), TODO_SESSION: 'build' };
  execFileSync(process.execPath, ['-r', hook, out(`bin/${name}.cjs`), ...argv], {
    cwd: building,
    env: environment,
    input: name === 'agent-hook' ? HOOK_INPUT : '',
    stdio: ['pipe', 'ignore', 'inherit'],
  });
}

const tsc = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin/tsc',
);
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.types.json', '--outDir', out('types')], {
  cwd: root,
  stdio: 'inherit',
});

rmSync(inRoot('dist'), { recursive: true, force: true });
renameSync(join(building, 'dist'), inRoot('dist'));
