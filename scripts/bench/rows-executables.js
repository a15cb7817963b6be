// Programs that start, do one thing and end. None can be faster than Node's start.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { openTaskStore, openTodoStore } from '../../dist/index.js';
import { itemsOf, lineOf, TEN_ITEMS } from './lists.js';
import { paired } from './paired.js';
import { executable, peakMebibytes, processOf, runToEnd } from './processes.js';

const MOST_MEBIBYTES = 50;
const HOOK_LINES = [1, 1000, 2000];
/** What V8 compiled, as src/bin/load-program.ts names it. */
const KEPT = 'todo-write-TodoWrite-files-';
const MANY_TASKS = 20_000;
const MANY_VERSIONS = 5000;
/** Claude Code's event after a command. */
const AFTER_COMMAND =
  '{"hook_event_name":"PostToolUse","tool_input":{"command":"npm test"},"tool_response":{}}';

/**
 * The floor of a command that writes: it loads the compiled code of TodoWrite, runs nothing of it, and makes a file and its name as
 * durable as TodoWrite does.
 */
const FLOOR = 'loads and saves';
const SAVE = `const fs = require('fs');
const vm = require('vm');
const [folder, program, compiled, text] = process.argv.slice(2);
const parameters = 'exports, require, module, __filename, __dirname, EXECUTABLE';
const source = '(function (' + parameters + ') {' + fs.readFileSync(program, 'utf8') + '\\n})';
const script = new vm.Script(source, { filename: 'program.cjs', cachedData: fs.readFileSync(compiled) });
if (script.cachedDataRejected) throw new Error('V8 rejects ' + compiled);
const saved = (path, flags, act) => {
  const descriptor = fs.openSync(path, flags);
  act?.(descriptor);
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
};
const file = folder + '/saved-' + process.pid;
saved(file, 'wx', (descriptor) => fs.writeFileSync(descriptor, text));
fs.renameSync(file, folder + '/saved');
saved(folder, 'r');
`;

export async function* executableRows({ runs, folder }) {
  const ours = (name, ...argv) => processOf(executable(name), ...argv);
  const node = processOf(process.execPath, '-e', '0');
  const bash = processOf('bash', '-c', 'echo hi');
  // As npm installs them: without it, what a link leads to would be asked of readlink(1).
  process.env.PATH = `${dirname(executable('TodoWrite'))}:${process.env.PATH}`;
  const floor = savingIn(folder);
  yield { name: `floor: ${FLOOR}`, against: 'node', ...(await paired(floor, node, runs)) };
  const rowOf = async (name, subject, atMost) => ({
    ...{ name, against: FLOOR, goal: { of: 'ratio', atMost } },
    ...(await paired(subject, floor, runs)),
  });
  yield rowOf('TodoWrite on PATH', ours('TodoWrite', TEN_ITEMS), 1.25);
  yield rowOf('agent-shell -c TodoWrite', ours('agent-shell', '-c', lineOf(TEN_ITEMS)), 1.3);
  yield rowOf('TodoRead on PATH', ours('TodoRead'), 1.15);
  // Each call adds a line to what the hook remembers since the list was written.
  let lines = 0;
  for (const count of HOOK_LINES) {
    for (; lines < count; lines++) callHook();
    lines += runs + 1;
    const after = `${count.toLocaleString('en')} ${count === 1 ? 'line' : 'lines'}`;
    yield rowOf(`the hook after ${after}`, { run: callHook }, 1.3);
  }
  // A hook that fails ends well, too.
  const log = join(process.env.TODO_STATE_DIR, 'hook.log~');
  if (existsSync(log)) throw new Error(readFileSync(log, 'utf8'));
  yield rowOf('TaskClaim --next on PATH', claimsOf(folder, runs + 1), 1.3);
  yield await undoRow(folder, runs);
  yield await versionsRow(runs);
  const line = ['-c', 'echo hi'];
  const script = processOf(becomingBash(folder), ...line);
  const against = 'sh that execs';
  yield {
    name: `floor: ${against} bash`,
    against: 'bash -c',
    ...(await paired(script, bash, runs)),
  };
  for (const [name, command, atMost] of [
    ['agent-shell -c', executable('agent-shell'), 1.15],
    ['agent-shell -c through a link', linkIn(folder), 1.2],
  ]) {
    const row = { name, against, ...(await paired(processOf(command, ...line), script, runs)) };
    yield { ...row, goal: { of: 'ratio', atMost } };
  }
  for (const [name, ...argv] of [['TodoWrite', TEN_ITEMS], ['TodoRead']]) {
    yield {
      name: `${name}, peak memory`,
      unit: 'MiB',
      ours: peakMebibytes(folder, name, ...argv),
      goal: { of: 'ours', atMost: MOST_MEBIBYTES },
    };
  }
}

function savingIn(folder) {
  // The second run adds to what V8 keeps of the first.
  for (let run = 0; run < 3; run++) runToEnd(executable('TodoWrite'), [TEN_ITEMS]);
  const programs = join(dirname(executable('agent-shell')), '../programs');
  const [compiled] = readdirSync(programs).filter((name) => name.startsWith(KEPT));
  const program = join(folder, 'save.cjs');
  writeFileSync(program, SAVE);
  const files = ['todo-write.cjs', compiled].map((name) => join(programs, name));
  return processOf(process.execPath, program, folder, ...files, TEN_ITEMS);
}

function callHook() {
  const stdio = ['pipe', 'pipe', 'pipe'];
  runToEnd(executable('agent-shell'), ['hook'], { input: AFTER_COMMAND, stdio });
}

/** Claims one task after the other from a list of this size. */
function claimsOf(folder, count) {
  const env = { ...process.env, TODO_TEAM: 'bench', TODO_AGENT: 'bench' };
  const tasks = Array.from({ length: count }, (_, index) => ({ subject: `Task ${index}` }));
  for (let start = 0; start < count; start += 50) {
    const batch = JSON.stringify(tasks.slice(start, start + 50));
    runToEnd(executable('TaskCreate'), [batch], { env, cwd: folder });
  }
  return { run: () => runToEnd(executable('TaskClaim'), ['--next'], { env, cwd: folder }) };
}

/** An undo of one change among very many tasks, against that change. */
async function undoRow(folder, runs) {
  const env = { ...process.env, TODO_TEAM: 'many' };
  const call = (name, ...argv) => runToEnd(executable(name), argv, { env, cwd: folder });
  const at = new Date();
  const made = (id) => ({
    ...{ id, subject: `Task ${id}`, description: '', status: 'pending' },
    ...{ blocks: [], blockedBy: [], createdAt: at, updatedAt: at },
  });
  const tasks = new Map(
    Array.from({ length: MANY_TASKS }, (_, index) => [index + 1, made(index + 1)]),
  );
  const store = openTaskStore({ environment: env, directory: folder });
  await store.change((graph) => ({ graph: { ...graph, nextId: MANY_TASKS + 1, tasks } }));
  let changes = 0;
  const update = { run: () => call('TaskUpdate', '7', '--subject', `Draft ${changes++}`) };
  const undo = { run: () => call('TaskUndo') };
  // Each undo has an update before it.
  update.run();
  return {
    name: `TaskUndo, ${MANY_TASKS.toLocaleString('en')} tasks`,
    against: 'TaskUpdate',
    ...(await paired(undo, update, runs)),
    goal: { of: 'ratio', atMost: 1.2 },
  };
}

/** A write to a list of which many versions are kept, against one of which few are. */
async function versionsRow(runs) {
  const writing = (session, versions) => {
    const folder = join(process.env.TODO_STATE_DIR, session, 'main');
    const store = openTodoStore({ folder, history: 2 * MANY_VERSIONS });
    for (let version = 0; version < versions; version++) store.update(itemsOf(10, version % 10));
    const env = { ...process.env, TODO_SESSION: session, TODO_HISTORY: `${2 * MANY_VERSIONS}` };
    return { run: () => runToEnd(executable('TodoWrite'), [TEN_ITEMS], { env }) };
  };
  return {
    name: `TodoWrite, ${MANY_VERSIONS.toLocaleString('en')} versions`,
    against: '50 versions',
    ...(await paired(writing('many', MANY_VERSIONS), writing('few', 50), runs)),
    goal: { of: 'ratio', atMost: 1.1 },
  };
}

function becomingBash(folder) {
  const file = join(folder, 'becomes-bash');
  const { stdout } = spawnSync('bash', ['--norc', '-c', 'type -P bash'], { encoding: 'utf8' });
  writeFileSync(file, `#!/bin/sh\nexec ${stdout.trim()} "$@"\n`, { mode: 0o755 });
  return file;
}

function linkIn(folder) {
  mkdirSync(join(folder, 'links'));
  const link = join(folder, 'links', 'bash');
  symlinkSync(executable('agent-shell'), link);
  return link;
}
