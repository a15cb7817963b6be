// Programs that start, do one thing and end. None can be faster than Node's start.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openTaskStore, openTodoStore } from '../../dist/index.js';
import { itemsOf, lineOf, TEN_ITEMS } from './lists.js';
import { paired } from './paired.js';
import { executable, peakMebibytes, processOf, runToEnd } from './processes.js';

const MOST_MEBIBYTES = 50;
const COMMIT = 'TodoWrite on PATH';
const HOOK_LINES = [1, 1000, 2000];
const MANY_TASKS = 20_000;
const MANY_VERSIONS = 5000;
/** Claude Code's event after a command. */
const AFTER_COMMAND =
  '{"hook_event_name":"PostToolUse","tool_input":{"command":"npm test"},"tool_response":{}}';

const SAVE = `const fs = require('fs');
const [folder, text] = process.argv.slice(2);
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
  for (const [name, subject, atMost] of [
    ['agent-shell -c TodoWrite', ours('agent-shell', '-c', lineOf(TEN_ITEMS)), 1.36],
    [COMMIT, ours('TodoWrite', TEN_ITEMS), 1.3],
    ['TodoRead on PATH', ours('TodoRead'), 1.15],
  ]) {
    const row = { name, against: 'node', ...(await paired(subject, node, runs)) };
    yield { ...row, goal: { of: 'ratio', atMost } };
  }
  // Each call adds a line to what the hook remembers since the list was written.
  let lines = 0;
  for (const count of HOOK_LINES) {
    for (; lines < count; lines++) callHook();
    lines += runs + 1;
    yield {
      name: `the hook after ${count.toLocaleString('en')} ${count === 1 ? 'line' : 'lines'}`,
      against: 'node',
      ...(await paired({ run: callHook }, node, runs)),
      goal: { of: 'ratio', atMost: 1.3 },
    };
  }
  // A hook that fails ends well, too.
  const log = join(process.env.TODO_STATE_DIR, 'hook.log~');
  if (existsSync(log)) throw new Error(readFileSync(log, 'utf8'));
  // The disk's share: a Node program that only makes a file and its name as durable.
  yield {
    name: COMMIT,
    against: 'node, fsync',
    ...(await paired(ours('TodoWrite', TEN_ITEMS), savingIn(folder), runs)),
  };
  const claims = claimsOf(folder, runs + 1);
  yield {
    name: 'TaskClaim --next on PATH',
    against: 'node',
    ...(await paired(claims, node, runs)),
    goal: { of: 'ratio', atMost: 1.35 },
  };
  yield await undoRow(folder, runs);
  yield await versionsRow(runs);
  const echo = 'agent-shell -c';
  const line = ['-c', 'echo hi'];
  for (const [name, command, atMost] of [
    [echo, executable('agent-shell'), 1.15],
    [`${echo} through a link`, linkIn(folder), 1.2],
  ]) {
    yield {
      name,
      against: 'bash -c',
      ...(await paired(processOf(command, ...line), bash, runs)),
      goal: { of: 'ratio', atMost },
    };
  }
  // The share of any sh script.
  yield {
    name: 'a script of sh that execs bash',
    against: 'bash -c',
    ...(await paired(processOf(becomingBash(folder), ...line), bash, runs)),
  };
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
  const program = join(folder, 'save.cjs');
  writeFileSync(program, SAVE);
  return processOf(process.execPath, program, folder, TEN_ITEMS);
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
