// Runs the built product on every supported line of Node, each from its npm package in .nodes/:
//   node scripts/nodes.js smoke                  what each way in needs of Node, in some seconds
//   node scripts/nodes.js test [ARGUMENT ...]    the whole suite; the arguments are vitest's
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The oldest supported version, and the newest of each later line. */
const VERSIONS = ['20.19.0', '22', '24'];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const LIST = { content: 'Build', activeForm: 'Building', status: 'in_progress' };
const JSON_LIST = JSON.stringify({ todos: [LIST] });
const UPDATED = 'Todo list updated: 0 completed, 1 in_progress, 0 pending\n';

/** @returns the folder of that Node's executable. */
function install(version) {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = join(root, '.nodes', version);
  const bin = join(folder, 'node_modules', name, 'bin');
  if (!existsSync(join(bin, 'node'))) {
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
  return bin;
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

/** Calls each kind of executable, and the library, as their users do. */
function smoke(env, cwd) {
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const call = (name, args = [], input = '') =>
    run(join(root, bin[name]), args, env, { cwd, input });
  assert.equal(call('TodoWrite', [JSON_LIST]), UPDATED);
  assert.equal(call('TodoWrite', ['-'], JSON_LIST), UPDATED);
  assert.match(call('TodoRead'), /^\[>\] Build/);
  assert.match(call('TaskCreate', ['--subject', 'Ship it']), /#1/);
  assert.match(call('TaskClaim', ['--next']), /#1/);
  assert.equal(call('agent-shell', ['-c', `true && TodoWrite '${JSON_LIST}'`]), UPDATED);
  assert.equal(call('agent-shell', ['-c', 'echo hi; exit 0']), 'hi\n');
  const composed = `: && printf %s '${JSON_LIST}' | TodoWrite - | cat`;
  const reply = JSON.parse(
    call('agent-shell', ['--jsonl'], JSON.stringify({ id: 1, command: composed })),
  );
  assert.equal(reply.stdout, UPDATED);
  const program = `
    const { BashRouter } = await import(${JSON.stringify(pathToFileURL(join(root, 'dist/index.js')).href)});
    const router = new BashRouter();
    for (const line of [${JSON.stringify(`TodoWrite '${JSON_LIST}'`)}, ${JSON.stringify(composed)}, 'TodoRead | cat']) {
      const { stdout, stderr, exitCode } = await router.route(line);
      if (exitCode !== 0) throw new Error(stderr);
      process.stdout.write(stdout);
    }
    await router.dispose();`;
  const printed = run('node', ['--input-type=module', '-e', program], env, { cwd });
  assert.equal(printed.startsWith(UPDATED + UPDATED), true, printed);
}

const [mode, ...args] = process.argv.slice(2);
if (mode !== 'smoke' && mode !== 'test') {
  console.error('usage: node scripts/nodes.js smoke|test [ARGUMENT ...]');
  process.exit(2);
}
for (const version of VERSIONS) {
  const env = { ...process.env, PATH: install(version) + delimiter + process.env.PATH };
  const which = run('node', ['--version'], env).trim();
  console.log(`Node ${which}: ${mode}`);
  if (mode === 'smoke') {
    const folder = mkdtempSync(join(tmpdir(), 'todowrite-smoke-'));
    const state = {
      TODO_STATE_DIR: join(folder, 'state'),
      TODO_SESSION: 'smoke',
      TODO_AGENT: 'smoke',
    };
    try {
      smoke({ ...env, ...state, TODO_TEAM: 'smoke' }, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
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
