// Builds dist/: the library as one ESM file with its types, the programs as one CommonJS file each, and the executables,
// which load a program. Programs are bundled CommonJS because their start-up is most of what a short command costs.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { pageScript } from './page-script.js';
import { twoPrograms } from './two-programs.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const inRoot = (path) => join(root, path);
const { version } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));

// Built beside the old one and then renamed, so that dist/ is always complete.
const building = mkdtempSync(inRoot('.dist-'));
process.once('exit', () => rmSync(building, { recursive: true, force: true }));
const out = (path) => join(building, 'dist', path);

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  loader: { '.md': 'text', '.sh': 'text', '.txt': 'text', '.html': 'text' },
  // Its own entry for bundlers; the other one loads its parts by names made at run time.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  define: { PACKAGE_VERSION: JSON.stringify(version) },
  plugins: [{ name: 'scripts for browsers', setup: bundlePageScripts }],
  absWorkingDir: root,
  logLevel: 'warning',
};
const minified = {
  format: 'cjs',
  minifySyntax: true,
  minifyWhitespace: true,
  minifyIdentifiers: true,
};

/** The program of each agent command. A new task command is listed in TASK_FORMS. */
async function commandPrograms() {
  const list = inRoot('src/tasks/task-commands.ts');
  const outfile = join(building, 'commands.mjs');
  await build({ ...common, entryPoints: [list], format: 'esm', outfile });
  const { TASK_FORMS } = await import(outfile);
  return {
    TodoWrite: 'todo-write',
    TodoRead: 'todo-read',
    TodoProve: 'todo-prove',
    ...Object.fromEntries(TASK_FORMS.map(({ name }) => [name, 'tasks'])),
  };
}

const commands = await commandPrograms();
keepBinInStep();

/** npm makes a link for each executable that package.json names; it repeats them in its lock file, sorted. */
function keepBinInStep() {
  const bin = { 'agent-shell': 'dist/bin/agent-shell.cjs' };
  const names = Object.keys(commands).sort((a, b) => a.localeCompare(b, 'en'));
  for (const name of names) bin[name] = `dist/bin/commands/${name}`;
  for (const name of ['package.json', 'package-lock.json']) {
    const file = inRoot(name);
    const text = readFileSync(file, 'utf8');
    const settings = JSON.parse(text);
    (settings.packages?.[''] ?? settings).bin = bin;
    const inStep = `${JSON.stringify(settings, null, 2)}\n`;
    if (inStep !== text) writeFileSync(file, inStep);
  }
}

/** First arguments of agent-shell with their own program, for faster start-up. */
const subprograms = {
  hook: 'agent-hook',
  'prompt-panel': 'prompt-panel',
  '--mend': 'mend-line',
};
const programs = [
  'agent-shell',
  ...Object.values(subprograms),
  ...new Set(Object.values(commands)),
];
const [library] = await Promise.all([
  build({
    ...common,
    metafile: true,
    entryPoints: ['src/bin/library.ts'],
    outfile: out('index.js'),
    format: 'esm',
    packages: 'external',
  }),
  build({
    ...common,
    ...minified,
    entryPoints: programs.map((name) => `src/bin/${name}.ts`),
    outdir: out('programs'),
    outExtension: { '.js': '.cjs' },
    // Compiled scripts have no import().
    supported: { 'dynamic-import': false },
    plugins: [
      ...common.plugins,
      { name: 'shell-quote when it is needed', setup: loadShellQuoteLate },
    ],
  }),
]);

// esbuild keeps these characters in patterns, and V8 needs twice the memory for a text with one of them.
for (const name of programs) {
  const file = out(`programs/${name}.cjs`);
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(file, readFileSync(file, 'utf8').replace(/[^\0-\x7f]/g, escaped));
}

/**
 * In a script `require` is bundled, and what it names runs when it is called.
 *
 * @param {import('esbuild').PluginBuild} build
 */
function loadShellQuoteLate({ onLoad }) {
  const contents = `export const loadParse = () => require('shell-quote/parse.js');`;
  onLoad({ filter: /[\\/]line[\\/]shell-quote\.ts$/ }, () => ({ contents }));
}

// The entry for a Node that is too old to parse the library: it checks the version before it imports. package.json leads
// those here that do not know the condition module-sync.
const { outputFiles: looks } = await build({
  ...common,
  entryPoints: ['src/bin/supported-runtime.ts'],
  format: 'esm',
  target: 'node12',
  write: false,
});
const [{ exports: names }] = Object.values(library.metafile.outputs);
writeFileSync(
  out('any-node.js'),
  `${looks[0].text}export const { ${names.join(', ')} } = await import('./index.js');\n`,
);

/** The start of all executables, which knows no programs yet. */
async function programLoader() {
  const { outputFiles } = await build({
    ...common,
    ...minified,
    target: 'node12',
    entryPoints: ['src/bin/load-program.ts'],
    write: false,
  });
  // Old versions of Node know no node: before the names of their modules.
  return outputFiles[0].text.replaceAll('"node:', '"');
}

function programOf(name, folder) {
  const file = `programs/${name}.cjs`;
  const hash = createHash('sha256').update(readFileSync(out(file)));
  return { file: folder + file, build: hash.digest('hex').slice(0, 12) };
}

const loader = await programLoader();
/** @param programs by the name of the executable and perhaps its first argument. */
const loaderOf = (programs) => loader.replace('PROGRAMS', () => JSON.stringify(programs));
mkdirSync(out('bin/commands'), { recursive: true });
// The commands have no extension that would make them CommonJS.
writeFileSync(out('bin/package.json'), '{"type":"commonjs"}\n');
const executable = (path, text) => {
  writeFileSync(out(path), text);
  chmodSync(out(path), 0o755);
};
for (const [name, program] of Object.entries(commands)) {
  const text = loaderOf({ [name]: programOf(program, '../../') });
  executable(`bin/commands/${name}`, `#!/usr/bin/env node\n${text}`);
}
const shellPrograms = { 'agent-shell': programOf('agent-shell', '../') };
for (const [word, program] of Object.entries(subprograms)) {
  shellPrograms[`agent-shell ${word}`] = programOf(program, '../');
}
const shell = readFileSync(inRoot('src/bin/agent-shell.sh'), 'utf8');
executable('bin/agent-shell.cjs', twoPrograms(shell, loaderOf(shellPrograms)));
const BASH_FILES = [
  ...['prompt/interactive', 'prompt/prompt-hooks', 'prompt/after-profile', 'bin/suspect-line'],
];
for (const path of BASH_FILES) {
  copyFileSync(inRoot(`src/${path}.bash`), out(`bin/${basename(path)}.bash`));
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

/** @param {import('esbuild').PluginBuild} build */
function bundlePageScripts(build) {
  build.onLoad({ filter: /\/page\.ts$/ }, ({ path, suffix }) =>
    suffix === '?script' ? { contents: pageScript(path), loader: 'text' } : undefined,
  );
}
