// Measures the speeds that there are goals for: `npm run bench [-- RUNS]`. Each row is timed in turn with what it is
// compared with, so that a machine whose speed drifts slows both; what counts is the median of the ratios.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const runs = Number(process.argv[2] ?? 30);
const folder = mkdtempSync(join(tmpdir(), 'todowrite-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const list = JSON.stringify({
  todos: Array.from({ length: 10 }, (_, index) => ({
    content: `Write the chapter number ${index}`,
    activeForm: `Writing the chapter number ${index}`,
    status: ['completed', 'completed', 'completed', 'in_progress'][index] ?? 'pending',
  })),
});

// Settings of who runs this, and certificates that every Node has to read, would be measured too.
for (const name of Object.keys(process.env)) {
  if (name === 'NODE_EXTRA_CA_CERTS' || name.startsWith('TODO_')) delete process.env[name];
}
process.env.TODO_STATE_DIR = join(folder, 'state');
process.chdir(folder);
const { BashRouter, TaskPanel, TodoStore } = await import(join(root, 'dist', 'index.js'));
const router = new BashRouter();

const executable = (name) => join(root, 'dist', 'bin', `${name}.cjs`);
const processOf = (command, ...argv) => ({ calls: 1, call: () => runToEnd(command, argv) });
const lineOf = (line) => ({ calls: 20, call: () => route(line) });
const bareNode = processOf(process.execPath, '-e', '0');
const bareBash = processOf('bash', '-c', ':');

const rows = [
  {
    name: 'TodoWrite, 10 items, a durable commit',
    is: processOf(process.execPath, executable('todo-write'), list),
    against: bareNode,
    goal: 1.5,
  },
  {
    name: 'TodoRead, 10 items',
    is: processOf(process.execPath, executable('todo-read')),
    against: bareNode,
    goal: 1.35,
  },
  {
    name: 'TodoWrite, 10 items, in a composed line',
    is: lineOf(`:; TodoWrite '${list}'`),
    against: bareNode,
    goal: 0.15,
  },
  {
    name: 'TodoWrite, 10 items, in a line of its own',
    is: lineOf(`TodoWrite '${list}'`),
    against: bareBash,
  },
  { name: 'echo hi in the session', is: lineOf('echo hi'), against: bareBash },
];

const names = new Map([
  [bareNode, 'node -e 0'],
  [bareBash, 'bash -c :'],
]);
for (const { name, is, against, goal } of rows) {
  const [times, others] = [[], []];
  await timeOf(is);
  await timeOf(against);
  for (let run = 0; run < runs; run++) {
    times.push(await timeOf(is));
    others.push(await timeOf(against));
  }
  const ratio = median(times.map((time, run) => time / others[run]));
  const verdict = goal === undefined ? '' : ratio <= goal ? `(goal ${goal})` : `MISSED ${goal}`;
  console.log(
    `${name.padEnd(42)} ${ms(median(times))} ms  ${ms(median(others))} ms ${names.get(against)}  ${ratio.toFixed(2)} ${verdict}`,
  );
  if (verdict.startsWith('MISSED')) process.exitCode = 1;
}
const MOST_MEBIBYTES = 50;
for (const name of ['todo-write', 'todo-read']) {
  const peak = peakMebibytes(executable(name), list);
  const verdict = peak < MOST_MEBIBYTES ? `(goal ${MOST_MEBIBYTES})` : `MISSED ${MOST_MEBIBYTES}`;
  console.log(`${`${name}, memory`.padEnd(42)} ${peak.toFixed(1)} MiB at most ${verdict}`);
  if (verdict.startsWith('MISSED')) process.exitCode = 1;
}
await router.dispose();
reportPanel();

async function timeOf({ calls, call }) {
  const start = performance.now();
  for (let count = 0; count < calls; count++) await call();
  return (performance.now() - start) / calls;
}

function runToEnd(command, argv) {
  const { status, stderr, error } = spawnSync(command, argv, {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (error || status !== 0) throw error ?? new Error(`${command} ended with ${status}: ${stderr}`);
}

async function route(line) {
  const { exitCode, stderr } = await router.route(line);
  if (exitCode !== 0) throw new Error(`${line} ended with ${exitCode}: ${stderr}`);
}

/** A process tells of its own memory, at its end. */
function peakMebibytes(file, argument) {
  const hook = join(folder, 'hook.cjs');
  writeFileSync(hook, `process.on('exit', () => console.error(process.resourceUsage().maxRSS))`);
  const argv = file.includes('write') ? [argument] : [];
  const { stderr } = spawnSync(process.execPath, ['-r', hook, file, ...argv], { encoding: 'utf8' });
  return Number(stderr.trim().split('\n').at(-1)) / 1024;
}

/** Updates of a list of 50 items, each drawn at once: how long one takes, and how much of a full redraw it writes. */
function reportPanel() {
  let written = 0;
  const stream = { isTTY: true, columns: 80, rows: 24, write: (text) => (written += text.length) };
  let runFrame = () => {};
  const after = (milliseconds, callback) => {
    if (milliseconds < 100) runFrame = callback;
    return () => {};
  };
  const store = new TodoStore();
  const env = { LANG: 'C.UTF-8', FORCE_COLOR: '1' };
  const panel = new TaskPanel({ store, stream, env, clock: { now: () => 0, after } });
  const item = (index, done) => ({
    content: `Write the chapter number ${index}`,
    activeForm: `Writing the chapter number ${index}`,
    status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
  });
  const update = (done) => {
    written = 0;
    store.update(Array.from({ length: 50 }, (_, index) => item(index, done)));
    runFrame();
    return written;
  };
  written = 0;
  const fullRedraw = update(0);
  const sizes = [];
  const times = [];
  for (let run = 0; run < 20 * runs; run++) {
    const start = performance.now();
    sizes.push(update(1 + (run % 49)));
    times.push(performance.now() - start);
  }
  panel.dispose();
  const share = median(sizes) / fullRedraw;
  const isMet = median(times) < 1 && share <= 0.25;
  console.log(
    `${'a panel update, 50 items'.padEnd(42)} ${ms(median(times))} ms  ${median(sizes)} of ${fullRedraw} bytes ` +
      `${share.toFixed(2)} ${isMet ? '(goals 1 ms, 0.25)' : 'MISSED 1 ms, 0.25'}`,
  );
  if (!isMet) process.exitCode = 1;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

function ms(value) {
  return value.toFixed(2).padStart(7);
}
