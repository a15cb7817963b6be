// npm run mutate -- 200: changes one place of src/ at a time, at random, and runs the tests until one fails: those of the file,
// then of its door, then those that import the door, then all others. A change that lives on breaks a promise that no test
// keeps, or code that does nothing. package.json starts it in a copy.
// Numbers of 10 or more, times and sizes for the most part, become 0: a promise about them breaks at once, while no promise can
// notice 5,001 ms in place of 5,000. Smaller numbers become the next one.
//   --seed N        other places than last time
//   --only PATH     places whose file begins so: --only src/lists
//   --tests PART    only test files whose path contains this; may be repeated
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAst } from 'vitest/node';

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

/** The possible changes of a node: [start, end, new text]. */
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
      return node.argument && of(node.argument) !== 'undefined'
        ? replace(node.argument, 'undefined as never')
        : [];
    case 'ExpressionStatement':
      return node.directive || node.expression.type === 'YieldExpression' ? [] : replace(node, ';');
    case 'Literal':
      if (typeof node.value === 'boolean') return replace(node, String(!node.value));
      if (typeof node.value === 'number')
        return replace(node, String(node.value < 10 ? node.value + 1 : 0));
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
        door: file.split('/')[2] ? file.split('/')[1] : 'src',
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

/** In random order. */
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

/** Runs tests, and kills them when they take too long. @returns whether all is well, and the results of each file. */
async function run(limitMs, ...argv) {
  const output = join(root, 'home', 'results.json');
  rmSync(output, { force: true });
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', `--outputFile=${output}`, ...argv],
    { cwd: root, stdio: 'ignore' },
  );
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  const { testResults = [] } = existsSync(output) ? JSON.parse(readFileSync(output, 'utf8')) : {};
  const results = testResults.map((result) => ({ ...result, file: relative(root, result.name) }));
  return { isWell: code === 0, isLate: signal === 'SIGKILL', results };
}

/** The test files that pass on the code as it is, with how long each takes in ms. */
async function baseline(files) {
  const passing = new Map();
  for (const { file, status, startTime, endTime } of (await run(3_600_000, ...files)).results) {
    if (status === 'passed') passing.set(file, endTime - startTime);
    else console.log(LEFT_OUT + file);
  }
  return passing;
}

const LEFT_OUT = 'left out, since it fails without a change: ';

/** The test files in the order in which they are run for a place: its own, its door's, those that import the door, all others. */
function stagesFor({ file, door }, files) {
  const beside = file.replace(/^src/, 'tests').replace(/\.ts$/, '.test.ts');
  const rank = (test) => {
    const text = readFileSync(join(root, test), 'utf8');
    if (test === beside || text.includes(`/${file}'`)) return 0;
    if (test.startsWith(`tests/${door}/`)) return 1;
    return text.includes(`src/${door}/`) ? 2 : 3;
  };
  return [0, 1, 2, 3].map((wanted) => files.filter((test) => rank(test) === wanted));
}

/** The places whose change compiles. The compiler runs once, on a file beside the original for each change. */
function compiling(all) {
  // Where one file cannot be parsed, the compiler says nothing about the types of the others.
  const places = all.filter(({ text }) => canParse(text));
  const fileOf = (index) => places[index].file.replace(/\.ts$/, `.changed${index}.ts`);
  for (const [index, { text }] of places.entries()) writeFileSync(join(root, fileOf(index)), text);
  const { stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '--noEmit'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  for (const index of places.keys()) rmSync(join(root, fileOf(index)));
  return places.filter((_, index) => !stdout.includes(`${fileOf(index)}(`));
}

function canParse(text) {
  try {
    parseAst(text, { lang: 'ts' });
    return true;
  } catch {
    return false;
  }
}

/** What runs in a browser is judged there first. */
const PAGE = 'src/viewer/page/';
const PAGE_TESTS = ['--config=vitest.web.config.ts'];
const PAGE_TESTS_MS = 120_000;

/** @returns how it ended: 'lives', or what has noticed it. */
async function judge(place, passing) {
  const path = join(root, place.file);
  const before = readFileSync(path, 'utf8');
  const stages = stagesFor(place, [...passing.keys()]).filter((tests) => tests.length > 0);
  for (const tests of place.file.startsWith(PAGE) ? [PAGE_TESTS, ...stages] : stages) {
    const usualMs = tests.reduce((total, test) => total + (passing.get(test) ?? PAGE_TESTS_MS), 0);
    const limitMs = 60_000 + 2 * usualMs;
    const runChanged = async (...argv) => {
      writeFileSync(path, place.text);
      const ended = await run(limitMs, ...argv);
      writeFileSync(path, before);
      return ended;
    };
    const { isWell, isLate, results } = await runChanged('--bail=1', ...tests);
    if (isLate) return 'killed (hangs)';
    if (isWell) continue;
    // A test that has noticed it fails again with the change, and passes without: else it failed by chance, or is broken.
    const failed = results.find(({ status }) => status === 'failed')?.file;
    const again = failed && tests !== PAGE_TESTS ? [failed] : tests;
    const isBroken = !(await run(limitMs, ...again)).isWell;
    if (!isBroken && !(await runChanged(...again)).isWell)
      return `killed by ${failed ?? 'the run itself'}`;
    if (isBroken && !passing.delete(failed)) throw new Error('the tests fail without a change');
    console.log(isBroken ? LEFT_OUT + failed : `failed by chance: ${failed}`);
    return judge(place, new Map([...passing].filter(([test]) => test !== failed)));
  }
  return 'lives';
}

if (existsSync(join(root, '.git'))) throw new Error('not in the checkout: npm run mutate');
const parts = values.tests ?? [''];
const testFiles = filesIn('tests', '.test.ts');
for (const part of parts) {
  if (testFiles.some((file) => file.includes(part))) continue;
  throw new Error(
    `no test file has '${part}' in its path; --tests takes a part of a path, no glob`,
  );
}
const tests = testFiles.filter((file) => parts.some((part) => file.includes(part)));
const places = shuffled(
  filesIn('src', '.ts')
    .filter((file) => !file.endsWith('.d.ts') && file.startsWith(values.only))
    .flatMap(placesOf),
  random(Number(values.seed)),
);
console.log(`${places.length} places, ${tests.length} test files\n`);
const passing = await baseline(tests);
const doors = new Map();
// About every second change compiles.
for (const [index, place] of compiling(places.slice(0, 4 * wanted))
  .slice(0, wanted)
  .entries()) {
  const end = await judge(place, passing);
  const door = doors.get(place.door) ?? { killed: 0, all: 0 };
  doors.set(place.door, { killed: door.killed + (end === 'lives' ? 0 : 1), all: door.all + 1 });
  console.log(`${String(index + 1).padStart(4)}  ${place.name}\n      ${end}`);
}
const all = [...doors.values()];
const sum = (key) => all.reduce((total, door) => total + door[key], 0);
console.log('\ndoor        killed  of');
for (const [name, { killed, all: of }] of [...doors].sort()) {
  console.log(`${name.padEnd(12)}${String(killed).padStart(6)}${String(of).padStart(4)}`);
}
console.log(`all         ${String(sum('killed')).padStart(6)}${String(sum('all')).padStart(4)}`);
