// Other task lists, if installed: each as a process that changes one of ten tasks. Each has its own home below the
// benchmark's folder, and never sees personal data.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runToEnd } from './processes.js';

/** Where `npm install --prefix .peers` puts those from npm. */
const MODULES = fileURLToPath(new URL('../../.peers/node_modules', import.meta.url));
const TASKS = 10;
/** How to install each on Debian. */
const INSTALLED_BY = {
  taskwarrior: 'apt-get install taskwarrior',
  'todo.txt-cli': 'apt-get install todotxt-cli',
  'Backlog.md': 'npm install --prefix .peers backlog.md',
  'just-bash': 'npm install --prefix .peers just-bash',
};

/** Prepares a peer, or says why it is skipped: missing, or another program of that name. */
export async function openPeer(name, open) {
  try {
    return await open();
  } catch (error) {
    const reason = error.message.split('\n')[0];
    return { leftOut: `${name} (${reason}; to have it: ${INSTALLED_BY[name]})` };
  }
}

/** An ES module of a peer. */
export function importPeer(name) {
  const folder = peerFile(name);
  return import(pathToFileURL(createRequire(join(folder, '..', 'here.js')).resolve(name)).href);
}

/** Peers that are command lines. `against` is what is typed; `edit(text)` changes one task by it. */
export async function* commandLinePeers(folder) {
  yield openPeer('taskwarrior', () => taskwarrior(homeIn(folder, 'taskwarrior')));
  yield openPeer('todo.txt-cli', () => todoTxt(homeIn(folder, 'todo.txt')));
  yield openPeer('Backlog.md', () => backlog(homeIn(folder, 'backlog')));
}

function taskwarrior(home) {
  const program = onPath('task');
  writeFileSync(join(home, 'taskrc'), `data.location=${join(home, 'data')}\nconfirmation=off\n`);
  mkdirSync(join(home, 'data'));
  const task = programIn(home, program, { TASKRC: join(home, 'taskrc') });
  addTasks((text) => task('add', text));
  return { against: 'task modify', edit: (text) => task('5', 'modify', text) };
}

function todoTxt(home) {
  const program = onPath('todo-txt', 'todo.sh');
  const config = join(home, 'config');
  const files = { DIR: '', FILE: 'todo.txt' };
  const lines = Object.entries(files).map(
    ([name, file]) => `export TODO_${name}='${join(home, file)}'`,
  );
  writeFileSync(config, `${lines.join('\n')}\n`);
  const todo = programIn(home, program);
  addTasks((text) => todo('-d', config, 'add', text));
  return {
    against: `${program} replace`,
    edit: (text) => todo('-d', config, 'replace', '5', text),
  };
}

function backlog(home) {
  const program = programIn(home, peerFile('.bin', 'backlog'));
  programIn(home, onPath('git'))('init', '--quiet', '.');
  program('init', 'benchmark', '--defaults');
  addTasks((text) => program('task', 'create', text));
  return { against: 'backlog task edit', edit: (text) => program('task', 'edit', '5', '-t', text) };
}

function addTasks(add) {
  for (let index = 0; index < TASKS; index++) add(`Write the chapter number ${index}`);
}

function homeIn(folder, name) {
  const home = join(folder, name);
  mkdirSync(home);
  return home;
}

/** Runs a program with only PATH in its environment. */
function programIn(home, program, variables = {}) {
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', ...variables };
  return (...argv) => runToEnd(program, argv, { cwd: home, env });
}

/** The first of these programs that exists. */
function onPath(...names) {
  const found = names.find(
    (name) => spawnSync('bash', ['--norc', '-c', `type -P ${name}`]).status === 0,
  );
  if (found) return found;
  throw new Error(`no ${names.map((name) => `\`${name}\``).join(' or ')} on PATH`);
}

function peerFile(...names) {
  const file = join(MODULES, ...names);
  if (existsSync(file)) return file;
  throw new Error('not in .peers');
}
