// An agent shell that a person has left open: its panel pulses, and else it should do nothing.
import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { lineOf, TEN_ITEMS } from './lists.js';
import { childrenOf, cpuSeconds, hasProc, residentMebibytes, treeOf } from './proc.js';
import { executable } from './processes.js';

const SETTLING_MS = 3000;
/** What the pulse of the panel costs at least: no program can wake for less. */
const FLOOR = 'setInterval(() => {}, 500)';
const MOST_CPU_PERCENT = 0.5;
/** A heap fills up until it is worth collecting, which takes an idle shell minutes. */
const MOST_GROWTH_MEBIBYTES = 5;
const NAME = 'an idle agent shell, one item in progress';

export async function* idleRows({ idleSeconds }) {
  // `script` of util-linux gives it a terminal; elsewhere a program of that name takes other arguments.
  const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux');
  if (!hasScript || !hasProc) {
    yield { name: NAME, leftOut: hasProc ? '`script` of util-linux' : 'no /proc' };
    return;
  }
  const { start, end } = await watch(1000 * idleSeconds);
  const seconds = (end.at - start.at) / 1000;
  const percent = (key) => (100 * (end[key] - start[key])) / seconds;
  const [ours, other] = [percent('cpu'), percent('cpuOfFloor')];
  yield {
    name: NAME,
    against: 'a Node that wakes as often, for nothing',
    unit: '%',
    ours,
    other,
    ratio: { median: ours / other },
    goal: { of: 'ours', atMost: MOST_CPU_PERCENT },
  };
  yield {
    name: `${NAME}: growth of memory`,
    against: `over ${Math.round(seconds)} s`,
    unit: 'MiB',
    ours: end.memory - start.memory,
    goal: { of: 'ours', atMost: MOST_GROWTH_MEBIBYTES },
  };
}

/** How an idle shell stands at the start and at the end of so many milliseconds. */
async function watch(milliseconds) {
  const node = `'${process.execPath}' '${executable('agent-shell')}'`;
  const terminal = spawn('script', ['-qec', `stty cols 80 rows 24; exec ${node}`, '/dev/null'], {
    env: { ...process.env, TERM: 'xterm', LANG: 'C.UTF-8', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => terminal.once('close', resolve));
  const floor = spawn(process.execPath, ['-e', FLOOR], { stdio: 'ignore' });
  try {
    await until(terminal.stdout, '$ ');
    terminal.stdin.write(`${lineOf(TEN_ITEMS)}\r`);
    await until(terminal.stdout, '● Writing');
    // The one that draws goes on drawing only while someone reads.
    terminal.stdout.resume();
    await sleep(SETTLING_MS);
    const [shell] = childrenOf(terminal.pid);
    const start = stateOf(shell, floor.pid);
    await sleep(milliseconds);
    return { start, end: stateOf(shell, floor.pid) };
  } finally {
    floor.kill();
    terminal.stdin.write('\x04');
    await ended;
  }
}

/** Of the shell and what it keeps running, its bash above all. */
function stateOf(shell, floor) {
  const processes = treeOf(shell);
  const sum = (of) => processes.reduce((total, pid) => total + of(pid), 0);
  return {
    at: performance.now(),
    cpu: sum(cpuSeconds),
    cpuOfFloor: cpuSeconds(floor),
    memory: sum(residentMebibytes),
  };
}

async function until(stream, text) {
  let seen = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    seen += chunk;
    if (seen.includes(text)) return;
  }
  throw new Error(`The agent shell ended before it showed '${text}':\n${seen}`);
}
