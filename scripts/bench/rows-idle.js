// An interactive agent shell that a person has left open with a panel below the prompt: it should do nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { lineOf, TEN_ITEMS } from './lists.js';
import { childrenOf, cpuSeconds, residentMebibytes, treeOf } from './proc.js';
import { executable } from './processes.js';
import { missingForTerminal, onTerminal, until } from './terminal.js';

const SETTLING_MS = 3000;
const MOST_CPU_PERCENT = 0.1;
const MOST_GROWTH_MEBIBYTES = 1;
const NAME = 'an idle agent-shell';

export async function* idleRows({ idleSeconds }) {
  const leftOut = missingForTerminal();
  if (leftOut) {
    yield { name: NAME, leftOut };
    return;
  }
  const { start, end } = await watch(1000 * idleSeconds);
  const seconds = (end.at - start.at) / 1000;
  yield {
    name: NAME,
    unit: '%',
    ours: (100 * (end.cpu - start.cpu)) / seconds,
    canBeNone: true,
    goal: { of: 'ours', atMost: MOST_CPU_PERCENT },
  };
  yield {
    name: `${NAME}, memory growth`,
    unit: 'MiB',
    ours: end.memory - start.memory,
    canBeNone: true,
    goal: { of: 'ours', atMost: MOST_GROWTH_MEBIBYTES },
  };
}

/** The usage of an idle shell at the start and the end of so many milliseconds. */
function watch(milliseconds) {
  return onTerminal(`'${executable('agent-shell')}'`, '\x04', async (terminal) => {
    await until(terminal.stdout, '$ ');
    terminal.stdin.write(`${lineOf(TEN_ITEMS)}\r`);
    await until(terminal.stdout, 'number 3...');
    terminal.stdout.resume();
    await sleep(SETTLING_MS);
    const [shell] = childrenOf(terminal.pid);
    const start = stateOf(shell);
    await sleep(milliseconds);
    return { start, end: stateOf(shell) };
  });
}

/** Of the shell and all its processes. */
function stateOf(shell) {
  const processes = treeOf(shell);
  const sum = (of) => processes.reduce((total, pid) => total + of(pid), 0);
  const [cpu, memory] = [sum(cpuSeconds), sum(residentMebibytes)];
  // It may do nothing from here on, but has started.
  if (!(cpu > 0 && memory > 0)) throw new Error('the shell cannot be measured');
  return { at: performance.now(), cpu, memory };
}
