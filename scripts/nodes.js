// Runs the built product on every supported line of Node, each from its npm package in .nodes/:
//   node scripts/nodes.js smoke                  what each way in needs of Node, in some seconds; Bun and Deno are refused
//   node scripts/nodes.js test [ARGUMENT ...]    the whole suite; the arguments are vitest's
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The oldest supported version, and the newest of each later line. */
const VERSIONS = ['20.19.0', '22', '24', '26'];

const machine = `${process.platform}-${process.arch}`;
/** Runtimes that are refused. */
const OTHERS = {
  Bun: { name: `@oven/bun-${machine}`, program: 'bin/bun', argv: [] },
  Deno: {
    name: `@deno/${machine}${process.platform === 'linux' ? '-glibc' : ''}`,
    program: 'deno',
    argv: ['run', '-A'],
  },
};

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const LIST = { content: 'Build', activeForm: 'Building', status: 'in_progress' };
const JSON_LIST = JSON.stringify({ todos: [LIST] });
const UPDATED = 'Todo list updated: 0 completed, 1 in_progress, 0 pending\n';
const SHOWN = '[>] Build <- Building\n\n(0/1 completed)\n';

/** @returns the path of the program in the package. */
function install(folderName, name, version, program) {
  const folder = join(root, '.nodes', folderName);
  const path = join(folder, 'node_modules', name, program);
  if (!existsSync(path)) {
    // npm writes a package.json, which must not be the project's.
    mkdirSync(folder, { recursive: true });
    const options = [
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--prefix',
      folder,
    ];
    run('npm', ['install', ...options, `${name}@${version}`], process.env);
  }
  return path;
}

function run(program, args, env, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    env,
    encoding: 'utf8',
    timeout: 300_000,
    ...options,
  });
  if (error) throw error;
  assert.equal(status, 0, `${program} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

const COMPOSED = `: && printf %s '${JSON_LIST}' | TodoWrite - | cat`;
const PROGRAM = `
  const router = new BashRouter();
  (async () => {
    for (const line of [${JSON.stringify(`TodoWrite '${JSON_LIST}'`)}, ${JSON.stringify(COMPOSED)}, 'TodoRead | cat']) {
      const { stdout, stderr, exitCode } = await router.route(line);
      if (exitCode !== 0) throw new Error(stderr);
      process.stdout.write(stdout);
    }
    await router.dispose();
  })();`;

/** A project that has this package. @returns the folder of its executables. */
function makeHost(folder) {
  const modules = join(folder, 'node_modules');
  const commands = join(modules, '.bin');
  mkdirSync(commands, { recursive: true });
  symlinkSync(root, join(modules, 'todowrite'));
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const [name, file] of Object.entries(bin)) {
    symlinkSync(join('..', 'todowrite', file), join(commands, name));
  }
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  writeFileSync(join(folder, 'import.mjs'), `import { BashRouter } from 'todowrite';${PROGRAM}`);
  const required = `const { BashRouter } = require('todowrite');${PROGRAM}`;
  writeFileSync(join(folder, 'require.cjs'), required);
  return commands;
}

/** Calls each kind of executable, and the library, as their users do. */
function smoke(env, cwd) {
  const commands = makeHost(cwd);
  const call = (name, args = [], input = '') =>
    run(join(commands, name), args, env, { cwd, input });
  assert.equal(call('TodoWrite', [JSON_LIST]), UPDATED);
  assert.equal(call('TodoWrite', ['-'], JSON_LIST), UPDATED);
  assert.equal(call('TodoRead'), SHOWN);
  assert.match(call('TaskCreate', ['--subject', 'Ship it']), /#1/);
  assert.match(call('TaskClaim', ['--next']), /#1/);
  assert.equal(call('agent-shell', ['-c', `true && TodoWrite '${JSON_LIST}'`]), UPDATED);
  assert.equal(call('agent-shell', ['-c', 'echo hi; exit 0']), 'hi\n');
  const reply = JSON.parse(
    call('agent-shell', ['--jsonl'], JSON.stringify({ id: 1, command: COMPOSED })),
  );
  assert.equal(reply.stdout, UPDATED);
  for (const program of ['import.mjs', 'require.cjs']) {
    assert.equal(run('node', [program], env, { cwd }), UPDATED + UPDATED + SHOWN);
  }
}

/** A runtime that is not Node gets one line instead of a stack trace. */
function smokeRefusal(which, cwd) {
  const { name, program, argv } = OTHERS[which];
  makeHost(cwd);
  const runtime = install(which.toLowerCase(), name, '*', program);
  const options = { cwd, encoding: 'utf8', timeout: 300_000 };
  const { status, stdout, stderr } = spawnSync(runtime, [...argv, 'import.mjs'], options);
  assert.deepEqual({ status, stdout }, { status: 1, stdout: '' });
  assert.match(
    stderr,
    new RegExp(`^todowrite: needs Node 20\\.19 or newer .*, not ${which} [\\d.]+\n$`),
  );
}

function inFolder(use) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'todowrite-smoke-')));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [mode, ...args] = process.argv.slice(2);
if (mode !== 'smoke' && mode !== 'test') {
  console.error('usage: node scripts/nodes.js smoke|test [ARGUMENT ...]');
  process.exit(2);
}
for (const version of VERSIONS) {
  const node = install(version, `node-${machine}`, version, 'bin/node');
  const env = { ...process.env, PATH: dirname(node) + delimiter + process.env.PATH };
  const which = run('node', ['--version'], env).trim();
  console.log(`Node ${which}: ${mode}`);
  if (mode === 'smoke') {
    inFolder((folder) => {
      const TODO_STATE_DIR = join(folder, 'state');
      const own = {
        TODO_STATE_DIR,
        TODO_SESSION: 'smoke',
        TODO_AGENT: 'smoke',
        TODO_TEAM: 'smoke',
      };
      smoke({ ...env, ...own }, folder);
    });
  } else {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const { status } = spawnSync('node', [vitest, 'run', ...args], {
      env,
      cwd: root,
      stdio: 'inherit',
    });
    if (status !== 0) process.exitCode = 1;
  }
}
for (const which of mode === 'smoke' ? Object.keys(OTHERS) : []) {
  console.log(`${which}: ${mode}`);
  inFolder((folder) => smokeRefusal(which, folder));
}
