// An interactive agent shell that a person has left open with a panel below the prompt: it should do nothing.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lineOf, TEN_ITEMS } from './lists.js';
import { childrenOf, cpuSeconds, hasProc, residentMebibytes, treeOf } from './proc.js';
import { executable } from './processes.js';

const SETTLING_MS = 3000;
const MOST_CPU_PERCENT = 0.1;
const MOST_GROWTH_MEBIBYTES = 1;
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
  yield {
    name: NAME,
    unit: '%',
    ours: (100 * (end.cpu - start.cpu)) / seconds,
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

/** How an idle shell stands at the start and at the end of this many milliseconds. */
async function watch(milliseconds) {
  const home = mkdtempSync(join(tmpdir(), 'bench-idle-'));
  writeFileSync(join(home, '.bashrc'), "PS1='prompt> '\n");
  const shell = `stty cols 80 rows 24; cd; exec '${executable('agent-shell')}'`;
  const terminal = spawn('script', ['-qec', shell, '/dev/null'], {
    env: { ...process.env, HOME: home, TERM: 'xterm', LANG: 'C.UTF-8', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => terminal.once('close', resolve));
  try {
    await until(terminal.stdout, 'prompt> ');
    terminal.stdin.write(`${lineOf(TEN_ITEMS)}\r`);
    await until(terminal.stdout, '● Writing');
    terminal.stdout.resume();
    await sleep(SETTLING_MS);
    const [shell] = childrenOf(terminal.pid);
    const start = stateOf(shell);
    await sleep(milliseconds);
    return { start, end: stateOf(shell) };
  } finally {
    terminal.stdin.write('\x04');
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
}

/** Of the shell and everything that it keeps running. */
function stateOf(shell) {
  const processes = treeOf(shell);
  const sum = (of) => processes.reduce((total, pid) => total + of(pid), 0);
  return {
    at: performance.now(),
    cpu: sum(cpuSeconds),
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
