// npm run mutate -- 200: changes one place of src/ at a time, at random, and runs the tests until one fails. What lives on is a
// promise that no test keeps, or code that does nothing. package.json starts it in a copy.
//   --seed N     other places than last time          --only src/state   places in there
//   --tests GLOB... at the end: these test files alone, in place of those of the room and then all others
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAst } from 'vitest/node';

const SHORT_MS = 4000;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values, positionals } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: 'src' },
    tests: { type: 'string', multiple: true },
  },
  allowPositionals: true,
});
const wanted = Number(positionals[0] ?? 50);

// --- places

const COMPARISONS = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
};

/** What can be changed at a node: [start, end, new text]. */
function changesOf(node, text) {
  const of = ({ start, end }) => text.slice(start, end);
  const replace = (node, by) => [[node.start, node.end, by]];
  switch (node.type) {
    case 'BinaryExpression': {
      const by = COMPARISONS[node.operator];
      if (!by) return [];
      const at = text.indexOf(node.operator, node.left.end);
      return [[at, at + node.operator.length, by]];
    }
    case 'LogicalExpression': {
      if (node.operator === '??') return replace(node, of(node.left));
      return [
        ...replace(node, of(node.left)),
        ...replace(node, of(node.right)),
        [
          ...replace(
            node,
            `(${of(node.left)}) ${node.operator === '&&' ? '||' : '&&'} (${of(node.right)})`,
          )[0],
        ],
      ];
    }
    case 'IfStatement':
      return replace(node.test, `!(${of(node.test)})`);
    case 'WhileStatement':
      return replace(node.test, 'false');
    case 'ConditionalExpression':
      return [
        ...replace(node, `(${of(node.consequent)})`),
        ...replace(node, `(${of(node.alternate)})`),
      ];
    case 'UnaryExpression':
      return node.operator === '!' ? replace(node, of(node.argument)) : [];
    case 'AwaitExpression':
      return replace(node, `(${of(node.argument)})`);
    case 'ReturnStatement':
      return node.argument ? replace(node.argument, 'undefined as never') : [];
    case 'ExpressionStatement':
      return node.directive || node.expression.type === 'YieldExpression' ? [] : replace(node, ';');
    case 'Literal':
      if (typeof node.value === 'boolean') return replace(node, String(!node.value));
      if (typeof node.value === 'number') return replace(node, String(node.value + 1));
      return [];
    case 'TemplateLiteral':
      return replace(node, "''");
    default:
      return [];
  }
}

const isNode = (value) =>
  value !== null && typeof value === 'object' && typeof value.type === 'string';

/** All nodes but those of types. */
function* nodesOf(node) {
  if (
    /^TS(?!AsExpression|SatisfiesExpression|NonNullExpression)|^ImportDeclaration|^ExportAll/.test(
      node.type,
    )
  )
    return;
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) yield* nodesOf(child);
  }
}

function placesOf(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const places = [];
  for (const node of nodesOf(parseAst(text, { lang: 'ts' }))) {
    for (const [start, end, by] of changesOf(node, text)) {
      const line = text.slice(0, start).split('\n').length;
      const short = (part) => part.replace(/\s+/g, ' ').slice(0, 60);
      places.push({
        file,
        room: file.split('/')[2] ? file.split('/')[1] : 'src',
        text: text.slice(0, start) + by + text.slice(end),
        name: `${file}:${line}  ${short(text.slice(start, end))}  =>  ${short(by) || 'nothing'}`,
      });
    }
  }
  return places;
}

/** Numbers from 0 to 1 that the seed repeats. */
function* random(seed) {
  for (let state = seed >>> 0; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** In an order of chance. */
function shuffled(places, numbers) {
  return places
    .map((place) => ({ place, key: numbers.next().value }))
    .sort((a, b) => a.key - b.key)
    .map(({ place }) => place);
}

const filesIn = (folder, end) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name));

// --- tests

/** Runs a program of node_modules, and kills it when it takes too long. @returns its exit code, or 'late'. */
function run(limitMs, program, ...argv) {
  const child = spawn(process.execPath, [join('node_modules', program), ...argv], {
    cwd: root,
    stdio: 'ignore',
  });
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      resolve('late');
    }, limitMs);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve(code ?? signal);
    });
  });
}

const vitest = (limitMs, ...argv) => run(limitMs, 'vitest/vitest.mjs', 'run', ...argv);

/** How long each test file takes on the code as it is. Those that fail already are left out. */
async function baseline(files) {
  const output = join(root, 'home', 'results.json');
  const argv = ['--reporter=json', `--outputFile=${output}`, ...files];
  await vitest(3_600_000, ...argv);
  const { testResults } = JSON.parse(readFileSync(output, 'utf8'));
  const times = new Map();
  for (const { name, status, startTime, endTime } of testResults) {
    const file = relative(root, name);
    if (status === 'passed') times.set(file, endTime - startTime);
    else console.log(`left out, since it fails without a change: ${file}`);
  }
  return times;
}

/** The test files by when they are run: the room's quick ones, its slow ones, all others. */
function stagesFor(room, times) {
  if (values.tests) return [[...times.keys()]];
  const isOfRoom = (file) => file.startsWith(`tests/${room}/`) || file === `tests/${room}.test.ts`;
  const own = [...times.keys()].filter(isOfRoom);
  const quick = own.filter((file) => times.get(file) < SHORT_MS);
  const slow = own.filter((file) => times.get(file) >= SHORT_MS);
  return [quick, slow, [...times.keys()].filter((file) => !isOfRoom(file))];
}

/** @returns how it ended: 'lives', or what has noticed it. */
async function judge({ file, text, room }, times) {
  const path = join(root, file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, text);
  try {
    if ((await run(120_000, 'typescript/bin/tsc', '--noEmit')) !== 0) {
      return 'does not compile';
    }
    for (const stage of stagesFor(room, times)) {
      if (stage.length === 0) continue;
      const usual = stage.reduce((sum, test) => sum + times.get(test), 0);
      const code = await vitest(60_000 + 2 * usual, '--bail=1', ...stage);
      if (code !== 0) return code === 'late' ? 'killed (hangs)' : 'killed';
    }
    return 'lives';
  } finally {
    writeFileSync(path, before);
  }
}

if (existsSync(join(root, '.git'))) throw new Error('not in the checkout: npm run mutate');
const times = await baseline(values.tests ?? []);
const places = shuffled(
  filesIn('src', '.ts')
    .filter((file) => !file.endsWith('.d.ts') && file.startsWith(values.only))
    .flatMap(placesOf),
  random(Number(values.seed)),
);
console.log(`${places.length} places, ${times.size} test files\n`);
const rooms = new Map();
let judged = 0;
for (const place of places) {
  if (judged === wanted) break;
  const end = await judge(place, times);
  if (end === 'does not compile') continue;
  judged++;
  const room = rooms.get(place.room) ?? { killed: 0, all: 0 };
  rooms.set(place.room, { killed: room.killed + (end === 'lives' ? 0 : 1), all: room.all + 1 });
  console.log(`${String(judged).padStart(4)}  ${end.padEnd(15)}${place.name}`);
}
const all = [...rooms.values()];
const sum = (key) => all.reduce((total, room) => total + room[key], 0);
console.log('\nroom        killed  of');
for (const [name, { killed, all: of }] of [...rooms].sort()) {
  console.log(`${name.padEnd(12)}${String(killed).padStart(6)}${String(of).padStart(4)}`);
}
console.log(`all         ${String(sum('killed')).padStart(6)}${String(sum('all')).padStart(4)}`);
