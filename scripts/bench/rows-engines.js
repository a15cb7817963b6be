// Lists on a server against files. A commit's time is mostly that of the server's disk.
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTaskStore, taskCommands, taskContext } from '../../dist/index.js';
import { startEtcd, startPostgres } from './engines.js';
import { lineOf, listsOf, TEN_ITEMS } from './lists.js';
import { median, paired } from './paired.js';
import { executable, processOf, runToEnd } from './processes.js';
import { Client } from './rows-jsonl.js';

const CLAIMERS = 8;
const CLAIMS = 160;
const CLAIMS_ROW = `TaskClaim --next, etcd, ${CLAIMERS} agents`;
const MOST_DELAY_MS = 100;
const MOST_CLAIM = 1.6;
/** Pairs of what the servers do in turn and of claims, whose rates vary by a fifth. */
const ROUNDS = 3;
const FLOOR = 'read and write';
const NOT_INSTALLED = 'not installed';
const CALLS = 200;
const PUT = {
  success: [{ request_put: { key: 'AAA=', value: Buffer.alloc(700).toString('base64') } }],
};

export async function* engineRows({ runs }) {
  const folder = mkdtempSync(join(tmpdir(), 'todowrite-engines-'));
  chmodSync(folder, 0o755);
  try {
    yield* rowsIn(folder, runs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function* rowsIn(folder, runs) {
  const engines = [
    ['etcd', (folder) => startEtcd(folder, 1), 1.45],
    ['PostgreSQL', startPostgres, 1.5],
  ];
  for (const [name, start, atMost] of engines) {
    const server = await start(join(folder, name));
    if (server === undefined) {
      yield { name: `lists on ${name}`, leftOut: NOT_INSTALLED };
      continue;
    }
    try {
      yield* rowsOf(name, server.url, atMost, runs);
    } finally {
      await server.stop();
    }
  }
  const cluster = await startEtcd(join(folder, 'cluster'), 3);
  if (cluster === undefined) {
    yield { name: CLAIMS_ROW, leftOut: NOT_INSTALLED };
    return;
  }
  try {
    yield await claimsRow(cluster.url);
  } finally {
    await cluster.stop();
  }
}

async function* rowsOf(engine, url, atMost, runs) {
  const env = { ...process.env, TODO_STATE_URL: url, TODO_SESSION: 'bench', TODO_AGENT: 'bench' };
  runToEnd(executable('agent-shell'), ['state', 'init'], { env });
  const write = { run: () => runToEnd(executable('TodoWrite'), [TEN_ITEMS], { env }) };
  const node = processOf(process.execPath, '-e', '0');
  const floor = processOf(process.execPath, '-e', FLOORS[engine], String(addressOf(url).port));
  yield {
    name: `floor: ${FLOOR}, ${engine}`,
    against: 'node',
    ...(await paired(floor, node, runs)),
  };
  yield {
    name: `TodoWrite on PATH, ${engine}`,
    against: FLOOR,
    ...(await paired(write, floor, runs)),
    goal: { of: 'ratio', atMost },
  };
  const [ours, files] = [new Client(env), new Client({ ...env, TODO_STATE_URL: '' })];
  const lines = listsOf(10).map(lineOf);
  const calls = (client) => {
    let count = 0;
    return { run: () => client.send(lines[count++ % lines.length]) };
  };
  yield {
    name: `TodoWrite in a host, ${engine}`,
    against: 'in files',
    ...(await paired(calls(ours), calls(files), runs)),
  };
  await Promise.all([ours.end(), files.end()]);
  yield {
    name: `a watcher's delay, ${engine}`,
    unit: 'ms',
    ours: await delayOf(env, runs),
    goal: { of: 'ours', atMost: MOST_DELAY_MS },
  };
}

function addressOf(url) {
  const [, host, port] = /([\d.]+):(\d+)/.exec(url);
  return { host, port: Number(port) };
}

/** Programs that do nothing but what a command that changes a list asks of a server. */
const FLOORS = {
  etcd: `
    const left = [['range', { key: 'AAA=' }], ['txn', ${JSON.stringify(PUT)}]];
    const socket = require('net').connect(Number(process.argv[1]), '127.0.0.1', ask).on('data', ask);
    socket.on('close', () => process.exit(1));
    function ask(answer) {
      if (answer && !answer.includes(' 200 OK')) process.exit(1);
      if (left.length === 0) process.exit();
      const [call, body] = left.shift();
      const text = JSON.stringify(body);
      const head = 'POST /v3/kv/' + call + ' HTTP/1.1\\r\\nHost: etcd\\r\\nContent-Length: ' + text.length;
      socket.write(head + '\\r\\n\\r\\n' + text);
    }`,
  PostgreSQL: `
    const send = (kind, text) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(text.length + 4);
      socket.write(Buffer.concat([Buffer.from(kind), length, Buffer.from(text)]));
    };
    const left = [
      "select value from todowrite.versions where list = 'floor' order by version desc limit 1\\0",
      "insert into todowrite.versions select 'floor', coalesce(max(version), 0) + 1, '', " +
        "decode('${PUT.success[0].request_put.value}', 'base64') from todowrite.versions where list = 'floor'\\0",
    ];
    const socket = require('net').connect(Number(process.argv[1]), '127.0.0.1');
    socket.on('close', () => process.exit(1));
    send('', '\\0\\x03\\0\\0user\\0lists\\0database\\0postgres\\0\\0');
    socket.on('data', (bytes) => {
      if (bytes.includes('SERROR')) process.exit(1);
      const isReady = bytes.toString('latin1').endsWith('Z\\0\\0\\0\\x05I');
      if (isReady && left.length === 0) process.exit();
      if (isReady) send('Q', left.shift());
    });`,
};

/** Claims on one list follow one another: each reads the newest version, and writes the next. None is faster than that in turn. */
async function claimsRow(url) {
  const [claims, floors] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    floors.push(await readAndWrite(addressOf(url)));
    claims.push(await claim(url, `claimers-${round}`));
  }
  const ratios = claims.map((time, round) => time / floors[round]);
  return {
    name: CLAIMS_ROW,
    against: FLOOR,
    unit: 'ms',
    ours: median(claims),
    other: median(floors),
    ratio: { median: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) },
    goal: { of: 'ratio', atMost: MOST_CLAIM },
  };
}

/** In milliseconds. */
async function readAndWrite({ host, port }) {
  const ask = async (call, content) => {
    const body = JSON.stringify(content);
    const reply = await fetch(`http://${host}:${port}/v3/kv/${call}`, { method: 'POST', body });
    if (!reply.ok) throw new Error(`${call}: ${await reply.text()}`);
    await reply.text();
  };
  const start = performance.now();
  for (let count = 0; count < CALLS; count++) {
    await ask('range', { key: 'AAA=' });
    await ask('txn', PUT);
  }
  return (performance.now() - start) / CALLS;
}

/** The median time from the start of a change to the call of a watcher on another connection. */
async function delayOf(environment, runs) {
  const open = () => openTaskStore({ environment, directory: '/', list: 'watched' });
  const [watcher, writer] = [open(), open()];
  await watcher.read();
  const heard = new EventTarget();
  const end = watcher.onChange(() => heard.dispatchEvent(new Event('change')));
  const change = (count) => writer.change((graph) => ({ graph: { ...graph, nextId: count } }));
  // The first one may come before the watch is established.
  await Promise.all([once(heard, 'change'), change(2)]);
  const times = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    await Promise.all([once(heard, 'change'), change(run + 3)]);
    times.push(performance.now() - start);
  }
  end();
  return median(times);
}

/** Each agent has its own connection and claims until nothing is left. In milliseconds per claim. */
async function claim(url, team) {
  const environment = (agent) => ({
    ...process.env,
    TODO_STATE_URL: url,
    TODO_TEAM: team,
    TODO_AGENT: agent,
  });
  const commandsOf = (agent) =>
    new Map(
      taskCommands(taskContext({ environment: environment(agent), directory: () => '/' })).map(
        (command) => [command.name, command],
      ),
    );
  const call = (commands, name, argv) =>
    commands.get(name).execute({ argv, stdin: async () => '' });
  const tasks = Array.from({ length: CLAIMS }, (_, index) => ({ subject: `Task ${index}` }));
  for (let first = 0; first < CLAIMS; first += 50) {
    const batch = JSON.stringify(tasks.slice(first, first + 50));
    await call(commandsOf('lead'), 'TaskCreate', [batch]);
  }
  const agents = Array.from({ length: CLAIMERS }, (_, index) => commandsOf(`agent-${index}`));
  for (const commands of agents) await call(commands, 'TaskList', []);
  let claimed = 0;
  const start = performance.now();
  await Promise.all(
    agents.map(async (commands) => {
      while ((await call(commands, 'TaskClaim', ['--next'])).exitCode === 0) claimed++;
    }),
  );
  const time = performance.now() - start;
  if (claimed !== CLAIMS) throw new Error(`${claimed} of ${CLAIMS} tasks were claimed`);
  return time / claimed;
}
