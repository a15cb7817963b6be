// Makes portable/todowrite/, which runs where there is no Node: a Node, the built programs with their compiled code, and
// bin/ with relative links; and the same as portable/todowrite.tar.gz. `--node FILE`: another Node, for another platform.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { twoPrograms } from './two-programs.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { node: { type: 'string', default: process.execPath } } });
/** Of the C library, which each system has. Images without compilers may lack any other library that Node needs. */
const OF_EACH_SYSTEM = /^(?:ld-|linux-vdso|lib(?:c|dl|m|pthread|rt)\.)/;

if (!existsSync(values.node)) fail(`--node ${values.node}: there is no such file`);
// Set by tests.
const portable = process.env.TODOWRITE_PORTABLE ?? join(root, 'portable');
mkdirSync(portable, { recursive: true });
const making = mkdtempSync(join(portable, '.new-'));
process.once('exit', () => rmSync(making, { recursive: true, force: true }));
const out = (...path) => join(making, 'todowrite', ...path);

for (const folder of ['bin', 'lib']) mkdirSync(out(folder), { recursive: true });
for (const name of ['LICENSE', 'README.md', 'package.json']) {
  copyFileSync(join(root, name), out(name));
}
cpSync(join(root, 'dist'), out('dist'), {
  recursive: true,
  filter: (path) => !/\/types$|\.compiled$/.test(path),
});
putNode(realpathSync(values.node));
putCommands();
const runsHere = spawnSync(out('lib', 'node'), ['--version']).status === 0;
if (runsHere) compile();

const target = join(portable, 'todowrite');
rmSync(target, { recursive: true, force: true });
renameSync(out(), target);
// Compiled code counts only if the caller or root owns it.
tar(
  '-czf',
  `${target}.tar.gz`,
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '-C',
  portable,
  'todowrite',
);

const size = (path) =>
  Number(execFileSync('du', ['-sm', path], { encoding: 'utf8' }).split('\t')[0]);
console.log(
  `portable/todowrite: ${size(target)} MB; portable/todowrite.tar.gz: ${size(`${target}.tar.gz`)} MB`,
);
if (!runsHere) {
  console.log('This Node does not run here: the folder starts more slowly, without compiled code.');
}

function putNode(source) {
  const node = out('lib', 'node');
  copyFileSync(source, node);
  chmodSync(node, 0o755);
  const stripped = spawnSync('strip', ['--strip-unneeded', node], { encoding: 'utf8' });
  if (stripped.error) console.log('strip is not here (binutils): the folder is 13 MB larger.');
  const loaded = spawnSync('ldd', [node], { encoding: 'utf8' }).stdout ?? '';
  const needed = [...loaded.matchAll(/(\S+) => (\/\S+|not found)/g)].filter(
    ([, name]) => !OF_EACH_SYSTEM.test(name),
  );
  if (needed.length === 0 || needed.some(([, , path]) => path === 'not found')) {
    console.log(
      'Not put beside Node: the libraries that it needs, such as libstdc++.so.6. The image must have them.',
    );
    return;
  }
  for (const [, name, path] of needed) copyFileSync(path, out('lib', name));
  const patched = spawnSync('patchelf', ['--set-rpath', '$ORIGIN', node], { encoding: 'utf8' });
  if (patched.error)
    fail('needs patchelf, to tell Node where its libraries are: apt-get install patchelf');
  if (patched.status !== 0) fail(`patchelf: ${patched.stderr.trim()}`);
}

function putCommands() {
  const front = readFileSync(join(root, 'src', 'bin', 'portable-front.sh'), 'utf8');
  for (const name of readdirSync(out('dist', 'bin', 'commands'))) {
    const file = out('dist', 'bin', 'commands', name);
    const loader = readFileSync(file, 'utf8').replace(/^#!.*\n/, '');
    writeFileSync(file, twoPrograms(front, loader));
    chmodSync(file, 0o755);
    symlinkSync(`../dist/bin/commands/${name}`, out('bin', name));
  }
  symlinkSync('../dist/bin/agent-shell.cjs', out('bin', 'agent-shell'));
}

/** Runs each program once: the first run of a program keeps what V8 has compiled. */
function compile() {
  const folder = mkdtempSync(join(tmpdir(), 'todowrite-portable-'));
  const env = {
    PATH: `${out('bin')}:/usr/bin:/bin`,
    HOME: folder,
    TODO_STATE_DIR: join(folder, 'state'),
    TODO_AGENT: 'a',
    TODO_SESSION: 's',
  };
  const list = '{"todos":[{"content":"A","activeForm":"A","status":"pending"}]}';
  const event = {
    hook_event_name: 'PostToolUse',
    tool_input: { command: 'ls' },
    tool_response: {},
  };
  const run = (name, argv, input = '') => {
    const { status, stderr } = spawnSync(out(name), argv, {
      cwd: folder,
      env,
      input,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    if (status !== 0) fail(`${name} ${argv.join(' ')} ended with ${status}: ${stderr}`);
  };
  try {
    // The first run of a program is kept, so the list is there before it.
    run(
      'bin/agent-shell',
      ['--jsonl'],
      `${JSON.stringify({ id: 1, command: `TodoWrite '${list}'` })}\n`,
    );
    run('bin/TodoWrite', [list.replace('pending', 'completed')]);
    run('bin/TodoRead', []);
    run('bin/TaskCreate', ['--subject', 'A']);
    for (const argv of [
      ['TaskUpdate', '1', '--subject', 'B'],
      ['TaskGet', '1'],
      ['TaskClaim', '1'],
      ['TaskRelease', '1'],
    ]) {
      run(`bin/${argv[0]}`, argv.slice(1));
    }
    for (const name of ['TaskList', 'TaskInbox', 'TaskUndo', 'TaskArchive']) run(`bin/${name}`, []);
    run('bin/agent-shell', ['hook'], JSON.stringify(event));
    run('lib/node', [out('dist/bin/agent-shell.cjs'), 'prompt-panel', 'plain', '1', '1']);
    run('bin/agent-shell', [
      '-c',
      `TodoWrite '{"todos":[{"content":"Don't","activeForm":"A","status":"pending"}]}'`,
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tar(...argv) {
  const { status, stderr } = spawnSync('tar', argv, { encoding: 'utf8' });
  if (status !== 0) fail(`tar: ${stderr}`);
}

function fail(why) {
  console.error(`${basename(import.meta.url)}: ${why}`);
  process.exit(1);
}
