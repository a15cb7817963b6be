// What starts, does one thing and ends. The floor of all of them is what Node takes to start.
import { lineOf, TEN_ITEMS } from './lists.js';
import { paired } from './paired.js';
import { executable, peakMebibytes, processOf } from './processes.js';

const MOST_MEBIBYTES = 50;

export async function* executableRows({ runs, folder }) {
  const ours = (name, ...argv) => processOf(process.execPath, executable(name), ...argv);
  const node = processOf(process.execPath, '-e', '0');
  const bash = processOf('bash', '-c', 'echo hi');
  const nodeAndBash = {
    run: () => {
      node.run();
      bash.run();
    },
  };
  const rows = [
    ["agent-shell -c 'TodoWrite ...', 10 items", ours('agent-shell', '-c', lineOf(TEN_ITEMS)), 1.4],
    ['TodoWrite on PATH, 10 items, a durable commit', ours('todo-write', TEN_ITEMS), 1.4],
    ['TodoRead on PATH, 10 items', ours('todo-read'), 1.35],
  ];
  for (const [name, subject, atMost] of rows) {
    const row = { name, against: 'node -e 0', ...(await paired(subject, node, runs)) };
    yield { ...row, goal: { of: 'ratio', atMost } };
  }
  yield {
    name: "agent-shell -c 'echo hi'",
    against: "node -e 0, then bash -c 'echo hi'",
    ...(await paired(ours('agent-shell', '-c', 'echo hi'), nodeAndBash, runs)),
    goal: { of: 'ratio', atMost: 1.3 },
  };
  for (const [name, ...argv] of [['todo-write', TEN_ITEMS], ['todo-read']]) {
    yield {
      name: `${name}, the most memory it held`,
      unit: 'MiB',
      ours: peakMebibytes(folder, name, ...argv),
      goal: { of: 'ours', atMost: MOST_MEBIBYTES },
    };
  }
}
