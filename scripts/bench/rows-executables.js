// What starts, does one thing and ends. The floor of all of them is what Node takes to start.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lineOf, TEN_ITEMS } from './lists.js';
import { paired } from './paired.js';
import { executable, peakMebibytes, processOf, runToEnd } from './processes.js';

const MOST_MEBIBYTES = 50;
/** What Claude Code says after a command. */
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
  const rows = [
    [
      "agent-shell -c 'TodoWrite ...', 10 items",
      ours('agent-shell', '-c', lineOf(TEN_ITEMS)),
      1.45,
    ],
    ['TodoWrite on PATH, 10 items, a durable commit', ours('TodoWrite', TEN_ITEMS), 1.22],
    ['TodoRead on PATH, 10 items', ours('TodoRead'), 1.05],
    // After the others: there is a list, and each call adds to what it remembers of it.
    ['agent-shell hook, after a command', { run: () => callHook() }, 1.5],
  ];
  for (const [name, subject, atMost] of rows) {
    const row = { name, against: 'node -e 0', ...(await paired(subject, node, runs)) };
    yield { ...row, goal: { of: 'ratio', atMost } };
  }
  // What of it is the disk's: a program of Node that makes a file and its name as lasting, and nothing else.
  yield {
    name: 'TodoWrite on PATH, 10 items, a durable commit',
    against: 'node, saving a file as durably',
    ...(await paired(ours('TodoWrite', TEN_ITEMS), savingIn(folder), runs)),
  };
  const claims = claimsOf(folder, runs + 1);
  yield {
    name: 'TaskClaim --next on PATH, of as many tasks as runs',
    against: 'node -e 0',
    ...(await paired(claims, node, runs)),
    goal: { of: 'ratio', atMost: 1.25 },
  };
  yield {
    name: "agent-shell -c 'echo hi'",
    against: "bash -c 'echo hi'",
    ...(await paired(ours('agent-shell', '-c', 'echo hi'), bash, runs)),
    goal: { of: 'ratio', atMost: 1.5 },
  };
  for (const [name, ...argv] of [['TodoWrite', TEN_ITEMS], ['TodoRead']]) {
    yield {
      name: `${name}, the most memory it held`,
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

/** Claims one task after the other from a list that has so many. */
function claimsOf(folder, count) {
  const env = { ...process.env, TODO_TEAM: 'bench', TODO_AGENT: 'bench' };
  const tasks = Array.from({ length: count }, (_, index) => ({ subject: `Task ${index}` }));
  for (let start = 0; start < count; start += 50) {
    const batch = JSON.stringify(tasks.slice(start, start + 50));
    runToEnd(executable('TaskCreate'), [batch], { env, cwd: folder });
  }
  return { run: () => runToEnd(executable('TaskClaim'), ['--next'], { env, cwd: folder }) };
}
