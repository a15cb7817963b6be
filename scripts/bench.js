// Measures the speeds that there are goals for, all of them or those of some parts (`--only session`). What is measured,
// and how to have the peers beside it: docs/benchmarks.md. Exit code 1: a goal is missed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine } from './bench/machine.js';
import { engineRows } from './bench/rows-engines.js';
import { executableRows } from './bench/rows-executables.js';
import { idleRows } from './bench/rows-idle.js';
import { jsonlRows } from './bench/rows-jsonl.js';
import { listenerRows } from './bench/rows-listeners.js';
import { panelRows } from './bench/rows-panel.js';
import { routerRows } from './bench/rows-router.js';
import { sessionRows } from './bench/rows-session.js';
import { viewerRows } from './bench/rows-viewer.js';
import { isMet, printHead, printRow } from './bench/table.js';

const PARTS = {
  router: routerRows,
  session: sessionRows,
  executables: executableRows,
  jsonl: jsonlRows,
  panel: panelRows,
  viewer: viewerRows,
  listeners: listenerRows,
  idle: idleRows,
  engines: engineRows,
};

const { values: options, positionals } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: Object.keys(PARTS) },
    'idle-minutes': { type: 'string', default: '0.5' },
  },
  allowPositionals: true,
});

const folder = mkdtempSync(join(tmpdir(), 'todowrite-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

// Personal settings, and certificates that every Node has to read, would be measured too.
for (const name of Object.keys(process.env)) {
  if (name === 'NODE_EXTRA_CA_CERTS' || name.startsWith('TODO_')) delete process.env[name];
}
process.env.TODO_STATE_DIR = join(folder, 'state');
process.chdir(folder);

const bench = {
  folder,
  runs: Number(positionals[0] ?? 30),
  idleSeconds: 60 * Number(options['idle-minutes']),
};
if (!(bench.runs >= 1 && bench.idleSeconds > 0 && options.only.every((part) => PARTS[part]))) {
  console.error(`Usage: npm run bench [-- [RUNS] [--only PART]... [--json] [--idle-minutes MINUTES]]
Parts: ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}
const machine = describeMachine();
const rows = [];
if (!options.json) {
  console.log(
    `${Object.entries(machine)
      .map((pair) => pair.join(': '))
      .join(', ')}\n`,
  );
  printHead();
}
for (const part of options.only) {
  const before = rows.length;
  for await (const measured of PARTS[part](bench)) {
    const row = { ...measured, met: isMet(measured) };
    if (row.met === false) process.exitCode = 1;
    rows.push(row);
    if (!options.json) printRow(row);
  }
  if (rows.length === before) throw new Error(`${part} has no rows`);
}
if (options.json) console.log(JSON.stringify({ machine, rows }, null, 2));
