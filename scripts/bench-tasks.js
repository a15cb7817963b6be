// Measures a team's tasks: operations a second and the longest wait for 1, 4 and 16 processes on one list of 500, and
// what a list of 10,000 costs beside one of 100. Run `npm run build` first, then `node scripts/bench-tasks.js`.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'todowrite-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const name of Object.keys(process.env)) {
  if (name === 'NODE_EXTRA_CA_CERTS' || name.startsWith('TODO_')) delete process.env[name];
}
process.env.TODO_STATE_DIR = join(folder, 'state');

/** Claims and releases the first ready task for SECONDS; prints the time of each. */
const member = `
import { openTaskStore } from '${root}/src/tasks/task-store.ts';
import { claimTask } from '${root}/src/tasks/claims.ts';
import { createTasks } from '${root}/src/tasks/task-create.ts';
import { releaseTasks } from '${root}/src/tasks/claims.ts';
const [list, agent, seconds, tasks] = process.argv.slice(2);
const store = openTaskStore({ folder: list, author: agent });
const rules = { agent, checkBusy: false, force: false };
async function main() {
  if (tasks) {
    const requests = Array.from({ length: Number(tasks) }, (_, n) => ({ subject: 'Task ' + n, description: 'What is to be done, in a sentence or two.', blockedBy: [] }));
    await store.change((graph, at) => createTasks(graph, requests, at));
    return;
  }
  const waits = [];
  const end = Date.now() + 1000 * Number(seconds);
  const timed = async (plan) => {
    const start = performance.now();
    const outcome = await store.change(plan);
    waits.push(performance.now() - start);
    return outcome.change?.task;
  };
  while (Date.now() < end) {
    const task = await timed((graph, at) => claimTask(graph, 'next', rules, at));
    await timed((graph, at) => releaseTasks(graph, [task.id], agent, at));
  }
  process.stdout.write(JSON.stringify(waits));
}
main();
`;
const script = join(folder, 'member.cjs');
writeFileSync(join(folder, 'member.ts'), member);
buildSync({
  entryPoints: [join(folder, 'member.ts')],
  outfile: script,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  loader: { '.md': 'text', '.sh': 'text' },
  logLevel: 'error',
});

const SECONDS = 5;
for (const count of [1, 4, 16]) {
  const list = join(folder, 'tasks', `team-${count}`);
  spawnSync(process.execPath, [script, list, 'leader', '0', '500']);
  const waits = (
    await Promise.all(Array.from({ length: count }, (_, n) => work(list, `agent-${n}`)))
  ).flat();
  waits.sort((a, b) => a - b);
  const at = (part) => waits[Math.floor(part * (waits.length - 1))].toFixed(1);
  console.log(
    `${String(count).padStart(2)} processes: ${Math.round(waits.length / SECONDS)} operations a second; ` +
      `median ${at(0.5)} ms, 99% ${at(0.99)} ms, longest ${at(1)} ms`,
  );
}

function work(list, agent) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, list, agent, String(SECONDS)]);
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    child.on('close', () => resolve(JSON.parse(output)));
  });
}

const ROUNDS = 15;
const sizes = [100, 10_000];
for (const size of sizes) {
  process.env.TODO_TASK_LIST = `list of ${size}`;
  const batches = Math.ceil(size / 1000);
  for (let batch = 0; batch < batches; batch++) {
    const tasks = Array.from({ length: size / batches }, (_, n) => ({
      subject: `Task ${n} of batch ${batch}`,
      description: 'What is to be done, in a sentence or two that say it well enough for anyone.',
    }));
    spawnSync(process.execPath, [executable('Create')], { input: JSON.stringify(tasks) });
  }
}
for (const [name, ...argv] of [
  ['List'],
  ['List', '--ready', '--status', 'completed'],
  ['get', '50'],
  ['Claim', '--next', '--agent', 'a'],
  ['Claim', '--help'],
  ['Claim', '--nonsense'],
]) {
  const times = sizes.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, size] of sizes.entries()) {
      process.env.TODO_TASK_LIST = `list of ${size}`;
      const start = performance.now();
      spawnSync(process.execPath, [executable(name), ...argv], { maxBuffer: 2 ** 26 });
      times[index].push(performance.now() - start);
    }
  }
  const [small, large] = times.map((of) => of.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]);
  console.log(
    `${['Task', name, ...argv].join(' ').padEnd(40)} 100: ${small.toFixed(0)} ms, 10,000: ${large.toFixed(0)} ms, ` +
      `ratio ${(large / small).toFixed(2)}`,
  );
}

function executable(name) {
  return join(root, 'dist', 'bin', 'commands', `Task${name}`);
}
